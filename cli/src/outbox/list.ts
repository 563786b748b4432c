import { type Command, UsageError } from '../command.ts';
import { ask } from '../connection.ts';
import { table } from '../table.ts';
import { outboxFlags, whose } from './whose.ts';

export const command: Command = {
  describe: () => ({
    about: 'Lists deliveries, the newest first: what was sent, what waits, and what was given up and why.',
    flags: {
      dead: { about: 'Only those that were given up.' },
      destination: { about: 'Only those to this destination.', takes: 'ID' },
      limit: { about: 'How many at the most. [50]', takes: 'NUMBER' },
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
    const found = await ask(given, (client) => client.listDeliveries({ id: whose(given), filter }));
    if (found.length === 0) console.log('There is none.');
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
      console.log(table(['id', 'created', 'by', 'to', 'what', 'status', 'attempts', 'reason'], rows));
    }
    return 0;
  },
};
