import { Type } from 'typebox';
import { answerOf, operation } from '../operation.ts';
import { key, noun, text, time } from '../schema.ts';

/** A device that is currently inside a geofence. */
export const inside = noun(
  'inside',
  {
    deviceId: key('Id of the device.', { readOnly: true }),
    name: text('Display name of the device.'),
    since: time('When the device entered, or was first known to be inside.'),
  },
  { always: ['deviceId', 'since'] },
);

export const insideOperations = {
  listDevicesInside: operation('GET', '/users/{id}/geofences/{fk}/inside', 'self', {
    summary: 'List the devices inside a geofence',
    description:
      'Owned and shared devices, ordered by the time they entered. After the shape of a geofence has changed, a device is listed only once it reports again.',
    answer: Type.Array(answerOf(inside)),
  }),
};
