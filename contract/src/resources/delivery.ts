import { Type } from 'typebox';
import { CHANNEL_KINDS } from '../channels.ts';
import { answerOf, count, list, operation, read, SHOWN_ONCE } from '../operation.ts';
import { id, integer, key, noun, object, text, time } from '../schema.ts';

/** The states of deliveries that can be sent again for a time range. */
export const RESENT_STATUSES = ['dead', 'sent'] as const;

const attemptLog = Type.Array(
  Type.Object(
    {
      at: Type.String({ format: 'date-time', description: 'Time of the attempt.' }),
      reason: Type.String({ description: 'Why it failed.' }),
      details: Type.Optional(object('The reason for programs: `code`, and its values by name.')),
      refused: Type.Optional(
        Type.Boolean({
          description: 'Whether the destination rejected the message. False or absent if the destination was down.',
        }),
      ),
    },
    { title: 'delivery attempt' },
  ),
  {
    description: 'Failed attempts. If there are very many, only the first and the last ones are listed.',
    readOnly: true,
  },
);

/** One notification, or one forwarded item, to be sent to one destination. */
export const delivery = noun(
  'delivery',
  {
    id: id(),
    messageId: text('Id of the message. It is the same for all attempts, so a receiver can detect duplicates.', {
      readOnly: true,
    }),
    channel: text(`Channel: ${CHANNEL_KINDS.join(', ')}.`, { readOnly: true }),
    destinationId: key('Id of the destination. Null if there was no address to send to.', { readOnly: true }),
    target: text(
      'URL of a webhook or push service, ARN of a queue, Telegram chat, ntfy topic, `smtp` for the mail server, or `broker` for the MQTT broker.',
      { readOnly: true },
    ),
    address: text('Recipient at the target: an e-mail address or an MQTT topic.', { readOnly: true }),
    what: text(
      'Content: `notification`, `newLoc`, `newReading`, `newMsg`, `correction`, `subscription` (for a program with MQTT credentials), `digest`, `test`, `account` (a mail about an account) or `report` (a saved report).',
      {
        readOnly: true,
      },
    ),
    deviceId: key('Id of the device.', { readOnly: true }),
    notificationId: key('Id of the notification it sends.', { readOnly: true }),
    forwarderId: key('Id of the forwarder that created it.', { readOnly: true }),
    digestId: key('Id of the digest it was sent with.', { readOnly: true }),
    userId: key('Id of the user it belongs to.', { readOnly: true }),
    status: text(
      '`queued`, `sending`, `sent`, `dead` (failed permanently), `cancelled`, or `suppressed` (not sent). See `reason`.',
      { readOnly: true },
    ),
    reason: text('Why it is queued, dead, cancelled or suppressed.', { readOnly: true }),
    reasonDetails: object('The reason for programs: `code`, and its values by name. Null if it has no code.', {
      readOnly: true,
      'x-kind': 'json',
    }),
    attempts: integer('Number of attempts.', { readOnly: true }),
    attemptLog,
    created: time('When it was created.', { readOnly: true }),
    nextAt: time('Earliest time of the next attempt.', { readOnly: true }),
    ended: time('When it was sent, failed permanently, or was cancelled or suppressed.', { readOnly: true }),
  },
  { always: ['messageId', 'channel', 'what', 'userId', 'status', 'attempts', 'created', 'nextAt'] },
);

/** One address of a channel, with its own health state. */
export const destination = noun(
  'destination',
  {
    id: id(),
    kind: text(`Channel: ${CHANNEL_KINDS.join(', ')}.`, { readOnly: true }),
    target: text(
      'URL of a webhook or push service, ARN of a queue, Telegram chat, ntfy topic, `smtp` for the mail server, or `broker` for the MQTT broker.',
      { readOnly: true },
    ),
    userId: key("Id of the user it belongs to. Null for the operator's mail server and broker.", { readOnly: true }),
    state: text(
      '`up`; `down`: retried at intervals, deliveries stay queued until it is back; `off`: switched off because it answered that it no longer exists.',
      { readOnly: true },
    ),
    waiting: integer('Number of queued deliveries.', { readOnly: true }),
    lag: integer('Age of the oldest queued delivery, in seconds. Null if none is queued.', { readOnly: true }),
    dead: integer('Number of dead deliveries in the last 30 days.', { readOnly: true }),
    lastSuccess: time('When a delivery last succeeded.', { readOnly: true }),
    lastError: text('The last error.', { readOnly: true }),
    lastErrorDetails: object('The last error for programs: `code`, and its values by name.', {
      readOnly: true,
      'x-kind': 'json',
    }),
    lastErrorAt: time('Time of the last error.', { readOnly: true }),
    downSince: time('When it went down or was switched off.', { readOnly: true }),
    nextTryAt: time('Time of the next attempt while it is down.', { readOnly: true }),
    created: time('When it was first used.', { readOnly: true }),
  },
  { always: ['kind', 'target', 'state', 'waiting', 'dead', 'created'] },
);

const resending = noun(
  'resending',
  {
    from: time('Start of the range: deliveries created at this time or later.'),
    to: time('End of the range: deliveries created before this time.'),
    destinationId: key('Limit to this destination.'),
    status: Type.Enum([...RESENT_STATUSES], {
      description: 'Which deliveries to resend: `dead` or `sent`. E-mail that was sent can only be resent one by one.',
      default: 'dead',
    }),
  },
  { required: ['from', 'to'], always: ['from', 'to', 'status'], sentAs: 'resending' },
);

const channelTest = noun(
  'channel test',
  {
    delivery: object('Channels, as in a trigger.'),
    parameters: object('Addresses of the channels, as in the parameters of a trigger.', { default: {} }),
  },
  { required: ['delivery'], sentAs: 'channel test' },
);

const secret = Type.Object(
  {
    secret: Type.String({
      description: 'Signing secret, `whsec_…`, in the format of the Standard Webhooks libraries.',
      ...SHOWN_ONCE,
    }),
  },
  { title: 'webhook secret' },
);

const deliveries = '/users/{id}/deliveries';
const destinations = '/users/{id}/destinations';
const one = answerOf(delivery);

export const deliveryOperations = {
  listDeliveries: list(delivery, deliveries, 'self', {
    description: 'Sent deliveries are stored for 7 days, all others for 30 days.',
  }),
  countDeliveries: count(delivery, deliveries, 'self'),
  listNotificationDeliveries: list(delivery, '/notifications/{id}/deliveries', 'user', {
    summary: 'List the deliveries of a notification',
    description: 'Users see the deliveries of their own notifications, admins all.',
  }),
  resendDelivery: operation('POST', `${deliveries}/{fk}/resend`, 'self', {
    summary: 'Resend a delivery',
    description:
      'Queues a dead or sent delivery again, with the same `messageId`. A queued delivery is attempted as soon as possible.',
    answer: one,
  }),
  resendDeliveries: operation('POST', `${deliveries}/resend`, 'self', {
    summary: 'Resend all deliveries of a time range',
    description: 'Returns the number of deliveries that were queued again.',
    body: { noun: resending, mode: 'create' },
    answer: Type.Object(
      { count: Type.Integer({ description: 'Number of deliveries queued again.' }) },
      { title: 'resent deliveries' },
    ),
  }),
  cancelDelivery: operation('POST', `${deliveries}/{fk}/cancel`, 'self', {
    summary: 'Cancel a queued delivery',
    answer: one,
  }),
  listDestinations: list(destination, destinations, 'self'),
  getDestination: read(destination, `${destinations}/{fk}`, 'self'),
  reopenDestination: operation('POST', `${destinations}/{fk}/reopen`, 'self', {
    summary: 'Retry a destination now',
    description: 'Also switches on a destination that is `off`.',
    answer: answerOf(destination),
  }),
  testDelivery: operation('POST', `${destinations}/{fk}/test`, 'self', {
    summary: 'Send a test message to a destination',
    answer: one,
  }),
  testChannels: operation('POST', `${deliveries}/test`, 'self', {
    versions: ['v2'],
    summary: 'Send a test message by channels',
    description:
      'Sends a test to everyone that a trigger with these channels and addresses would notify. Returns one delivery for each address, and one with its `reason` for each channel without a recipient.',
    body: { noun: channelTest, mode: 'create' },
    answer: Type.Array(one, { title: 'deliveries of a test' }),
    example: { body: { delivery: { email: true } } },
  }),
  getWebhookSecret: operation('GET', `${destinations}/{fk}/secret`, 'self', {
    summary: 'Get the signing secret of a webhook',
    description: "Admins cannot read another user's secret.",
    answer: secret,
  }),
  rotateWebhookSecret: operation('POST', `${destinations}/{fk}/rotateSecret`, 'self', {
    summary: 'Replace the signing secret of a webhook',
    description:
      "For 24 hours, messages are signed with both the old and the new secret. Admins cannot replace another user's secret.",
    answer: secret,
  }),
  listAllDestinations: list(destination, '/destinations', 'admin', {
    summary: "List the destinations of all users and the operator's own servers",
  }),
  reopenAnyDestination: operation('POST', '/destinations/{id}/reopen', 'admin', {
    summary: 'Retry any destination now',
    description: "Includes the destinations of all users and the operator's own servers.",
    answer: answerOf(destination),
  }),
};
