import { type Command, Failure } from './command.ts';
import { withStore } from './open-store.ts';
import { storeFlags, storeSettingsOf } from './setting-flags.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Migrate a PostgreSQL database to the schema of this version before its nodes start. A server does the same when it starts; use this in deployments that check the result first.',
    flags: storeFlags(),
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    if (!settings.databaseUrl) throw new Failure('The embedded database is migrated when the server starts.');
    await withStore(settings, async () => console.log('The database has the schema of this version.'));
    return 0;
  },
};
