import type { Command } from '../command.ts';
import { ask } from '../connection.ts';
import { asAdminOr, idOf, outboxFlags, userOf } from './outbox-user.ts';

export const command: Command = {
  describe: () => ({
    about: 'Retry a destination that is down, or switch on one that is off.',
    args: ['id'],
    flags: outboxFlags,
  }),

  async run(given) {
    const fk = idOf(given.args[0]!);
    const { state, waiting } = await ask(given, (client) => {
      const own = () => client.reopenDestination({ id: userOf(given), fk });
      return given.flags.user ? own() : asAdminOr(() => client.reopenAnyDestination({ id: fk }), own);
    });
    console.log(
      state === 'up' ? `Destination ${fk} is up.` : `Retrying destination ${fk}. Queued deliveries: ${waiting}.`,
    );
    return 0;
  },
};
