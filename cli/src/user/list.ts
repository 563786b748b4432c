import type { Command } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { table } from '../table.ts';

export const command: Command = {
  describe: () => ({ about: 'Lists the users.', flags: storeFlags() }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const users = await withStore(settings, (store) =>
      store.query.selectFrom('users').select(['id', 'email', 'username', 'name', 'admin']).orderBy('id').execute(),
    );
    if (users.length === 0) console.log('There is nobody yet. "trackway user add <email> --admin" makes an admin.');
    else
      console.log(
        table(
          ['id', 'email', 'rights', 'username', 'name'],
          users.map((user) => [user.id, user.email, user.admin ? 'admin' : '', user.username, user.name]),
        ),
      );
    return 0;
  },
};
