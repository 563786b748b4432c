import { resolve } from 'node:path';
import { discardSecrets } from '@trackway/server/app/vault.ts';
import { lockFolder } from '@trackway/server/platform/storage/sqlite/locks.ts';
import { type Command, Failure } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Remove the secrets in the database that cannot be decrypted because their key is lost. Stop all servers first. This cannot be undone.',
    flags: { ...storeFlags(), yes: { about: 'Confirm that the key is lost.' } },
    more: `Afterwards webhooks are signed with new secrets, phones that encrypt their reports need their key set
again, and browsers must be subscribed to push notifications anew.`,
  }),

  async run(given) {
    if (given.flags.yes !== 'true') throw new Failure('This removes secrets permanently. Add --yes to confirm.');
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const release = settings.databaseUrl ? () => {} : lockFolder(resolve(settings.data));
    try {
      const gone = await withStore(settings, (store) => discardSecrets(store, settings));
      console.log(`Removed ${gone} ${gone === 1 ? 'secret' : 'secrets'}.`);
      return 0;
    } catch (error) {
      throw error instanceof Failure ? error : new Failure((error as Error).message, { cause: error });
    } finally {
      release();
    }
  },
};
