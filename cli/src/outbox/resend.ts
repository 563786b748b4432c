import { type Command, UsageError } from '../command.ts';
import { ask } from '../connection.ts';
import { idOf, outboxFlags, userOf } from './outbox-user.ts';

export const command: Command = {
  describe: () => ({
    about: 'Resend one delivery, or all dead deliveries of a time range.',
    args: ['id?'],
    usage: ' <id> | --from TIME --to TIME',
    flags: {
      from: { about: 'Start of the time range: deliveries created at this time or later.', takes: 'TIME' },
      to: { about: 'End of the time range: deliveries created before this time. [default: now]', takes: 'TIME' },
      destination: { about: 'Only deliveries to this destination.', takes: 'ID' },
      sent: { about: 'Resend sent deliveries instead of dead ones.' },
      ...outboxFlags,
    },
    more: 'Examples:\n  trackway outbox resend 4711\n  trackway outbox resend --from 2026-06-01 --to 2026-06-02T12:00:00Z',
  }),

  async run(given) {
    const { from, to = new Date().toISOString(), destination, sent } = given.flags;
    const [word] = given.args;
    if ((word === undefined) === (from === undefined)) throw new UsageError('Specify either an id or --from.');
    const id = userOf(given);
    if (word !== undefined) {
      const { status } = await ask(given, (client) => client.resendDelivery({ id, fk: idOf(word) }));
      console.log(`Delivery ${word} is ${status}.`);
      return 0;
    }
    const status = sent === 'true' ? ('sent' as const) : ('dead' as const);
    const body = { from: from!, to, status, ...(destination && { destinationId: idOf(destination) }) };
    const { count } = await ask(given, (client) => client.resendDeliveries({ id, body }));
    console.log(count === 0 ? 'No deliveries to resend.' : `Deliveries queued again: ${count}.`);
    return 0;
  },
};
