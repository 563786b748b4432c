import { resolve } from 'node:path';
import { eraseArchived } from '@trackway/server/domain/history/erase-archived.ts';
import { NotAnArchive, readManifest } from '@trackway/server/domain/history/manifest.ts';
import type { Store } from '@trackway/server/domain/schema/tables.ts';
import { FolderInUse, lockFolder } from '@trackway/server/platform/storage/sqlite/locks.ts';
import { type Command, Failure } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { version } from '../version.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Remove the devices and users that were erased from the database from an archive, too. If it is interrupted, run it again.',
    args: ['folder'],
    flags: storeFlags(),
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const folder = resolve(given.args[0]!);
    const erased = await withStore(settings, erasedOf);
    try {
      await readManifest(folder);
      const release = lockFolder(folder);
      try {
        const { rows, files } = await eraseArchived(folder, version(), erased);
        console.log(`Erased ${rows} rows in ${files} ${files === 1 ? 'file' : 'files'} of ${folder}.`);
      } finally {
        release();
      }
      return 0;
    } catch (error) {
      if (error instanceof NotAnArchive || error instanceof FolderInUse)
        throw new Failure(error.message, { cause: error });
      throw error;
    }
  },
};

async function erasedOf({ query }: Store) {
  const rows = await query.selectFrom('erasures').select(['kind', 'subjectId', 'deviceIds']).execute();
  return {
    deviceIds: new Set(rows.flatMap(({ deviceIds }) => JSON.parse(deviceIds ?? '[]') as number[])),
    userIds: new Set(rows.filter(({ kind }) => kind === 'user').map(({ subjectId }) => subjectId)),
  };
}
