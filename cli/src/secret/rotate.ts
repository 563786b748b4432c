import { resolve } from 'node:path';
import { keyPlace, rotateKey } from '@trackway/server/app/vault.ts';
import { lockFolder } from '@trackway/server/platform/storage/sqlite/locks.ts';
import { newKey } from '@trackway/server/platform/vault.ts';
import { type Command, Failure } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Encrypt the secrets in the database with a new key. Stop all servers first. If it is interrupted, run it again.',
    flags: storeFlags(),
    more: `With the key in the data folder, a new one is made and the old one removed. Backups made before need the
old key: keep a copy of trackway.key with them.

With TRACKWAY_SECRET, put the new secret before the old one, separated by a comma, and run this command.
Then remove the old one.`,
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const release = settings.databaseUrl ? () => {} : lockFolder(resolve(settings.data));
    try {
      const sealed = await withStore(settings, (store) => rotateKey(store, settings, newKey()));
      console.log(`Encrypted ${sealed} ${sealed === 1 ? 'secret' : 'secrets'} with the key of ${keyPlace(settings)}.`);
      return 0;
    } catch (error) {
      throw error instanceof Failure ? error : new Failure((error as Error).message, { cause: error });
    } finally {
      release();
    }
  },
};
