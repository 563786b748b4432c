import { Type } from 'typebox';
import { MACHINE_CHANNELS } from './channels.ts';
import { count, create, list, operation, read, remove, update } from './operation.ts';
import { flag, id, integer, key, list as listOf, noun, type Sent, text, time } from './schema.ts';

/** What of a device can be forwarded. */
export const FORWARDED_TYPES = ['newLoc', 'newReading', 'newMsg', 'notification'] as const;
export const DEFAULT_FORWARDED_TYPES = ['newLoc', 'newReading'] as const;

/** The most forwarders that a device may have. */
export const MOST_FORWARDERS = 20;

const fields = {
  id: id(),
  deviceId: key('Whose data it forwards.', { readOnly: true }),
  userId: key('Who set it up.', { readOnly: true }),
  kind: Type.Enum([...MACHINE_CHANNELS], { description: 'The kind of target. It never changes.' }),
  target: text(
    'Where to: the ARN of a queue, the address of a webhook, or a topic below users/{userId}/; for mqtt users/{userId}/devices/{deviceId} where absent.',
    { minLength: 1, maxLength: 2048 },
  ),
  types: listOf(Type.String(), `What: ${FORWARDED_TYPES.join(', ')}.`, {
    'x-texts': true,
    maxItems: 20,
    default: [...DEFAULT_FORWARDED_TYPES],
  }),
  raw: flag('Whether messages go without their envelope, as application/json; mqtt never has one.', { default: false }),
  corrections: flag('Whether it also sends a correction when a notification turns out not to have happened.', {
    default: false,
  }),
  active: flag('Whether it is switched on.', { default: true }),
  status: text('What became of it, in plain words.', { readOnly: true }),
  waiting: integer('Messages that wait to be sent.', { readOnly: true }),
  lag: integer('Age of the oldest message that waits for this destination, in seconds; null while none does.', {
    readOnly: true,
  }),
  lastSuccess: time('When something last reached the destination.', { readOnly: true }),
  lastError: text('What last went wrong there.', { readOnly: true }),
  created: time('When it was set up.', { readOnly: true }),
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

/** Sends what a device says, and what happens to it, to a machine of the user's. */
export const forwarder = noun('forwarder', fields, rules);

const newForwarder = noun(
  'forwarder',
  {
    ...fields,
    secret: text('Of a webhook: the secret that signs its messages, as Standard Webhooks specifies.', {
      readOnly: true,
    }),
  },
  rules,
);

/** A queue belongs to the first account that used it; others need an admin's word. */
export const queue = noun(
  'queue',
  {
    id: id(),
    arn: text('The ARN of the queue.', { readOnly: true }),
    userId: key('Whose it is: the first account that used it, or whom an admin names.'),
    allowed: listOf(Type.Integer({ minimum: 1 }), 'Ids of other users who may use it.', { maxItems: 1000 }),
    created: time('When it was first used.', { readOnly: true }),
  },
  { always: ['arn', 'userId', 'created'] },
);

const forwardingSetup = noun('forwarding', {
  sqsArn: text('A full ARN: arn:aws:sqs:region:account:name. Empty switches forwarding off; absent changes nothing.', {
    maxLength: 300,
  }),
  types: Type.Union([Type.String(), Type.Array(Type.String())], {
    description: `A JSON array or a comma list out of ${FORWARDED_TYPES.join(', ')}; ${DEFAULT_FORWARDED_TYPES.join(' and ')} where absent.`,
  }),
});

export type ForwardingSetup = Sent<typeof forwardingSetup>;

const path = '/devices/{id}/setupSqsForwarding';
const forwarders = '/devices/{id}/forwarders';
const answer = Type.Object(
  { status: Type.String({ description: 'ok, or off while there is no forwarding.' }) },
  { title: 'forwarding result' },
);

export const forwardingOperations = {
  setupSqsForwarding: operation('GET', path, 'manage', {
    summary: 'Set queue forwarding for a device',
    description: 'A GET that changes something: it takes its token from a header only.',
    query: forwardingSetup.fields,
    answer,
    changes: true,
  }),
  setupSqsForwardingByPost: operation('POST', path, 'manage', {
    summary: 'Set queue forwarding for a device, by POST',
    body: { noun: forwardingSetup, mode: 'create' },
    answer,
  }),
  listForwarders: list(forwarder, forwarders, 'manage', {
    summary: 'List what forwards the data of a device',
    description: "A user sees their own, the owner of the device and admins everyone's.",
  }),
  countForwarders: count(forwarder, forwarders, 'manage'),
  createForwarder: create(newForwarder, forwarders, 'manage', {
    description: `At most ${MOST_FORWARDERS} for a device. The secret of a webhook is in the answer.`,
  }),
  getForwarder: read(forwarder, `${forwarders}/{fk}`, 'manage'),
  updateForwarder: update(forwarder, `${forwarders}/{fk}`, 'manage', {
    description:
      'Only the fields sent change. Where it leads and what it sends is changed by who set it up, or by an admin.',
  }),
  deleteForwarder: remove(forwarder, `${forwarders}/{fk}`, 'manage', {
    description: 'What it has not sent yet is cancelled.',
  }),
  listQueues: list(queue, '/queues', 'admin', { summary: 'List the queues in use, and whose they are' }),
  updateQueue: update(queue, '/queues/{id}', 'admin', {
    summary: 'Say whose a queue is, and who else may use it',
    description:
      'Forwarders of users who may not use it any more are switched off, and what waits of them is cancelled.',
  }),
};
