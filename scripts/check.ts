import { checkStyle, checkTypes, main, step } from './step.ts';

/** The quick check before a commit: types, style, and the tests that need nothing but this checkout. */
await main(async () => {
  await checkTypes();
  await checkStyle();
  const tests = [
    'contract/src/**/*.test.ts',
    'server/src/**/*.test.ts',
    'client/src/**/*.test.ts',
    'console/{build,src}/**/*.test.ts',
  ];
  await step('Unit tests', 'node', ['scripts/run-tests.ts', '--reporter', 'dot', ...tests], {
    TRACKWAY_SKIP_POSTGRES: '1',
    TRACKWAY_SKIP_ORACLE: '1',
  });
});
