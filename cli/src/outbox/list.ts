import { type Command, UsageError } from '../command.ts';
import { ask } from '../connection.ts';
import { table } from '../table.ts';
import { outboxFlags, userOf } from './outbox-user.ts';

export const command: Command = {
  describe: () => ({
    about: 'List deliveries with their status and reason, newest first.',
    flags: {
      dead: { about: 'Only dead deliveries, which failed permanently.' },
      destination: { about: 'Only deliveries to this destination.', takes: 'ID' },
      limit: { about: 'Maximum number of deliveries. [default: 50]', takes: 'NUMBER' },
      ...outboxFlags,
    },
  }),

  async run(given) {
    const { dead, destination, limit = '50' } = given.flags;
    if (!/^[1-9]\d{0,3}$/.test(limit)) throw new UsageError('--limit must be a number from 1 to 9999.');
    const where = {
      ...(dead === 'true' && { status: 'dead' }),
      ...(destination !== undefined && { destinationId: destination }),
    };
    const filter = { where, order: 'id DESC', limit: Number(limit) };
    const found = await ask(given, (client) => client.listDeliveries({ id: userOf(given), filter }));
    if (found.length === 0) console.log('No deliveries found.');
    else {
      const rows = found.map((one) => [
        one.id,
        one.created,
        one.channel,
        one.address ?? one.target,
        one.what,
        one.status,
        one.attempts,
        one.reason,
      ]);
      console.log(table(['id', 'created', 'channel', 'to', 'content', 'status', 'attempts', 'reason'], rows));
    }
    return 0;
  },
};
