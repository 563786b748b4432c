import { globSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkStyle, checkTypes, main, ROOT, step } from './step.ts';

/** Tests of functions: they open no database, and start no server and no browser. */
const PURE = ['contract/src/**/*.test.ts', 'server/src/**/*.test.ts', 'console/{build,src}/**/*.test.ts'];
const NEEDS_MORE =
  /testing\/(databases|loopback|people|place|postgres-server)\.ts'|\.slow\.test|mosquitto|node:(dgram|http|net|tls)'/;

/** The quick check before a commit: types, style, the rules of imports, and the tests that need nothing but functions. */
await main(async () => {
  await checkTypes();
  await checkStyle();
  const tests = globSync(PURE, { cwd: ROOT }).filter(
    (file) => !NEEDS_MORE.test(readFileSync(join(ROOT, file), 'utf8')),
  );
  await step('Tests of functions', 'node', ['scripts/run-tests.ts', ...tests], { TRACKWAY_SKIP_POSTGRES: '1' });
});
