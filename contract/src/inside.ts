import { Type } from 'typebox';
import { answerOf, operation } from './operation.ts';
import { key, noun, text, time } from './schema.ts';

/** A device that is inside a geofence now. */
export const inside = noun(
  'inside',
  {
    deviceId: key('The device.', { readOnly: true }),
    name: text('What its people call it.'),
    since: time('When it was first known to be inside.'),
  },
  { always: ['deviceId', 'since'] },
);

export const insideOperations = {
  listDevicesInside: operation('GET', '/users/{id}/geofences/{fk}/inside', 'self', {
    summary: 'Who is inside a geofence now',
    description:
      'Devices that the user owns or is shared, by how long they are inside. A geofence that was drawn anew knows nobody until each device reports again.',
    answer: Type.Array(answerOf(inside)),
  }),
};
