import { accountOperations } from '@trackway/server/domain/users/accounts.ts';
import type { Command } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { asOperator, findUser, orSentence } from './operator.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Removes a user, with their tokens, geofences, triggers and shares. One who owns a device, or is the last admin, stays.',
    words: ['email'],
    flags: storeFlags(),
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    return withStore(settings, async (store) => {
      const user = await findUser(store, given.words[0]!);
      await orSentence(() => accountOperations(store).deleteUser(asOperator({ key: user.id }) as never));
      console.log(`${user.email} was removed.`);
      return 0;
    });
  },
};
