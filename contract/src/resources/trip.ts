import { Type } from 'typebox';
import { answerOf, count, list, operation } from '../operation.ts';
import { id, integer, key, noun, number, object, place, text, time } from '../schema.ts';
import { shownWith } from '../shown-with.ts';
import { DRIVEN_BY } from './fleet-tools/driver.ts';

/** The time a device moves, from one stop to the next. */
export const trip = noun(
  'trip',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    start: time('Start of the trip.', { readOnly: true }),
    end: time('End of the trip.', { readOnly: true }),
    distance: number('Distance in metres.', { readOnly: true }),
    duration: number('Duration in seconds.', { readOnly: true }),
    idle: number('Time without movement during the trip, in seconds.', { readOnly: true }),
    maxSpeed: number('Maximum speed in km/h.', { readOnly: true }),
    averageSpeed: number('Average speed in km/h.', { readOnly: true }),
    startLocation: place('Start of the trip.', { readOnly: true }),
    endLocation: place('End of the trip.', { readOnly: true }),
    startPointId: key('Id of the first position.', { readOnly: true }),
    endPointId: key('Id of the last position.', { readOnly: true }),
  },
  { always: ['deviceId', 'start', 'end', 'distance', 'duration', 'idle', 'maxSpeed', 'averageSpeed'] },
);

export const stop = noun(
  'stop',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    start: time('Start of the stop.', { readOnly: true }),
    end: time('End of the stop.', { readOnly: true }),
    duration: number('Duration in seconds.', { readOnly: true }),
    location: place('Mean location of the fixes during the stop.', { readOnly: true }),
  },
  { always: ['deviceId', 'start', 'end', 'duration', 'location'] },
);

/** An implausible item of a report, stored with the reason. */
export const quarantined = noun(
  'quarantined report',
  {
    id: id(),
    deviceId: key('Id of the device.', { readOnly: true }),
    list: text('List of the report that contained the item: `points`, `readings`, `gatewayReadings` or `messages`.', {
      readOnly: true,
    }),
    report: object('The item as reported.', { readOnly: true, 'x-kind': 'json' }),
    reason: text('Why it was quarantined.', { readOnly: true }),
    reasonCode: text('The reason for programs. Null if it has no code.', { readOnly: true }),
    created: time('When it was received.', { readOnly: true }),
  },
  { always: ['deviceId', 'list', 'reason', 'created'] },
);

const day = Type.Object(
  {
    day: Type.String({ format: 'date', description: 'Date in the requested time zone.' }),
    trips: Type.Integer({ description: 'Number of trips that overlap the day.' }),
    distance: Type.Number({ description: 'Distance within the day, in metres.' }),
    duration: Type.Number({ description: 'Time on trips within the day, in seconds.' }),
    idle: Type.Number({ description: 'Idle time within the day, in seconds.' }),
    maxSpeed: Type.Number({ description: 'Maximum speed in km/h.' }),
  },
  { title: 'day summary' },
);

export const EXPORT_FORMATS = ['gpx', 'geojson', 'kml', 'csv'] as const;
export type ExportFormat = (typeof EXPORT_FORMATS)[number];

const range = {
  from: time('Start of the range. Defaults to 90 days before its end.'),
  to: time('End of the range. Defaults to now.'),
};

const drivenTrip = shownWith(trip, 'trip', DRIVEN_BY);

export const tripOperations = {
  listTrips: operation('GET', '/devices/{id}/trips', 'view', {
    summary: "List a device's trips",
    description:
      'Returns the trips that overlap the range, oldest first. The driver is the one who was assigned for most of the trip, as known at the time of the request.',
    query: range,
    answer: Type.Array(drivenTrip),
  }),
  listStops: operation('GET', '/devices/{id}/stops', 'view', {
    summary: "List a device's stops",
    description: 'Returns the stops that overlap the range, oldest first.',
    query: range,
    answer: Type.Array(answerOf(stop)),
  }),
  summarizeDays: operation('GET', '/devices/{id}/days', 'view', {
    summary: "Summarize a device's trips by day",
    description: 'A trip that spans midnight counts in each day with its part of that day.',
    query: { ...range, tz: text('Time zone, as an IANA name. Defaults to UTC.', { maxLength: 100 }) },
    answer: Type.Array(day),
  }),
  exportTrack: operation('GET', '/devices/{id}/export', 'view', {
    summary: "Export a device's positions",
    description: 'Returns the positions of the range as a file. The size is not limited.',
    query: {
      ...range,
      format: Type.Enum([...EXPORT_FORMATS], {
        title: 'export format',
        description: 'File format. Defaults to `gpx`.',
      }),
    },
    answer: Type.String({ description: 'The file.' }),
    media: 'text',
    mediaTypes: ['application/gpx+xml', 'application/geo+json', 'application/vnd.google-earth.kml+xml', 'text/csv'],
    example: {
      answer:
        '<?xml version="1.0" encoding="UTF-8"?>\n<gpx version="1.1" creator="Trackway" xmlns="http://www.topografix.com/GPX/1/1"><trk><trkseg><trkpt lat="46.4983" lon="11.3548"><time>2026-06-01T12:00:00.000Z</time></trkpt></trkseg></trk></gpx>\n',
    },
  }),
  listQuarantine: list(quarantined, '/devices/{id}/quarantine', 'view', {
    summary: "List a device's quarantined items",
    description: 'Implausible items, with the reason.',
  }),
  countQuarantine: count(quarantined, '/devices/{id}/quarantine', 'view', {
    summary: "Count a device's quarantined items",
  }),
};

export const TRY_DAYS = integer('Number of days to look back, at most 30.', { minimum: 1, maximum: 30, default: 7 });
