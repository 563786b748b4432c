import { type Command, UsageError } from '../command.ts';
import { ask } from '../connection.ts';
import { idOf, outboxFlags, whose } from './whose.ts';

export const command: Command = {
  describe: () => ({
    about: 'Sends a delivery again, or all that were given up in a range of time.',
    words: ['id?'],
    usage: ' <id> | --from TIME --to TIME',
    flags: {
      from: { about: 'Those that were caused at this time or later.', takes: 'TIME' },
      to: { about: 'And before this. [now]', takes: 'TIME' },
      destination: { about: 'Only those to this destination.', takes: 'ID' },
      sent: { about: 'Those that were sent, rather than those that were given up.' },
      ...outboxFlags,
    },
    more: '  trackway outbox resend 4711\n  trackway outbox resend --from 2026-06-01 --to 2026-06-02T12:00:00Z',
  }),

  async run(given) {
    const { from, to = new Date().toISOString(), destination, sent } = given.flags;
    const [word] = given.words;
    if ((word === undefined) === (from === undefined)) throw new UsageError('It needs an id, or --from.');
    const id = whose(given);
    if (word !== undefined) {
      const { status } = await ask(given, (client) => client.resendDelivery({ id, fk: idOf(word) }));
      console.log(`Delivery ${word} is ${status}.`);
      return 0;
    }
    const status = sent === 'true' ? ('sent' as const) : ('dead' as const);
    const body = { from: from!, to, status, ...(destination && { destinationId: idOf(destination) }) };
    const { count } = await ask(given, (client) => client.resendDeliveries({ id, body }));
    console.log(count === 0 ? 'There was nothing to send again.' : `Deliveries to be sent again: ${count}.`);
    return 0;
  },
};
