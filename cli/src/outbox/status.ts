import type { Command } from '../command.ts';
import { ask } from '../connection.ts';
import { table } from '../table.ts';
import { asAdminOr, outboxFlags, whose } from './whose.ts';

export const command: Command = {
  describe: () => ({
    about: 'Shows where things are sent: how each destination is, what waits for it, and what last went wrong.',
    flags: outboxFlags,
    more: "An admin sees everyone's destinations unless --user says whose.",
  }),

  async run(given) {
    const found = await ask(given, (client) => {
      const own = () => client.listDestinations({ id: whose(given) });
      return given.flags.user ? own() : asAdminOr(() => client.listAllDestinations(), own);
    });
    if (found.length === 0) console.log('Nothing was ever sent anywhere.');
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
        table(['id', 'kind', 'target', 'user', 'state', 'waiting', 'lag', 'dead', 'last success', 'last error'], rows),
      );
    }
    return 0;
  },
};
