import { Type } from 'typebox';
import { CHANNEL_KINDS } from './channels.ts';
import { answerOf, count, list, operation, read } from './operation.ts';
import { id, integer, key, noun, type Sent, text, time } from './schema.ts';

/** What can be sent again in a range of time. */
export const RESENT_STATUSES = ['dead', 'sent'] as const;

const attemptLog = Type.Array(
  Type.Object({
    at: Type.String({ format: 'date-time' }),
    reason: Type.String(),
    refused: Type.Optional(
      Type.Boolean({ description: 'Whether the destination refused it, rather than being down.' }),
    ),
  }),
  { description: 'Every attempt that failed, and why; of very many the first and the last ones.', readOnly: true },
);

/** One notification, or one forwarded item, on its way to one destination. */
export const delivery = noun(
  'delivery',
  {
    id: id(),
    messageId: text('The same over all attempts, so that a receiver can recognize a repeat.', { readOnly: true }),
    channel: text(`The channel: ${CHANNEL_KINDS.join(', ')}.`, { readOnly: true }),
    destinationId: key('The destination; null where there was no address to send it to.', { readOnly: true }),
    target: text('Where to: an address of the channel, or smtp or broker for the servers of the operator.', {
      readOnly: true,
    }),
    address: text('To whom there: an e-mail address, a topic.', { readOnly: true }),
    what: text('notification, newLoc, newReading, newMsg, correction, digest or test.', { readOnly: true }),
    deviceId: key('The device it is about.', { readOnly: true }),
    notificationId: key('The notification that it sends.', { readOnly: true }),
    forwarderId: key('The forwarder that sends it.', { readOnly: true }),
    digestId: key('The delivery that it went out with, where several were put together.', { readOnly: true }),
    userId: key('Whose it is.', { readOnly: true }),
    status: text(
      'queued: it waits; sending; sent; dead: given up, see reason; cancelled; suppressed: never meant to be sent, see reason.',
      { readOnly: true },
    ),
    reason: text('Why it waits, was given up, cancelled or suppressed.', { readOnly: true }),
    attempts: integer('How often it was tried.', { readOnly: true }),
    attemptLog,
    created: time('When it was caused.', { readOnly: true }),
    nextAt: time('Not tried before this.', { readOnly: true }),
    ended: time('When it was sent, given up, cancelled or suppressed.', { readOnly: true }),
  },
  { always: ['messageId', 'channel', 'what', 'userId', 'status', 'attempts', 'created', 'nextAt'] },
);

/** Where things are sent, with a health of its own. */
export const destination = noun(
  'destination',
  {
    id: id(),
    kind: text(`The channel: ${CHANNEL_KINDS.join(', ')}.`, { readOnly: true }),
    target: text('An address of the channel, or smtp or broker for the servers of the operator.', { readOnly: true }),
    userId: key("Whose it is; null for the operator's own servers.", { readOnly: true }),
    state: text(
      'up; down: it is tried now and then, and what waits goes out when it is back; off: it said that it is gone.',
      { readOnly: true },
    ),
    waiting: integer('Deliveries that wait for it.', { readOnly: true }),
    lag: integer('Age of the oldest that waits, in seconds; null while none does.', { readOnly: true }),
    dead: integer('Deliveries that were given up, in the last 30 days.', { readOnly: true }),
    lastSuccess: time('When something last arrived.', { readOnly: true }),
    lastError: text('What last went wrong.', { readOnly: true }),
    lastErrorAt: time('When.', { readOnly: true }),
    downSince: time('Since when it is down or off.', { readOnly: true }),
    nextTryAt: time('When it is tried again, while it is down.', { readOnly: true }),
    created: time('When it was first used.', { readOnly: true }),
  },
  { always: ['kind', 'target', 'state', 'waiting', 'dead', 'created'] },
);

const resending = noun(
  'resending',
  {
    from: time('Deliveries that were caused at this time or later.'),
    to: time('And before this.'),
    destinationId: key('Only those to this destination.'),
    status: Type.Enum([...RESENT_STATUSES], {
      description: 'dead where absent. Mails that were sent are sent again only singly.',
      default: 'dead',
    }),
  },
  { required: ['from', 'to'], always: ['from', 'to', 'status'] },
);
export type Resending = Sent<typeof resending>;

const secret = Type.Object(
  { secret: Type.String({ description: 'whsec_…, as libraries for Standard Webhooks take it.' }) },
  { title: 'webhook secret' },
);

const deliveries = '/users/{id}/deliveries';
const destinations = '/users/{id}/destinations';
const one = answerOf(delivery);

export const deliveryOperations = {
  listDeliveries: list(delivery, deliveries, 'self', {
    summary: 'What was sent to and for a user, and what became of it',
    description: 'What was sent is kept for 7 days, everything else for 30.',
  }),
  countDeliveries: count(delivery, deliveries, 'self'),
  listNotificationDeliveries: list(delivery, '/notifications/{id}/deliveries', 'user', {
    summary: 'The deliveries of a notification, one or more for each channel',
  }),
  resendDelivery: operation('POST', `${deliveries}/{fk}/resend`, 'self', {
    summary: 'Send a delivery again',
    description: 'One that is dead or was sent. It keeps its messageId. One that waits is tried as soon as can be.',
    answer: one,
  }),
  resendDeliveries: operation('POST', `${deliveries}/resend`, 'self', {
    summary: 'Send all deliveries of a range of time again',
    body: { noun: resending, mode: 'create' },
    answer: Type.Object({ count: Type.Integer() }),
  }),
  cancelDelivery: operation('POST', `${deliveries}/{fk}/cancel`, 'self', {
    summary: 'Cancel a delivery that waits',
    answer: one,
  }),
  listDestinations: list(destination, destinations, 'self', { summary: 'Where things of a user are sent' }),
  getDestination: read(destination, `${destinations}/{fk}`, 'self'),
  reopenDestination: operation('POST', `${destinations}/{fk}/reopen`, 'self', {
    summary: 'Try a destination now',
    description: 'Also switches one on again that said it was gone.',
    answer: answerOf(destination),
  }),
  testDelivery: operation('POST', `${destinations}/{fk}/test`, 'self', {
    summary: 'Send a harmless message to a destination',
    answer: one,
  }),
  getWebhookSecret: operation('GET', `${destinations}/{fk}/secret`, 'self', {
    summary: 'By which secret messages to a webhook are signed',
    description: 'Only the user themselves may see it, not an admin.',
    answer: secret,
  }),
  rotateWebhookSecret: operation('POST', `${destinations}/{fk}/rotateSecret`, 'self', {
    summary: 'Give a webhook a new secret',
    description: 'Messages are signed with the old one too for 24 hours. Only for the user themselves, not an admin.',
    answer: secret,
  }),
  listAllDestinations: list(destination, '/destinations', 'admin', {
    summary: "Where things of everyone are sent, the operator's own servers included",
  }),
  reopenAnyDestination: operation('POST', '/destinations/{id}/reopen', 'admin', {
    summary: "Try a destination now, be it the operator's own",
    answer: answerOf(destination),
  }),
};
