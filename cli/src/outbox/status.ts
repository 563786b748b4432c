import type { Command } from '../command.ts';
import { ask } from '../connection.ts';
import { table } from '../table.ts';
import { asAdminOr, outboxFlags, userOf } from './outbox-user.ts';

export const command: Command = {
  describe: () => ({
    about: 'Show the state of each destination, its queued deliveries, and its last error.',
    flags: outboxFlags,
    more: 'Admins see the destinations of all users unless --user is given.',
  }),

  async run(given) {
    const found = await ask(given, (client) => {
      const own = () => client.listDestinations({ id: userOf(given) });
      return given.flags.user ? own() : asAdminOr(() => client.listAllDestinations(), own);
    });
    if (found.length === 0) console.log('No destinations yet.');
    else {
      const rows = found.map((one) => [
        one.id,
        one.kind,
        one.target,
        one.userId,
        one.state,
        one.waiting,
        one.lag === null ? '' : `${one.lag} s`,
        one.dead,
        one.lastSuccess,
        one.lastError,
      ]);
      console.log(
        table(['id', 'kind', 'target', 'user', 'state', 'queued', 'lag', 'dead', 'last success', 'last error'], rows),
      );
    }
    return 0;
  },
};
