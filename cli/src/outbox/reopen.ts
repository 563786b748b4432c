import type { Command } from '../command.ts';
import { ask } from '../connection.ts';
import { asAdminOr, idOf, outboxFlags, whose } from './whose.ts';

export const command: Command = {
  describe: () => ({
    about: 'Tries a destination now that is down, or switches one on again that said it was gone.',
    words: ['id'],
    flags: outboxFlags,
  }),

  async run(given) {
    const fk = idOf(given.words[0]!);
    const { state, waiting } = await ask(given, (client) => {
      const own = () => client.reopenDestination({ id: whose(given), fk });
      return given.flags.user ? own() : asAdminOr(() => client.reopenAnyDestination({ id: fk }), own);
    });
    console.log(state === 'up' ? `Destination ${fk} is up.` : `Destination ${fk} is tried now; waiting: ${waiting}.`);
    return 0;
  },
};
