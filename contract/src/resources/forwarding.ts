import { Type } from 'typebox';
import { MACHINE_CHANNELS } from '../channels.ts';
import { answerOf, count, create, list, operation, read, remove, update } from '../operation.ts';
import { QUEUE_ARN } from '../queue-arn.ts';
import { flag, id, integer, key, list as listOf, noun, object, type Sent, text, time } from '../schema.ts';

/** The kinds of data that can be forwarded. */
export const FORWARDED_TYPES = ['newLoc', 'newReading', 'newMsg', 'notification'] as const;
export const DEFAULT_FORWARDED_TYPES = ['newLoc', 'newReading'] as const;

/** Maximum number of forwarders per device. */
export const MOST_FORWARDERS = 20;

const forwardedType = Type.String({ title: 'forwarded type', 'x-members': FORWARDED_TYPES });
const FORWARDED_WORDS = `^(${FORWARDED_TYPES.join('|')})(,(${FORWARDED_TYPES.join('|')}))*$`;

const fields = {
  id: id(),
  deviceId: key('Id of the device whose data it forwards.', { readOnly: true }),
  userId: key('Id of the user who created it.', { readOnly: true }),
  kind: Type.Enum([...MACHINE_CHANNELS], {
    title: 'forwarder kind',
    description: `Channel: ${MACHINE_CHANNELS.join(', ')}. Cannot be changed.`,
  }),
  target: text(
    'ARN of a queue, URL of a webhook, or MQTT topic below `users/{userId}/`. Defaults to `users/{userId}/devices/{deviceId}` for `mqtt`.',
    { minLength: 1, maxLength: 2048 },
  ),
  types: listOf(forwardedType, `Data to forward: ${FORWARDED_TYPES.join(', ')}.`, {
    'x-texts': true,
    minItems: 1,
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
  state: text(
    'Current state: `switchedOff`, `stopped` (the destination no longer exists), `down`, `failing`, `ready` (nothing sent yet), `working`, `unconfigured` or `unproven`.',
    { readOnly: true },
  ),
  waiting: integer('Number of queued messages.', { readOnly: true }),
  lag: integer('Age of the oldest message queued for this destination, in seconds. Null if none is queued.', {
    readOnly: true,
  }),
  lastSuccess: time('When a message last reached the destination.', { readOnly: true }),
  lastError: text('The last error of the destination.', { readOnly: true }),
  lastErrorDetails: object('The last error for programs: `code`, and its values by name.', {
    readOnly: true,
    'x-kind': 'json',
  }),
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

/** Forwards everything that a device reports, and its notifications, to a webhook, a queue or MQTT. */
export const forwarder = noun('forwarder', fields, rules);

const newForwarder = noun(
  'forwarder',
  {
    ...fields,
    secret: text('Signing secret of a webhook, in the Standard Webhooks format. Null for other kinds.', {
      readOnly: true,
    }),
  },
  { ...rules, shownAs: 'forwarder with secret' },
);

/**
 * A queue belongs to the user who proved access to it, or else, if the operator allows it, to the first user who used
 * it. An admin can allow other users.
 */
export const queue = noun(
  'queue',
  {
    id: id(),
    arn: text('The ARN of the queue.', { readOnly: true }),
    userId: key('Id of the user it belongs to: the user who verified it, who used it first, or whom an admin has set.'),
    allowed: listOf(Type.Integer({ minimum: 1 }), 'Ids of the other users who may use it.', { maxItems: 1000 }),
    created: time('When it was first used.', { readOnly: true }),
    provenAt: time('When its user verified it, or an admin allowed it. Null if neither.', { readOnly: true }),
  },
  { always: ['arn', 'userId', 'created'] },
);

const arn = text('Full ARN of the queue: `arn:aws:sqs:region:account:name`.', {
  minLength: 1,
  maxLength: 300,
  'x-pattern': QUEUE_ARN.source,
});

const proofRequest = noun('queueProof', { arn }, { required: ['arn'], sentAs: 'queue proof request' });

const proof = noun(
  'queueProof',
  {
    arn,
    code: text('The code that arrived in the queue.', { minLength: 1, maxLength: 100 }),
  },
  { required: ['arn', 'code'], sentAs: 'queue proof' },
);

const forwardedTypes = `${FORWARDED_TYPES.join(', ')}. Defaults to ${DEFAULT_FORWARDED_TYPES.join(' and ')}.`;
const sqsArn = text(
  'Full ARN of the queue: `arn:aws:sqs:region:account:name`. An empty value switches forwarding off. If absent, nothing changes.',
  { maxLength: 300, 'x-pattern': `^$|${QUEUE_ARN.source}`, 'x-empty': true },
);
const forwardingSetup = noun(
  'forwarding',
  {
    sqsArn,
    types: Type.Union([Type.String({ pattern: FORWARDED_WORDS }), Type.Array(forwardedType, { minItems: 1 })], {
      description: `Data to forward, as a JSON array or a comma-separated list of ${forwardedTypes}`,
    }),
  },
  { sentAs: 'forwarding setup' },
);

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
      'This GET request changes data, so the token is accepted only in a header. Each device has one such forwarder: another ARN or other types replace it. Repeating the same call changes nothing. Only its own user and the owner of the device can change it. The forwarder sends once the queue is verified (`/queues/proofs`), or immediately if the operator allows it.',
    query: {
      sqsArn,
      types: listOf(forwardedType, `Data to forward: ${forwardedTypes}`, { maxItems: 20 }),
    },
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
  requestQueueProof: operation('POST', '/queues/proofs', 'user', {
    summary: 'Send a code to a queue, to verify that it is yours',
    description:
      'Nothing else is sent to a queue before its user has verified it, unless the operator allows it (`TRACKWAY_SQS_ALLOW`) or an admin uses it. The message is a JSON object with the field `code`, which is valid for an hour.',
    body: { noun: proofRequest, mode: 'create' },
    answer: Type.Object(
      {
        arn: Type.String({ description: 'The ARN of the queue.' }),
        expiresAt: Type.String({ description: 'Until when the code is valid.', format: 'date-time' }),
      },
      { title: 'requested queue proof' },
    ),
  }),
  proveQueue: operation('POST', '/queues/proofs/confirm', 'user', {
    summary: 'Verify a queue with the code that arrived in it',
    description:
      'The queue belongs to the caller from then on. The forwarders of others to it are switched off, and their queued messages are cancelled, except messages of admins.',
    body: { noun: proof, mode: 'create' },
    answer: answerOf(queue),
  }),
  listQueues: list(queue, '/queues', 'admin', { summary: 'List the queues in use and their owners' }),
  updateQueue: update(queue, '/queues/{id}', 'admin', {
    summary: 'Set the owner and the allowed users of a queue',
    description:
      'The forwarders of users who may no longer use the queue are switched off, and their queued messages are cancelled.',
  }),
};
