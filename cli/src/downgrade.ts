import { basename, resolve } from 'node:path';
import { upgradeBackups } from '@trackway/server/platform/storage/sqlite/migrate.ts';
import { type Command, Failure } from './command.ts';
import { restoreFile } from './restore.ts';
import { storeFlags, storeSettingsOf } from './setting-flags.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Restore the backup that the server made before the last migration, to return to the previous version. The server must be stopped.',
    flags: {
      ...storeFlags(),
      yes: { about: 'Confirm that changes since the backup are lost.' },
    },
    more: 'The current database is kept in a folder next to the restored one. Then start the previous version. For PostgreSQL, use pg_restore instead.',
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    if (settings.databaseUrl)
      throw new Failure(
        'This command restores the embedded database only. For PostgreSQL, restore the dump that you made before the upgrade with pg_restore.',
      );
    const folder = resolve(settings.data);
    const file = upgradeBackups(folder).at(-1);
    if (file === undefined) throw new Failure(`There is no backup from before an upgrade in ${folder}.`);
    if (given.flags.yes !== 'true')
      throw new Failure(
        `The latest backup from before an upgrade is ${basename(file)}. What was stored since then will be missing. To restore it, add --yes.`,
      );
    await restoreFile(settings, file, true);
    console.log(
      'Now start the version of Trackway that you used before the upgrade: this version would migrate again.',
    );
    return 0;
  },
};
