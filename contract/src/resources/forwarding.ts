import { Type } from 'typebox';
import { MACHINE_CHANNELS } from '../channels.ts';
import { count, create, list, operation, read, remove, update } from '../operation.ts';
import { flag, id, integer, key, list as listOf, noun, type Sent, text, time } from '../schema.ts';

/** The kinds of data that can be forwarded. */
export const FORWARDED_TYPES = ['newLoc', 'newReading', 'newMsg', 'notification'] as const;
export const DEFAULT_FORWARDED_TYPES = ['newLoc', 'newReading'] as const;

/** At most this many forwarders per device. */
export const MOST_FORWARDERS = 20;

const fields = {
  id: id(),
  deviceId: key('Id of the device whose data it forwards.', { readOnly: true }),
  userId: key('Id of the user who created it.', { readOnly: true }),
  kind: Type.Enum([...MACHINE_CHANNELS], {
    description: `Channel: ${MACHINE_CHANNELS.join(', ')}. Cannot be changed.`,
  }),
  target: text(
    'ARN of a queue, URL of a webhook, or MQTT topic below `users/{userId}/`. Defaults to `users/{userId}/devices/{deviceId}` for `mqtt`.',
    { minLength: 1, maxLength: 2048 },
  ),
  types: listOf(Type.String(), `Data to forward: ${FORWARDED_TYPES.join(', ')}.`, {
    'x-texts': true,
    maxItems: 20,
    default: [...DEFAULT_FORWARDED_TYPES],
  }),
  raw: flag(
    'Whether to send messages without the envelope, as application/json. MQTT messages never have an envelope.',
    { default: false },
  ),
  corrections: flag('Whether to send a correction when a notification is retracted.', {
    default: false,
  }),
  active: flag('Whether the forwarder is switched on.', { default: true }),
  status: text('Current state as a sentence.', { readOnly: true }),
  waiting: integer('Number of queued messages.', { readOnly: true }),
  lag: integer('Age of the oldest message queued for this destination, in seconds. Null if none is queued.', {
    readOnly: true,
  }),
  lastSuccess: time('When a message last reached the destination.', { readOnly: true }),
  lastError: text('The last error of the destination.', { readOnly: true }),
  created: time('When it was created.', { readOnly: true }),
};
const rules = {
  required: ['kind'],
  always: [
    'deviceId',
    'userId',
    'kind',
    'target',
    'types',
    'raw',
    'corrections',
    'active',
    'status',
    'waiting',
    'created',
  ],
} as const;

/** Sends everything a device reports, and its notifications, on to a webhook, a queue or MQTT. */
export const forwarder = noun('forwarder', fields, rules);

const newForwarder = noun(
  'forwarder',
  {
    ...fields,
    secret: text('Signing secret of a webhook, in the Standard Webhooks format. Null for other kinds.', {
      readOnly: true,
    }),
  },
  rules,
);

/** A queue belongs to the first user who used it. An admin can allow other users. */
export const queue = noun(
  'queue',
  {
    id: id(),
    arn: text('The ARN of the queue.', { readOnly: true }),
    userId: key('Id of the user it belongs to: the first who used it, or the one an admin has set.'),
    allowed: listOf(Type.Integer({ minimum: 1 }), 'Ids of the other users who may use it.', { maxItems: 1000 }),
    created: time('When it was first used.', { readOnly: true }),
  },
  { always: ['arn', 'userId', 'created'] },
);

const forwardingSetup = noun('forwarding', {
  sqsArn: text(
    'Full ARN of the queue: `arn:aws:sqs:region:account:name`. An empty value switches forwarding off. If absent, nothing changes.',
    {
      maxLength: 300,
    },
  ),
  types: Type.Union([Type.String(), Type.Array(Type.String())], {
    description: `Data to forward, as a JSON array or a comma-separated list of ${FORWARDED_TYPES.join(', ')}. Defaults to ${DEFAULT_FORWARDED_TYPES.join(' and ')}.`,
  }),
});

export type ForwardingSetup = Sent<typeof forwardingSetup>;

const path = '/devices/{id}/setupSqsForwarding';
const forwarders = '/devices/{id}/forwarders';
const answer = Type.Object(
  { status: Type.String({ description: '`ok`, or `off` if nothing is forwarded.' }) },
  { title: 'forwarding result' },
);

export const forwardingOperations = {
  setupSqsForwarding: operation('GET', path, 'manage', {
    summary: 'Set queue forwarding for a device',
    description:
      'This GET request changes data, so the token is accepted only in a header. Each device has one such forwarder: another ARN or other types replace it. Repeating the same call changes nothing.',
    query: forwardingSetup.fields,
    answer,
    changes: true,
  }),
  setupSqsForwardingByPost: operation('POST', path, 'manage', {
    summary: 'Set queue forwarding for a device (POST)',
    description: 'Same as the GET operation, with a JSON body.',
    body: { noun: forwardingSetup, mode: 'create' },
    answer,
  }),
  listForwarders: list(forwarder, forwarders, 'manage', {
    description: 'The owner of the device and admins see all forwarders, other users only their own.',
  }),
  countForwarders: count(forwarder, forwarders, 'manage'),
  createForwarder: create(newForwarder, forwarders, 'manage', {
    description: `A device can have at most ${MOST_FORWARDERS} forwarders. For a webhook, the response contains the signing secret.`,
  }),
  getForwarder: read(forwarder, `${forwarders}/{fk}`, 'manage'),
  updateForwarder: update(forwarder, `${forwarders}/{fk}`, 'manage', {
    description:
      'Changes only the fields that are sent. Only the user who created the forwarder, or an admin, can change `target` and `types`.',
  }),
  deleteForwarder: remove(forwarder, `${forwarders}/{fk}`, 'manage', {
    description: 'Queued messages are cancelled.',
  }),
  listQueues: list(queue, '/queues', 'admin', { summary: 'List the queues in use and their owners' }),
  updateQueue: update(queue, '/queues/{id}', 'admin', {
    summary: 'Set the owner and the allowed users of a queue',
    description:
      'The forwarders of users who may no longer use the queue are switched off, and their queued messages are cancelled.',
  }),
};
