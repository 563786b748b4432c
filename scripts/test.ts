import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { startPostgres } from '../server/src/testing/postgres-server.ts';
import { haveChromium } from './chromium.ts';
import { useMemory } from './memory.ts';
import { haveMosquitto } from './mosquitto.ts';
import { havePgbouncer } from './pgbouncer.ts';
import { checkStyle, checkTypes, main, ROOT, step } from './step.ts';

/** The slowest files. They start first, so that none of them runs alone at the end. */
const SLOW = [
  'e2e/src/console/accessibility.test.ts',
  'e2e/src/{hostile-bodies,crash,permissions,outbox}.test.ts',
  'e2e/src/console/{languages,links,geofences,device,journeys,hostile-names}.test.ts',
  'server/src/domain/tracking/intake/budget.test.ts',
  'e2e/src/bad-days/damage.test.ts',
  'e2e/src/{hostile-sockets,ended-rights,unread,audit,places}.test.ts',
  'server/src/platform/outbox/worker.test.ts',
  'e2e/src/console/{notifications,map,openid,reference,fleet-tools}.test.ts',
];
/** Tests of functions alone, without a database: many share a process. */
const TOGETHER = ['contract', 'simulator', 'console'];
const OTHERS = ['server', 'client', 'cli', 'oracle', 'e2e', 'bench', 'scripts'];
const testsOf = (folder: string) => `${folder}/**/*.test.ts`;

/** Runs everything: types, style, and all tests, on both engines, against the oracle and through real processes. */
await main(async () => {
  // `npm test -- cli/src/serve.test.ts` runs only the named files.
  const named = process.argv.slice(2);
  if (named.length > 0) return runTests(named);
  await checkTypes();
  await checkStyle();
  // The browser must test the console built from the current sources, not an older build.
  await step('Build the console', 'vite', ['build', 'console', '--logLevel', 'warn']);
  await haveChromium();
  await haveMosquitto();
  await havePgbouncer();
  if (!existsSync(join(ROOT, 'oracle/node_modules/loopback'))) {
    await step('Install the oracle of the filter', 'npm', ['ci', '--prefix', 'oracle', '--no-audit', '--no-fund']);
  }
  const patterns = [
    ...SLOW.flatMap((pattern) => ['--first', pattern]),
    ...TOGETHER.flatMap((folder) => ['--together', testsOf(folder)]),
    ...OTHERS.map(testsOf),
  ];
  await runTests(patterns, { TRACKWAY_TEST_MAIN: await compiledMain() });
});

/** Compiles the server once, as for a release: the tests start hundreds of them. */
async function compiledMain(): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/server');
  await step('Compile the server', 'node', ['scripts/compile.ts', folder]);
  return join(folder, 'cli/src/main.js');
}

async function runTests(files: readonly string[], environment: Record<string, string> = {}): Promise<void> {
  useMemory();
  const isGiven = process.env.TRACKWAY_TEST_DATABASE_URL;
  const postgres = isGiven || process.env.TRACKWAY_SKIP_POSTGRES === '1' ? undefined : await startPostgres();
  try {
    if (postgres) environment.TRACKWAY_TEST_DATABASE_URL = postgres.url;
    await step('Tests', 'node', ['scripts/run-tests.ts', ...files], environment);
  } finally {
    await postgres?.stop();
  }
}
