import { accountOperations } from '@trackway/server/domain/users/accounts.ts';
import type { Command } from '../command.ts';
import { requireDatabase, withStore } from '../open-store.ts';
import { storeFlags, storeSettingsOf } from '../setting-flags.ts';
import { asOperator, findUser, refusalAsFailure } from './operator.ts';

export const command: Command = {
  describe: () => ({
    about:
      'Remove a user and their tokens, geofences, triggers and shares. A user who owns devices cannot be removed, and neither can the last admin.',
    args: ['email'],
    flags: storeFlags(),
  }),

  async run(given) {
    const settings = storeSettingsOf(given);
    requireDatabase(settings);
    return withStore(settings, async (store) => {
      const user = await findUser(store, given.args[0]!);
      await refusalAsFailure(() => accountOperations(store).deleteUser(asOperator({ key: user.id }) as never));
      console.log(`Removed ${user.email}.`);
      return 0;
    });
  },
};
