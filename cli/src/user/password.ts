import { accountOperations } from '@trackway/server/domain/users/accounts.ts';
import type { Command } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { choosePassword, passwordFlags } from './choose-password.ts';
import { acceptUser, asOperator, findUser, orSentence } from './operator.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Gives a user a new password. All their tokens end at once, long-lived ones too. The password is asked for, unless a flag says where it comes from.',
    words: ['email'],
    flags: { ...passwordFlags, ...storeFlags() },
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    return withStore(settings, async (store) => {
      const user = await findUser(store, given.words[0]!);
      const { password, told } = await choosePassword(given);
      const body = acceptUser('update', { password });
      await orSentence(() => accountOperations(store).updateUser(asOperator({ userId: user.id, body }) as never));
      console.log(`${user.email} has a new password and is signed out everywhere.`);
      if (told) console.log(`Password, shown this once: ${password}`);
      return 0;
    });
  },
};
