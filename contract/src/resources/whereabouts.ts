import { Type } from 'typebox';
import { answerOf, operation } from '../operation.ts';
import { flag, key, list, noun, number, place, text, time } from '../schema.ts';
import { LOCATION_TYPES } from './point.ts';

/** The last known position and state of a device, as shown on a map. */
export const whereabouts = noun(
  'whereabouts',
  {
    deviceId: key('Id of the device.', { readOnly: true }),
    name: text('Display name.'),
    color: text('Colour on the map.'),
    type: text('Device type.'),
    icon: text('What it is shown as: `icon` in `meta` of the device.'),
    tags: list(Type.String(), 'Labels.', { 'x-texts': true }),
    right: Type.Enum(['view', 'manage', 'own'], {
      title: 'device right',
      description: 'Right of the user on the device.',
    }),
    location: place('Last known location. Null if unknown.'),
    timestamp: time('Time of the position.'),
    speed: number('Speed in km/h.'),
    course: number('Course in degrees clockwise from north.'),
    accuracy: number('Accuracy in metres: radius of the circle that contains the device with a probability of 68 %.'),
    locationType: Type.Enum([...LOCATION_TYPES], {
      title: 'location type',
      description: 'How the location was determined. `gateway`: by the gateways that heard the device.',
    }),
    batteryPct: number('Last reported battery level in percent.'),
    lastConnection: time('When the device last reported.'),
    moving: flag('Whether the device is moving. Null if unknown.'),
  },
  { always: ['deviceId', 'right'] },
);

export const whereaboutsOperations = {
  listWhereabouts: operation('GET', '/users/{id}/whereabouts', 'self', {
    summary: "List the last known positions of a user's devices",
    description: 'Owned and shared devices, ordered by id. For an admin, all devices.',
    answer: Type.Array(answerOf(whereabouts)),
  }),
};
