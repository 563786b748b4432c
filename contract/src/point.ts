import { Type } from 'typebox';
import { count, create, list, read, remove, removeAll, update } from './operation.ts';
import { id, integer, key, noun, number, place, text, time } from './schema.ts';

export const LOCATION_TYPES = ['gps', 'wifi', 'gsm', 'invalid'] as const;

/** A position, or, without a location, a status report: heard, but no fix. */
export const point = noun(
  'point',
  {
    id: id(),
    deviceId: key('The device that was there.', { readOnly: true }),
    timestamp: time('When the device was there; the time of reception where absent.'),
    location: place('Where; absent in a status report.'),
    speed: number('km/h.', { minimum: 0, maximum: 100_000 }),
    altitude: number('Metres above sea level.'),
    course: number('Degrees clockwise from north.', { minimum: 0, maximum: 360 }),
    accuracy: number('Radius in metres within which it is with 68 % probability.', { minimum: 0 }),
    locationType: Type.Enum([...LOCATION_TYPES], {
      description: 'How the location was found; gps where absent, invalid where there is no location.',
    }),
    sats: integer('Satellites used.', { minimum: 0 }),
    hdop: number('Horizontal dilution of precision.', { minimum: 0 }),
    batteryPct: number('Battery, percent.', { minimum: 0, maximum: 255 }),
    batteryVoltage: number('Battery, volts.'),
    averageCharge: integer('Charge; 255 = charging.', { minimum: 0, maximum: 255 }),
    sendReason: integer(
      'Bits: 1 wake, 2 sleep, 4 bluetooth lost, 8 outside safe zone, 16 motion, 32 started, 64 stopped, 128 stale position; 255 = check-in.',
      { minimum: 0, maximum: 255 },
    ),
    alertType: integer('Bits: 1 drop, 2 rotation, 4 jamming, 8 button, 16 generic, 32 ignition.', {
      minimum: 0,
      maximum: 255,
    }),
    mode: integer('0 awake, 1 asleep, 2 available, 6 flight.', { minimum: 0, maximum: 255 }),
    gsmSignal: number('Signal of the mobile network.'),
    address: text('The place in words.'),
    correlationId: text('The transmission it came with.', { maxLength: 200 }),
    created: time('When the service took it in.', { readOnly: true }),
  },
  { always: ['timestamp', 'locationType', 'created'] },
);

const path = '/devices/{id}/points';

export const pointOperations = {
  listPoints: list(point, path, 'view'),
  countPoints: count(point, path, 'view'),
  createPoint: create(point, path, 'manage'),
  getPoint: read(point, `${path}/{fk}`, 'view'),
  updatePoint: update(point, `${path}/{fk}`, 'manage'),
  deletePoint: remove(point, `${path}/{fk}`, 'own'),
  deletePoints: removeAll(point, path, 'own'),
};
