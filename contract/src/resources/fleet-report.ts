import { Type } from 'typebox';
import { operation } from '../operation.ts';
import { key, list, noun, text, time } from '../schema.ts';

export const FLEET_REPORTS = ['summary', 'days', 'trips', 'stops'] as const;
export type FleetReportKind = (typeof FLEET_REPORTS)[number];

/** A report covers at most this many days. */
export const MOST_REPORT_DAYS = 93;
/** At most this many rows, and devices. */
export const MOST_REPORT_ROWS = 20_000;
export const MOST_REPORT_DEVICES = 1000;

const fleetReportRequest = noun(
  'fleetReport',
  {
    kind: Type.Enum([...FLEET_REPORTS], {
      title: 'fleet report kind',
      description:
        'What a row is: `summary` a device, `days` a day of a device with a trip, `trips` a trip, `stops` a stop.',
    }),
    deviceIds: list(key('Id of a device.'), 'Ids of the devices. All that the caller may view if absent.', {
      maxItems: MOST_REPORT_DEVICES,
      minItems: 1,
    }),
    from: time('Start of the range.'),
    to: time(`End of the range, at most ${MOST_REPORT_DAYS} days after its start.`),
    tz: text('Time zone of days, as an IANA name. Defaults to UTC.', { maxLength: 100 }),
  },
  { required: ['kind', 'from', 'to'], sentAs: 'fleet report request' },
);

const orNull = <T extends ReturnType<typeof Type.Number> | ReturnType<typeof Type.String>>(schema: T) =>
  Type.Union([schema, Type.Null()], { description: (schema as { description?: string }).description });
const figure = (description: string) => orNull(Type.Number({ description }));
const moment = (description: string) => orNull(Type.String({ format: 'date-time', description }));
const spot = (description: string) =>
  Type.Union(
    [
      Type.Object(
        {
          lat: Type.Number({ description: 'Latitude in degrees.' }),
          lng: Type.Number({ description: 'Longitude in degrees.' }),
        },
        { title: 'report location' },
      ),
      Type.Null(),
    ],
    { description },
  );

const row = Type.Object(
  {
    deviceId: Type.Integer({ description: 'Id of the device.' }),
    name: orNull(Type.String({ description: 'Name of the device.' })),
    day: orNull(Type.String({ description: 'Date in the time zone of the report. Of `days`.' })),
    start: moment('Start of the trip or stop; of a `summary`, the first moment under way.'),
    end: moment('End of the trip or stop; of a `summary`, the last moment under way.'),
    trips: figure('Number of trips. Of `summary` and `days`.'),
    days: figure('Number of days with a trip. Of a `summary`.'),
    distance: figure('Distance in metres. Null for a stop.'),
    duration: figure('Duration in seconds: of a stop and of sums, the part within the range.'),
    idle: figure('Idle time in seconds. Null for a stop.'),
    maxSpeed: figure('Maximum speed in km/h. Null for a stop.'),
    startLocation: spot('Where the trip began, or the stop is.'),
    endLocation: spot('Where the trip ended.'),
  },
  { title: 'fleet report row' },
);

const answered = {
  deviceId: 7,
  name: 'Van',
  day: '2026-06-01',
  start: null,
  end: null,
  trips: 2,
  days: null,
  distance: 24_000,
  duration: 1800,
  idle: 60,
  maxSpeed: 62,
  startLocation: null,
  endLocation: null,
};
const range = { from: '2026-06-01T00:00:00.000Z', to: '2026-07-01T00:00:00.000Z' };

export const fleetReportOperations = {
  fleetReport: operation('POST', '/reports/fleet', 'user', {
    summary: 'Report on several devices',
    description: `Trips, stops and their sums of the devices that the caller may view, ordered by device and time. Sums count what lies in the range: a trip over its edge, or over midnight, by the share of its time. At most ${MOST_REPORT_ROWS} rows.`,
    body: { noun: fleetReportRequest, mode: 'create' },
    answer: Type.Object(
      {
        kind: Type.Enum([...FLEET_REPORTS], { title: 'fleet report kind', description: 'What a row is.' }),
        from: Type.String({ format: 'date-time', description: 'Start of the range.' }),
        to: Type.String({ format: 'date-time', description: 'End of the range.' }),
        rows: Type.Array(row, { description: 'The rows.' }),
        isComplete: Type.Boolean({ description: 'Whether these are all rows.' }),
      },
      { title: 'fleet report' },
    ),
    example: {
      body: { kind: 'days', ...range, tz: 'Europe/Berlin' },
      answer: { kind: 'days', ...range, rows: [answered], isComplete: true },
    },
  }),
};
