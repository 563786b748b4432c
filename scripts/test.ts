import { existsSync, globSync, readFileSync, statSync } from 'node:fs';
import { cpus } from 'node:os';
import { join, matchesGlob } from 'node:path';
import { startPostgres } from '../server/src/testing/postgres-server.ts';
import { haveChromium } from './chromium.ts';
import { useMemory } from './memory.ts';
import { haveMosquitto } from './mosquitto.ts';
import { havePebble } from './pebble.ts';
import { havePgbouncer } from './pgbouncer.ts';
import { checkStyle, checkTypes, main, ROOT, step } from './step.ts';

/**
 * `test.ts` runs all that an ordinary change can break, `test.ts --slow` what is slow by nature, `test.ts --full` both.
 * `test.ts PATTERN…` runs the files whose path contains one of these texts or matches it.
 */

/** Files that take long start first, so that none of them runs alone at the end. */
const TESTS = [
  'e2e',
  'cli',
  'scripts',
  'server',
  'console',
  'contract',
  'client',
  'simulator',
  'oracle',
  'bench',
  'generators',
].map((folder) => `${folder}/**/*.test.ts`);
/** Kills, damage, full disks, failover, and whatever else takes long on any machine. */
const SLOW = '**/*.slow.test.ts';

await main(async () => {
  const words = process.argv.slice(2);
  const started = { at: Date.now(), cpu: machineCpuSeconds() };
  const named = words.filter((word) => !word.startsWith('--'));
  if (named.length > 0) return runNamed(named);
  const isFull = words.includes('--full');
  const isSlow = words.includes('--slow');
  if (!isSlow) {
    await checkTypes();
    await checkStyle();
  }
  await buildConsole();
  await haveChromium();
  await haveMosquitto();
  await havePgbouncer();
  if (isSlow || isFull) havePebble();
  if (!existsSync(join(ROOT, 'oracle/node_modules/loopback')))
    await step('Install the oracle of the filter', 'npm', ['ci', '--prefix', 'oracle', '--no-audit', '--no-fund']);
  const compiled = { TRACKWAY_TEST_MAIN: await compiledMain() };
  try {
    if (!isSlow) await runTests('Tests', ['--without', SLOW, ...TESTS], { ...compiled, TRACKWAY_TEST_PART: 'fast' });
    if (isSlow || isFull)
      await runTests('Slow tests', [SLOW, ...withSlowPart()], {
        ...compiled,
        TRACKWAY_TEST_PART: 'slow',
      });
  } finally {
    const minutes = (Date.now() - started.at) / 60_000;
    const cpu = machineCpuSeconds() - started.cpu;
    console.log(`\nAll steps: ${minutes.toFixed(1)} minutes, ${cpu.toFixed(0)} s CPU on this machine.`);
  }
});

/** See `runsPart`. */
function withSlowPart(): string[] {
  return allTests().filter((file) =>
    /onEitherEngine[<(]|runsPart\('slow'\)/.test(readFileSync(join(ROOT, file), 'utf8')),
  );
}

function allTests(): string[] {
  return globSync(TESTS, { cwd: ROOT, exclude: (name) => name === 'node_modules' });
}

async function runNamed(patterns: readonly string[]): Promise<void> {
  const files = allTests().filter((file) => patterns.some((one) => file.includes(one) || matchesGlob(file, one)));
  // A file that is no test can be named as well, by its whole path.
  files.push(...patterns.filter((one) => !files.includes(one) && existsSync(join(ROOT, one)) && /\.ts$/.test(one)));
  if (files.length === 0) throw new Error(`No test file matches ${patterns.join(' ')}`);
  if (files.some((file) => file.startsWith('e2e/src/console/'))) await buildConsole();
  if (files.includes('e2e/src/acme.slow.test.ts')) havePebble();
  await runTests('Tests', ['--verbose', ...files]);
}

/** The browser must test the console built from the current sources, not an older build. */
async function buildConsole(): Promise<void> {
  const built = join(ROOT, 'console/dist/index.html');
  const sources = [
    'console/{src,build,public}/**',
    'console/*',
    '{contract,client}/src/**',
    'messages/*',
    'package-lock.json',
  ];
  const changedAt = Math.max(
    ...globSync(sources, { cwd: ROOT, exclude: ['console/dist', 'console/node_modules'] }).map(
      (file) => statSync(join(ROOT, file)).mtimeMs,
    ),
  );
  if (existsSync(built) && statSync(built).mtimeMs > changedAt) return;
  await step('Build the console', 'vite', ['build', 'console', '--logLevel', 'warn']);
}

/** Compiles the server once, as for a release: tests that kill it start hundreds of them. */
async function compiledMain(): Promise<string> {
  const folder = join(ROOT, 'node_modules/.cache/server');
  await step('Compile the server', 'node', ['scripts/compile.ts', folder]);
  return join(folder, 'cli/src/main.js');
}

async function runTests(
  title: string,
  words: readonly string[],
  environment: Record<string, string> = {},
): Promise<void> {
  useMemory();
  const isGiven = process.env.TRACKWAY_TEST_DATABASE_URL;
  const postgres = isGiven || process.env.TRACKWAY_SKIP_POSTGRES === '1' ? undefined : await startPostgres();
  try {
    const database = postgres && { TRACKWAY_TEST_DATABASE_URL: postgres.url };
    await step(title, 'node', ['scripts/run-tests.ts', ...words], { ...environment, ...database });
  } finally {
    await postgres?.stop();
  }
}

/** Processor time of the whole machine since its start, which includes browsers and databases. */
function machineCpuSeconds(): number {
  return cpus().reduce((sum, { times: { user, nice, sys, irq } }) => sum + user + nice + sys + irq, 0) / 1000;
}
