import { Type } from 'typebox';
import { answerOf, count, list, operation } from './operation.ts';
import { id, integer, key, noun, number, object, place, text, time } from './schema.ts';

/** A trip from where the device rested to where it rested again. */
export const trip = noun(
  'trip',
  {
    id: id(),
    deviceId: key('The device.', { readOnly: true }),
    start: time('When it set off.', { readOnly: true }),
    end: time('When it came to rest.', { readOnly: true }),
    distance: number('Metres.', { readOnly: true }),
    duration: number('Seconds.', { readOnly: true }),
    idle: number('Seconds within it at which it did not move.', { readOnly: true }),
    maxSpeed: number('km/h.', { readOnly: true }),
    averageSpeed: number('km/h.', { readOnly: true }),
    startLocation: place('Where it set off.', { readOnly: true }),
    endLocation: place('Where it came to rest.', { readOnly: true }),
    startPointId: key('The position it begins with.', { readOnly: true }),
    endPointId: key('The position it ends with.', { readOnly: true }),
  },
  { always: ['deviceId', 'start', 'end', 'distance', 'duration', 'idle', 'maxSpeed', 'averageSpeed'] },
);

export const stop = noun(
  'stop',
  {
    id: id(),
    deviceId: key('The device.', { readOnly: true }),
    start: time('When it came to rest.', { readOnly: true }),
    end: time('When it set off.', { readOnly: true }),
    duration: number('Seconds.', { readOnly: true }),
    location: place('Where: the mean of its fixes there.', { readOnly: true }),
  },
  { always: ['deviceId', 'start', 'end', 'duration', 'location'] },
);

/** What could not be right and was set aside, with the reason. */
export const quarantined = noun(
  'quarantined report',
  {
    id: id(),
    deviceId: key('The device.', { readOnly: true }),
    list: text('Which list of the report it stood in.', { readOnly: true }),
    report: object('What the device said.', { readOnly: true, 'x-kind': 'json' }),
    reason: text('Why it was set aside.', { readOnly: true }),
    created: time('When it came.', { readOnly: true }),
  },
  { always: ['deviceId', 'list', 'reason', 'created'] },
);

const day = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'In the asked time zone.' }),
    trips: Type.Integer({ description: 'Trips that touch the day.' }),
    distance: Type.Number({ description: 'Metres within the day.' }),
    duration: Type.Number({ description: 'Seconds under way within the day.' }),
    idle: Type.Number({ description: 'Seconds idle within the day.' }),
    maxSpeed: Type.Number({ description: 'km/h.' }),
  },
  { title: 'day summary' },
);

export const EXPORT_FORMATS = ['gpx', 'geojson', 'kml', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const range = {
  from: time('Start of the range; 90 days before its end where absent.'),
  to: time('End of the range; now where absent.'),
};

export const tripOperations = {
  listTrips: operation('GET', '/devices/{id}/trips', 'view', {
    summary: 'Trips of a device that touch a range, newest last',
    query: range,
    answer: Type.Array(answerOf(trip)),
  }),
  listStops: operation('GET', '/devices/{id}/stops', 'view', {
    summary: 'Stops of a device that touch a range, newest last',
    query: range,
    answer: Type.Array(answerOf(stop)),
  }),
  summarizeDays: operation('GET', '/devices/{id}/days', 'view', {
    summary: 'Day by day: trips, distance, time under way',
    description: 'A trip over midnight counts in each day with the part inside it.',
    query: { ...range, tz: text('IANA name of a time zone; UTC where absent.', { maxLength: 100 }) },
    answer: Type.Array(day),
  }),
  exportTrack: operation('GET', '/devices/{id}/export', 'view', {
    summary: 'The positions of a range as a file, whatever its size',
    query: {
      ...range,
      format: Type.Enum([...EXPORT_FORMATS], { description: 'gpx, geojson, kml or csv; gpx where absent.' }),
    },
    answer: Type.String({ description: 'The file.' }),
    media: 'text',
  }),
  listQuarantine: list(quarantined, '/devices/{id}/quarantine', 'view', {
    summary: 'What a device reported that could not be right',
  }),
  countQuarantine: count(quarantined, '/devices/{id}/quarantine', 'view'),
};

export const TRY_DAYS = integer('How many days back, at most 30.', { minimum: 1, maximum: 30, default: 7 });
