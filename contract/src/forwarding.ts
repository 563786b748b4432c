import { Type } from 'typebox';
import { list, operation } from './operation.ts';
import { id, key, list as listOf, noun, type Sent, text, time } from './schema.ts';

/** What of a device can be forwarded. */
export const FORWARDED_TYPES = ['newLoc', 'newReading', 'newMsg', 'notification'] as const;
export const DEFAULT_FORWARDED_TYPES = ['newLoc', 'newReading'] as const;

export const forwarder = noun(
  'forwarder',
  {
    id: id(),
    deviceId: key('Whose data it forwards.', { readOnly: true }),
    userId: key('Who set it up.', { readOnly: true }),
    kind: text('The kind of target: sqs.', { readOnly: true }),
    target: text('Where to: the ARN of a queue.', { readOnly: true }),
    types: listOf(Type.String(), `What: ${FORWARDED_TYPES.join(', ')}.`, { readOnly: true, 'x-texts': true }),
    status: text('What became of it, in plain words.', { readOnly: true }),
    created: time('When it was set up.', { readOnly: true }),
  },
  { always: ['deviceId', 'userId', 'kind', 'target', 'types', 'status', 'created'] },
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
  listForwarders: list(forwarder, '/devices/{id}/forwarders', 'manage', {
    summary: 'List what forwards the data of a device',
    description: "A user sees their own, the owner of the device and admins everyone's.",
  }),
};
