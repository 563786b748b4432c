import { createAccount, type NewAccount } from '@trackway/server/domain/users/accounts.ts';
import type { Command } from '../command.ts';
import { dataLocation } from '../data-location.ts';
import { withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { choosePassword, passwordFlags } from './choose-password.ts';
import { acceptUser, refusalAsFailure } from './operator.ts';

export const command: Command = {
  describe: () => ({
    about: 'Add a user. The command prompts for the password unless --password-stdin or --generate is given.',
    args: ['email'],
    flags: {
      admin: { about: 'Make the user an admin, who can read and change everything.' },
      name: { about: 'Full name.', takes: 'TEXT' },
      username: { about: 'Name to sign in with, as an alternative to the e-mail address.', takes: 'TEXT' },
      ...passwordFlags,
      ...storeFlags(),
    },
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    const { admin = 'false', name, username } = given.flags;
    const { password, isGenerated } = await choosePassword(given);
    const account = acceptUser('create', { email: given.args[0], admin, name, username, password });
    const user = await withStore(settings, (store) =>
      refusalAsFailure(() => createAccount(store, account as unknown as NewAccount, password, Date.now())),
    );
    console.log(`Added ${user.admin ? 'admin' : 'user'} ${user.email} (id ${user.id}) in ${dataLocation(settings)}.`);
    if (isGenerated) console.log(`Password (shown only once): ${password}`);
    return 0;
  },
};
