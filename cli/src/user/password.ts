import { accountOperations } from '@trackway/server/domain/users/accounts.ts';
import type { Command } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { choosePassword, passwordFlags } from './choose-password.ts';
import { acceptUser, asOperator, findUser, refusalAsFailure } from './operator.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Set a new password for a user. All tokens of the user are revoked, including personal access tokens. The command prompts for the password unless --password-stdin or --generate is given.',
    args: ['email'],
    flags: { ...passwordFlags, ...storeFlags() },
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    return withStore(settings, async (store) => {
      const user = await findUser(store, given.args[0]!);
      const { password, isGenerated } = await choosePassword(given);
      const body = acceptUser('update', { password });
      await refusalAsFailure(() => accountOperations(store).updateUser(asOperator({ userId: user.id, body }) as never));
      console.log(`Changed the password of ${user.email} and revoked all their tokens.`);
      if (isGenerated) console.log(`Password (shown only once): ${password}`);
      return 0;
    });
  },
};
