import { NoCluster } from '@trackway/server/app/cluster.ts';
import { Failure, type Given } from '../command.ts';
import { storeSettingsOf } from '../setting-flags.ts';
import { storeFailure } from '../store-failure.ts';

/** Queries the PostgreSQL server of the settings; its errors become sentences for the operator. */
export async function askCluster<T>(given: Given, ask: (url: string) => Promise<T>): Promise<T> {
  const settings = storeSettingsOf(given);
  if (settings.databaseUrl === '')
    throw new Failure(
      'The embedded database has one server. Several need PostgreSQL: see "trackway move --help", and set TRACKWAY_DATABASE_URL.',
    );
  try {
    return await ask(settings.databaseUrl);
  } catch (error) {
    if (error instanceof Failure) throw error;
    throw new Failure(error instanceof NoCluster ? error.message : storeFailure(error, settings), { cause: error });
  }
}
