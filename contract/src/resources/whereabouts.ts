import { Type } from 'typebox';
import { answerOf, operation } from '../operation.ts';
import { flag, key, list, noun, number, place, required, text, time } from '../schema.ts';
import { LOCATION_TYPES } from './point.ts';

/** The last known position and state of a device, as shown on a map. */
export const whereabouts = noun(
  'whereabouts',
  {
    deviceId: key('Id of the device.', { readOnly: true }),
    name: text('Display name.'),
    plate: text('Number plate of the vehicle.'),
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
      description: 'How the location was determined. `gateway`: by the gateways that received the device.',
    }),
    batteryPct: number('Last reported battery level in percent.'),
    lastConnection: time('When the device last reported.'),
    moving: flag('Whether the device is moving. Null if unknown.'),
  },
  { always: ['deviceId', 'right'] },
);

/** How far back the trail of a device goes on the map, in minutes. */
export const FLEET_TRAIL_MINUTES = 10;
/** A trail has one position per this many seconds. */
export const FLEET_TRAIL_STEP_S = 20;
/** Maximum number of trails in one response. */
export const MOST_TRAILS = 200;

export const trailPoint = noun(
  'trail point',
  {
    deviceId: key('Id of the device.', { readOnly: true }),
    location: place('Where it was.'),
    timestamp: time('When it was there.'),
  },
  { always: ['deviceId'] },
);

export const whereaboutsOperations = {
  listWhereabouts: operation('GET', '/users/{id}/whereabouts', 'self', {
    summary: "List the last known positions of a user's devices",
    description: 'Owned and shared devices, ordered by id. For an admin, all devices.',
    answer: Type.Array(answerOf(whereabouts)),
  }),
  listTrails: operation('GET', '/users/{id}/trails', 'self', {
    summary: 'List where devices have been in the last minutes',
    description: `The last position of each ${FLEET_TRAIL_STEP_S} seconds in the last ${FLEET_TRAIL_MINUTES} minutes, by device, the oldest first. Ids of devices that the user may not see are ignored.`,
    query: {
      deviceIds: required(
        list(Type.Integer({ minimum: 1, maximum: Number.MAX_SAFE_INTEGER }), 'Ids of devices.', {
          minItems: 1,
          maxItems: MOST_TRAILS,
        }),
      ),
    },
    answer: Type.Array(answerOf(trailPoint)),
  }),
};
