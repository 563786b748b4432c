import { type TSchema, Type } from 'typebox';
import { answerOf, list, operation, remove } from '../operation.ts';
import { flag, id, integer, key, list as listOf, noun, number, place, text, time } from '../schema.ts';
import { device } from './device.ts';

/** Trackers with their own protocol: unknown ones, and undecodable frames. */

const seen = {
  address: text('Address that it was last seen at.', { readOnly: true }),
  firstAt: time('When it was first seen.', { readOnly: true }),
  lastAt: time('When it was last seen.', { readOnly: true }),
  count: integer('Number of times it was seen.', { readOnly: true }),
};

/** An unknown tracker, or one that may not report by its identity alone. */
export const unknownTracker = noun(
  'unknownTracker',
  {
    id: id(),
    protocol: text('Its protocol.', { readOnly: true }),
    identity: text('How it identifies itself, usually an IMEI.', { readOnly: true }),
    otherNames: listOf(Type.String(), 'Other possible identifiers.', { readOnly: true, 'x-texts': true }),
    deviceId: key(
      'Id of the device with this identity, which may not report without its key, or waits for approval of the identity.',
      { readOnly: true },
    ),
    deviceName: text('Name of that device.', { readOnly: true }),
    ...seen,
  },
  { always: ['protocol', 'identity', 'otherNames', 'address', 'firstAt', 'lastAt', 'count'] },
);

/** An undecodable frame of a tracker: the last sample, and how often it occurred. */
export const undecodedFrame = noun(
  'undecodedFrame',
  {
    id: id(),
    protocol: text('Its protocol, or `unknown`.', { readOnly: true }),
    sender: text('The device, or how it identifies itself, or its address.', { readOnly: true }),
    problem: text('The problem.', { readOnly: true }),
    deviceId: key('Id of the device, if it is known.', { readOnly: true }),
    bytes: text('The beginning of the last sample, hexadecimal.', { maxLength: 1024, readOnly: true }),
    ...seen,
  },
  { always: ['protocol', 'sender', 'problem', 'address', 'firstAt', 'lastAt', 'count', 'bytes'] },
);

const taking = noun('unknownTracker', {
  name: text('Name of the device. Without one, its protocol and identity.', { maxLength: 200 }),
  userId: key('Id of the user who becomes the owner. Without one, the user who claims the identity, else the caller.'),
});

const sample = noun(
  'tracker sample',
  {
    data: text('What a tracker sent: hexadecimal digits, or text.', { minLength: 1, maxLength: 8192 }),
  },
  { required: ['data'], always: ['data'], sentAs: 'tracker sample' },
);

const orNull = <T extends TSchema & { readonly description?: string }>(schema: T) =>
  Type.Union([schema, Type.Null()], { description: schema.description ?? '' });

const identified = Type.Object(
  {
    protocol: orNull(text('Name of the protocol. Null if it is not known.')),
    wellKnownPort: orNull(integer('Port that trackers with this protocol often use.')),
    problem: orNull(
      Type.Enum(['unknown', 'incomplete', 'unreadable'], {
        description:
          'The problem: `unknown`, no protocol begins with these bytes; `incomplete`, no frame is complete; `unreadable`, see `reasons`.',
      }),
    ),
    reasons: listOf(Type.String(), 'Why frames, or parts of them, could not be decoded.'),
    identities: listOf(Type.String(), 'How the tracker identifies itself, usually an IMEI.'),
    positions: listOf(
      Type.Object(
        {
          timestamp: orNull(time('Time of the position. Null if the tracker gives none.')),
          location: place('Where it was.'),
          isValid: flag('Whether the tracker had a fix. If not, this is its last known place.'),
          speed: orNull(number('Speed in km/h.')),
          alarms: listOf(Type.String(), 'Alarms that it raised.'),
        },
        { title: 'decoded position' },
      ),
      'Positions in the sample, at most 100.',
    ),
  },
  { title: 'identified tracker' },
);

export const trackerOperations = {
  identifyTracker: operation('POST', '/trackers/identify', 'user', {
    summary: 'Identify the protocol of a sample',
    description:
      'Decodes a sample as the listeners of trackers would, and stores nothing. Models and time zones of devices are not taken into account.',
    body: { noun: sample, mode: 'create' },
    answer: identified,
    isRepeatable: true,
    example: {
      body: {
        data: '78780d010359999000000011000121a40d0a7878222215070d0a2805c405a1f4a0016bec102414000106010000000000000000000760290d0a',
      },
      answer: {
        protocol: 'gt06',
        wellKnownPort: 5023,
        problem: null,
        reasons: [],
        identities: ['359999000000011'],
        positions: [
          {
            timestamp: '2021-07-13T10:40:05.000Z',
            location: { lat: 52.5, lng: 13.25 },
            isValid: true,
            speed: 36,
            alarms: [],
          },
        ],
      },
    },
  }),
  listUnknownTrackers: list(unknownTracker, '/unknownTrackers', 'admin', {
    summary: 'List unknown trackers',
    description:
      'Trackers that connected but may not report: they are not registered, or may not report with their identity alone. The last 1 000.',
  }),
  addUnknownTracker: operation('POST', '/unknownTrackers/{id}/device', 'admin', {
    summary: 'Add an unknown tracker',
    description:
      'Creates a device with its identity that may report without its key. If there is one with that identity, it may do so from now on; if a user claims the identity, that claim is approved. What the tracker sends next is stored.',
    body: { noun: taking, mode: 'create' },
    answer: answerOf(device),
  }),
  deleteUnknownTracker: remove(unknownTracker, '/unknownTrackers/{id}', 'admin', {
    summary: 'Dismiss an unknown tracker',
    description: 'It is listed again if it connects again.',
  }),
  listUndecodedFrames: list(undecodedFrame, '/undecoded-frames', 'admin', {
    summary: 'List data from trackers that could not be decoded',
    description:
      'The last sample for each sender and problem, with its bytes and the number of occurrences. The last 2 000.',
  }),
};
