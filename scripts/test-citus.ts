import { main, step } from './step.ts';

/**
 * Runs the suites of the storage, the engine and the operations on a Citus cluster, whose coordinator
 * TRACKWAY_TEST_CITUS_URL names: a user that may make databases at all of its servers. `npm run test:citus -- FILE` runs
 * only the named files.
 */

const SUITES = [
  'server/src/platform/storage/*.test.ts',
  'server/src/platform/storage/postgres/**/*.test.ts',
  'server/src/platform/{collection,live,outbox}/**/*.test.ts',
  'server/src/domain/**/*.test.ts',
  'e2e/src/citus/*.test.ts',
  'e2e/src/{resends,nodes-live}.slow.test.ts',
  'e2e/src/{nine-operations,ingest,live,outbox,forwarding,forwarders,geofence-lists,commands,ended-rights}.test.ts',
  'e2e/src/{idempotency,tokens,visibility,wire-values,plain-reports,plans-v2,reports}.test.ts',
];

await main(async () => {
  if (!process.env.TRACKWAY_TEST_CITUS_URL) {
    console.error(
      '\n*** NOTHING IS TESTED ON CITUS: set TRACKWAY_TEST_CITUS_URL to the coordinator of a cluster with two workers. ***\n',
    );
    return;
  }
  const named = process.argv.slice(2);
  await step('Tests on Citus', 'node', ['scripts/run-tests.ts', ...(named.length > 0 ? named : SUITES)]);
});
