import { Type } from 'typebox';
import { answerOf, count, create, list, operation, read, remove, removeAll, update } from '../operation.ts';
import { id, integer, key, noun, number, place, text, time } from '../schema.ts';

export const LOCATION_TYPES = ['gps', 'wifi', 'gsm', 'invalid', 'gateway'] as const;

const fields = {
  id: id(),
  deviceId: key('Id of the device.', { readOnly: true }),
  timestamp: time('Time of the position. Defaults to the time of reception.'),
  location: place('Location. Absent in a status report.'),
  speed: number('Speed in km/h.', { minimum: 0, maximum: 100_000 }),
  altitude: number('Altitude in metres above sea level.'),
  course: number('Course in degrees clockwise from north.', { minimum: 0, maximum: 360 }),
  accuracy: number('Accuracy in metres: radius of the circle that contains the device with a probability of 68 %.', {
    minimum: 0,
  }),
  locationType: Type.Enum([...LOCATION_TYPES], {
    title: 'location type',
    description:
      'How the location was determined. `gateway`: by the gateways that received the device. Defaults to `gps`, or to `invalid` without a location.',
  }),
  sats: integer('Number of satellites used.', { minimum: 0 }),
  hdop: number('Horizontal dilution of precision. `-1` is accepted as unknown.', { minimum: 0, 'x-unknown': -1 }),
  batteryPct: number('Battery level in percent.', { minimum: 0, maximum: 255 }),
  batteryVoltage: number('Battery voltage in volts.'),
  averageCharge: integer('Average charge. 255 means charging.', { minimum: 0, maximum: 255 }),
  sendReason: integer(
    'Why it was sent. Bits: 1 wake, 2 sleep, 4 Bluetooth lost, 8 outside safe zone, 16 motion, 32 started, 64 stopped, 128 stale position. 255 means check-in.',
    { minimum: 0, maximum: 255 },
  ),
  alertType: integer('Alerts. Bits: 1 drop, 2 rotation, 4 jamming, 8 button, 16 generic, 32 ignition.', {
    minimum: 0,
    maximum: 255,
  }),
  mode: integer('Mode of the device: 0 awake, 1 asleep, 2 available, 6 flight.', { minimum: 0, maximum: 255 }),
  gsmSignal: number('Signal strength of the mobile network, as reported.'),
  address: text('Postal address of the location.'),
  correlationId: text('Id of the transmission it was part of.', { maxLength: 200 }),
  stringValue: text(
    'Text of the device. If it is a number from 0 to 255, an error code: 13 sent too long ago, 30 system, 31 hard fault, 32 no network, 33 network denied, 34 no fix in time, 35 fix skipped, 36 corrections missing, 251 too much power, 252 button reset, 253 health reset, 254 woke from deep sleep, 255 meant reset.',
    { maxLength: 1000 },
  ),
  currentUsed: number('Charge used for this transmission, in µAh.', { minimum: 0 }),
  num_value: text('Number of the device, stored as sent.', { maxLength: 100 }),
  created: time('When the service received it.', { readOnly: true }),
};
const ALWAYS = { always: ['timestamp', 'locationType', 'created'] } as const;

/** A position. Without a location it is a status report: the device reported, but had no fix. */
export const point = noun('point', fields, ALWAYS);

const cellPart = (description: string) => Type.Optional(Type.Integer({ description }));

/** A position as version 2 shows it. */
export const pointV2 = noun(
  'position',
  {
    ...fields,
    cell: Type.Object(
      {
        mcc: cellPart('Mobile country code.'),
        mnc: cellPart('Mobile network code.'),
        lac: cellPart('Location area or tracking area.'),
        cid: cellPart('Number of the cell in the area.'),
        rssi: cellPart('Signal strength, as reported.'),
      },
      { title: 'serving cell', description: 'Cell of the mobile network that served the device.', readOnly: true },
    ),
  },
  ALWAYS,
);

/** A gateway that received the device and was used to compute its position. */
export const countedGateway = Type.Object(
  {
    gatewayId: Type.Integer({ description: 'Id of the gateway.' }),
    name: Type.Union([Type.String(), Type.Null()], {
      description: 'Name of the gateway. Null if the caller may not see it.',
    }),
    timestamp: Type.String({ format: 'date-time', description: 'When the gateway received the device.' }),
    rssi: Type.Union([Type.Number(), Type.Null()], { description: 'Signal strength in dBm.' }),
    distance: Type.Number({ description: 'Distance in metres, by the signal or as measured.' }),
    weight: Type.Number({ description: 'Weight from 0 to 1. The weights add up to 1.' }),
  },
  { title: 'counted gateway' },
);

const path = '/devices/{id}/points';

export const pointOperations = {
  listPoints: list(point, path, 'view', {
    summary: "List a device's positions",
    description:
      'By `timestamp`, then by id, unless `order` says otherwise. A range of `timestamp` is limited to its latest 90 days.',
  }),
  countPoints: count(point, path, 'view', { summary: "Count a device's positions" }),
  createPoint: create(point, path, 'manage', { summary: 'Create a position' }),
  getPoint: read(point, `${path}/{fk}`, 'view', { summary: 'Get a position' }),
  listPointsV2: list(pointV2, path, 'view', {
    versions: ['v2'],
    summary: "List a device's positions",
    description: 'As in version 1, with the serving cell.',
  }),
  getPointV2: read(pointV2, `${path}/{fk}`, 'view', { versions: ['v2'], summary: 'Get a position' }),
  explainPoint: operation('GET', `${path}/{fk}/explain`, 'view', {
    summary: 'Explain a position',
    description: 'Returns the gateways that located a position of the type `gateway`. Other positions have none.',
    answer: Type.Object(
      {
        point: { ...answerOf(point), description: 'The position.' },
        gateways: Type.Array(countedGateway, {
          description: 'Gateways that received the device in the minute before, the highest weight first.',
        }),
        sentence: Type.String({ description: 'How the position was found, as a sentence.' }),
      },
      { title: 'position explanation' },
    ),
  }),
  updatePoint: update(point, `${path}/{fk}`, 'manage', { summary: 'Update a position' }),
  deletePoint: remove(point, `${path}/{fk}`, 'own', { summary: 'Delete a position' }),
  deletePoints: removeAll(point, path, 'own', { summary: 'Delete all positions of a device' }),
};
