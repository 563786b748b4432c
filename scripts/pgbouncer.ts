import { pgbouncerPlace } from '../e2e/src/growth/pgbouncer.ts';
import { havePackage } from './debian-package.ts';

/** Installs the pooler that tests put before PostgreSQL, if possible; otherwise those tests are skipped. */
export const havePgbouncer = (): Promise<void> =>
  havePackage(
    'pgbouncer',
    () => pgbouncerPlace() !== undefined,
    'NOTHING IS TESTED WITH PGBOUNCER: it is missing. Install the package `pgbouncer` (apt-get install pgbouncer).',
  );
