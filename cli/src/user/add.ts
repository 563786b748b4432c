import { createAccount, type NewAccount } from '@trackway/server/domain/users/accounts.ts';
import type { Command } from '../command.ts';
import { dataPlace } from '../data-place.ts';
import { withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { choosePassword, passwordFlags } from './choose-password.ts';
import { acceptUser, orSentence } from './operator.ts';

export const command: Command = {
  describe: () => ({
    about: 'Adds a user. The password is asked for, unless a flag says where it comes from.',
    words: ['email'],
    flags: {
      admin: { about: 'They may read and change everything.' },
      name: { about: 'Full name.', takes: 'TEXT' },
      username: { about: 'Another name to sign in with.', takes: 'TEXT' },
      ...passwordFlags,
      ...storeFlags(),
    },
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    const { admin = 'false', name, username } = given.flags;
    const { password, told } = await choosePassword(given);
    const account = acceptUser('create', { email: given.words[0], admin, name, username, password });
    const user = await withStore(settings, (store) =>
      orSentence(() => createAccount(store, account as unknown as NewAccount, password, Date.now())),
    );
    console.log(
      `${user.admin ? 'Admin' : 'User'} ${user.email} was added, with id ${user.id}, in ${dataPlace(settings)}.`,
    );
    if (told) console.log(`Password, shown this once: ${password}`);
    return 0;
  },
};
