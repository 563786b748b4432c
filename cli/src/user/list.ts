import type { Command } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { table } from '../table.ts';

export const command: Command = {
  describe: () => ({ about: 'List users.', flags: storeFlags() }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    const users = await withStore(settings, (store) =>
      store.query.selectFrom('users').select(['id', 'email', 'username', 'name', 'admin']).orderBy('id').execute(),
    );
    if (users.length === 0) console.log('No users yet. To add an admin, run "trackway user add <email> --admin".');
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
