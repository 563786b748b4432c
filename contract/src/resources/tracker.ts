import { Type } from 'typebox';
import { answerOf, list, operation, remove } from '../operation.ts';
import { id, integer, key, list as listOf, noun, text, time } from '../schema.ts';
import { device } from './device.ts';

/** Trackers that speak a protocol of their own: who is not known, and what could not be read. */

const seen = {
  address: text('Address it last came from.', { readOnly: true }),
  firstAt: time('When it came for the first time.', { readOnly: true }),
  lastAt: time('When it came last.', { readOnly: true }),
  count: integer('How often it came.', { readOnly: true }),
};

/** Somebody who spoke to the listeners of trackers and may not report. */
export const knock = noun(
  'knock',
  {
    id: id(),
    protocol: text('Protocol it speaks.', { readOnly: true }),
    identity: text('How it names itself: mostly an IMEI.', { readOnly: true }),
    otherNames: listOf(Type.String(), 'Other names by which it may be known.', { readOnly: true, 'x-texts': true }),
    ...seen,
  },
  { always: ['protocol', 'identity', 'otherNames', 'address', 'firstAt', 'lastAt', 'count'] },
);

/** What a tracker sent and could not be read: the last of it, and how often. */
export const undecodedFrame = noun(
  'undecodedFrame',
  {
    id: id(),
    protocol: text('Protocol it speaks, or `unknown`.', { readOnly: true }),
    sender: text('The device, or how it names itself, or its address.', { readOnly: true }),
    problem: text('What was wrong.', { readOnly: true }),
    deviceId: key('Id of the device, if it is known.', { readOnly: true }),
    bytes: text('The beginning of the last of it, hexadecimal.', { maxLength: 1024, readOnly: true }),
    ...seen,
  },
  { always: ['protocol', 'sender', 'problem', 'address', 'firstAt', 'lastAt', 'count', 'bytes'] },
);

const taking = noun('knock', {
  name: text('Name of the device. Without one, its protocol and identity.', { maxLength: 200 }),
  userId: key('Id of the user who becomes the owner. Without one, the caller.'),
});

export const trackerOperations = {
  listKnocks: list(knock, '/knocks', 'admin', {
    summary: 'List trackers that knocked',
    description:
      'Devices that spoke to the listeners of trackers and may not report: they are not known, or may not report by their identity alone. The last 1 000.',
  }),
  takeInKnock: operation('POST', '/knocks/{id}/device', 'admin', {
    summary: 'Take in a tracker that knocked',
    description:
      'Creates a device with its identity that may report without its key. If there is one with that identity, it may do so from now on. What the tracker sends next is stored.',
    body: { noun: taking, mode: 'create' },
    answer: answerOf(device),
  }),
  deleteKnock: remove(knock, '/knocks/{id}', 'admin', {
    summary: 'Dismiss a tracker that knocked',
    description: 'It is listed again if it comes again.',
  }),
  listUndecodedFrames: list(undecodedFrame, '/undecoded-frames', 'admin', {
    summary: 'List what trackers sent and could not be read',
    description: 'For each sender and problem the last sample with its bytes, and how often it came. The last 2 000.',
  }),
};
