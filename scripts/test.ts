import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../server/src/testing/postgres-server.ts';
import { haveChromium } from './chromium.ts';
import { checkStyle, checkTypes, main, ROOT, step } from './step.ts';

/** These take longest. They are begun first, so that at the end no file is alone. */
const SLOW = [
  'e2e/src/console/accessibility.test.ts',
  'e2e/src/permissions.test.ts',
  'e2e/src/hostile-bodies.test.ts',
  'e2e/src/outbox.test.ts',
  'e2e/src/crash.test.ts',
  'e2e/src/console/{device,geofences,hostile-names,journeys,notifications}.test.ts',
  'e2e/src/{hostile-sockets,live,tokens}.test.ts',
];
const TESTS = ['contract', 'simulator', 'server', 'client', 'console', 'cli', 'oracle', 'e2e', 'scripts'].map(
  (folder) => `${folder}/**/*.test.ts`,
);

/** Everything: types, style, and all tests, on both engines, against the oracle and through real processes. */
await main(async () => {
  // `npm test -- cli/src/serve.test.ts` runs the files it names and nothing else.
  const named = process.argv.slice(2);
  if (named.length > 0) return runTests(named);
  await checkTypes();
  await checkStyle();
  // The browser is shown the console as it is built from these sources, not as it once was.
  await step('Build the console', 'vite', ['build', 'console', '--logLevel', 'warn']);
  await haveChromium();
  if (!existsSync(join(ROOT, 'oracle/node_modules/loopback'))) {
    await step('Install the oracle of the filter', 'npm', ['ci', '--prefix', 'oracle', '--no-audit', '--no-fund']);
  }
  await runTests([...SLOW, ...TESTS]);
});

async function runTests(files: readonly string[]): Promise<void> {
  const given = process.env.TRACKWAY_TEST_DATABASE_URL;
  const postgres = given || process.env.TRACKWAY_SKIP_POSTGRES === '1' ? undefined : await startPostgres();
  try {
    const environment: Record<string, string> = postgres ? { TRACKWAY_TEST_DATABASE_URL: postgres.url } : {};
    await step('Tests', 'node', ['scripts/run-tests.ts', ...files], environment);
  } finally {
    await postgres?.stop();
  }
}
