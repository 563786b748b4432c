import { Type } from 'typebox';
import { operation } from '../operation.ts';
import { key, list, noun, number, text, time } from '../schema.ts';
import { DRIVER_SCORE } from '../wording/driver-score.ts';
import { LANGUAGES } from '../wording/languages.ts';

export const FLEET_REPORTS = [
  'summary',
  'days',
  'trips',
  'stops',
  'visits',
  'speeding',
  'idling',
  'drivers',
  'utilisation',
  'readings',
  'notifications',
  'messages',
] as const;
export type FleetReportKind = (typeof FLEET_REPORTS)[number];

/** The columns of each report kind, in order. */
export const REPORT_COLUMNS = {
  summary: ['name', 'plate', 'trips', 'days', 'distance', 'duration', 'idle', 'maxSpeed', 'start', 'end'],
  days: ['day', 'name', 'plate', 'trips', 'distance', 'duration', 'idle', 'maxSpeed'],
  trips: [
    'name',
    'plate',
    'driver',
    'start',
    'end',
    'distance',
    'duration',
    'idle',
    'maxSpeed',
    'startLocation',
    'endLocation',
  ],
  stops: ['name', 'plate', 'start', 'end', 'duration', 'startLocation'],
  visits: ['name', 'plate', 'fence', 'start', 'end', 'duration'],
  speeding: ['name', 'plate', 'fence', 'start', 'end', 'duration', 'maxSpeed', 'limit', 'startLocation'],
  idling: ['name', 'plate', 'start', 'end', 'duration', 'startLocation'],
  drivers: ['driver', 'name', 'plate', 'score', 'trips', 'distance', 'duration', 'harsh', 'speeding', 'idle'],
  utilisation: ['day', 'name', 'plate', 'share', 'driving', 'idle', 'standing', 'ignition', 'distance'],
  readings: ['day', 'name', 'plate', 'type', 'count', 'min', 'mean', 'max'],
  notifications: ['name', 'plate', 'type', 'count', 'open', 'start', 'end'],
  messages: ['name', 'plate', 'type', 'count', 'start', 'end'],
} as const satisfies Record<FleetReportKind, readonly string[]>;
export type ReportColumn = (typeof REPORT_COLUMNS)[FleetReportKind][number];

/** Shorter times with the engine on are left out: they are rather traffic lights. */
export const LEAST_IDLING_MINUTES = 2;
/** Maximum number of days in a report. */
export const MOST_REPORT_DAYS = 93;
/** Maximum number of rows, and of devices. */
export const MOST_REPORT_ROWS = 20_000;
export const MOST_REPORT_DEVICES = 1000;
/** Maximum number of rows in a file: CSV is streamed, the others are created in memory. */
export const MOST_FILE_ROWS = { csv: 1_000_000, xlsx: 50_000, pdf: 2000 } as const;
/** The response header that says whether a spreadsheet or a PDF has all rows. */
export const REPORT_COMPLETE = 'X-Report-Complete';

export const reportKind = () =>
  Type.Enum([...FLEET_REPORTS], {
    title: 'fleet report kind',
    description:
      'What a row is: `summary` a device; `days` a day of a device with a trip; `trips` a trip; `stops` a stop; `visits` a stay in a geofence; `speeding` a period above a speed; `idling` a period with the engine on without moving; `drivers` a driver and a device; `utilisation` a day of a device; `readings` a day of a device and a type of reading; `notifications` a device and a type of trigger; `messages` a device and a direction.',
  });

/** The common fields of a report request and a saved report. */
export const reportChoices = {
  deviceIds: list(
    key('Id of a device.'),
    'Ids of the devices. All devices that the caller may view if neither this nor `groupId` nor `tag` is sent.',
    { maxItems: MOST_REPORT_DEVICES, minItems: 1 },
  ),
  groupId: key('Id of a group: its devices and the devices of its subgroups, instead of `deviceIds`.'),
  tag: text('A tag: the devices that have it, instead of `deviceIds`. Without a colon, any value of that name.', {
    minLength: 1,
    maxLength: 100,
  }),
  fenceIds: list(
    key('Id of a geofence.'),
    'Ids of geofences. For `visits`: the geofences that count; if absent, all that the caller sees. For `speeding`: only periods in one of them count; if absent, all periods.',
    { maxItems: 1000, minItems: 1 },
  ),
  limit: number(
    "Of `speeding` and `drivers`: the speed in km/h. If absent, the lowest limit of the caller's triggers of type `speed` on the device; devices without one are omitted.",
    { minimum: 1, maximum: 1000 },
  ),
};

const requested = {
  kind: reportKind(),
  ...reportChoices,
  from: time('Start of the range.'),
  to: time(`End of the range, at most ${MOST_REPORT_DAYS} days after its start.`),
  tz: text('Time zone of days, as an IANA name. Defaults to UTC.', { maxLength: 100 }),
};

const fleetReportRequest = noun('fleetReport', requested, {
  required: ['kind', 'from', 'to'],
  sentAs: 'fleet report request',
});

export const REPORT_FILES = ['csv', 'xlsx', 'pdf'] as const;
export type ReportFileFormat = (typeof REPORT_FILES)[number];

export const reportFileFormat = () =>
  Type.Enum([...REPORT_FILES], {
    title: 'report file format',
    description:
      'Format of the file. Its times are UTC in `csv`, and local times of the time zone in `xlsx` and `pdf`. A `pdf` has the units of the user.',
    default: 'csv',
  });

export const reportColumns = () =>
  list(
    Type.String({ maxLength: 40 }),
    'The fields of rows that become columns. If absent, the default columns of the kind.',
    {
      'x-texts': true,
      maxItems: 20,
      minItems: 1,
    },
  );

const fleetReportFileRequest = noun(
  'fleetReport',
  {
    ...requested,
    format: reportFileFormat(),
    columns: reportColumns(),
    language: Type.Enum([...LANGUAGES], {
      title: 'language',
      description: "Language of the columns. The caller's if absent.",
    }),
  },
  { required: ['kind', 'from', 'to'], sentAs: 'fleet report file request' },
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

const { harsh, speedingMinute, idleMinute, leastKm } = DRIVER_SCORE;
const SCORE = `Score of the driver, 0 to 100: 100 minus ${harsh} for each harsh event, ${speedingMinute} for each minute above the limit and ${idleMinute} for each idle minute, per 100 km. Null below ${leastKm} km. Of \`drivers\`.`;

const optional = <T extends Parameters<typeof Type.Optional>[0]>(schema: T) => Type.Optional(schema);

const row = Type.Object(
  {
    deviceId: Type.Integer({ description: 'Id of the device.' }),
    name: orNull(Type.String({ description: 'Name of the device.' })),
    plate: orNull(Type.String({ description: 'Number plate of its vehicle.' })),
    day: orNull(
      Type.String({ description: 'Date in the time zone of the report. Of `days`, `utilisation` and `readings`.' }),
    ),
    start: moment(
      'Start of the trip or stop; of `visits`, `speeding` and `idling`, of its part in the range; of `summary` and `drivers`, the start of the first trip; of `notifications` and `messages`, the first.',
    ),
    end: moment(
      'End of the trip or stop; of `visits`, `speeding` and `idling`, of its part in the range; of `summary` and `drivers`, the end of the last trip; of `notifications` and `messages`, the last.',
    ),
    trips: figure('Number of trips. Of `summary`, `days` and `drivers`.'),
    days: figure('Number of days with a trip. Of a `summary`.'),
    distance: figure('Distance in metres. For trips, their totals, and `utilisation`.'),
    duration: figure(
      'Duration in seconds: of all but a trip, the part within the range. Of `utilisation`, the part of the day in the range, until now.',
    ),
    idle: figure('Idle time in seconds. For trips, their totals, and `utilisation`.'),
    maxSpeed: figure(
      'Maximum speed in km/h. For trips, their totals, and `speeding`. Of `days`, a trip over midnight has its maximum speed in each of its days.',
    ),
    startLocation: spot('Where the trip began, the stop is, the engine was on, or the highest speed was.'),
    endLocation: spot('Where the trip ended.'),
    startPlace: optional(
      orNull(Type.String({ description: 'Name of the smallest geofence of the caller around `startLocation`.' })),
    ),
    endPlace: optional(
      orNull(Type.String({ description: 'Name of the smallest geofence of the caller around `endLocation`.' })),
    ),
    driverId: optional(figure('Id of the driver. Of `trips` and `drivers`; null if no driver was assigned.')),
    driver: optional(orNull(Type.String({ description: 'Name of the driver. Of `trips` and `drivers`.' }))),
    fenceId: optional(
      Type.Integer({
        description:
          'Id of the geofence. Of `visits`; of `speeding`, the smallest one of those asked for, else the smallest one with a name around the highest speed, if there is any.',
      }),
    ),
    fence: optional(orNull(Type.String({ description: 'Name of the geofence. Of `visits` and `speeding`.' }))),
    entered: optional(
      Type.Boolean({ description: 'Whether it entered at `start`; false if it was inside before. Of `visits`.' }),
    ),
    left: optional(Type.Boolean({ description: 'Whether it left at `end`; false if it stayed. Of `visits`.' })),
    limit: optional(Type.Number({ description: 'The speed limit in km/h. Of `speeding`.' })),
    harsh: optional(
      Type.Integer({ description: 'Number of alarms about harsh braking, acceleration or cornering. Of `drivers`.' }),
    ),
    speeding: optional(
      Type.Number({
        description:
          'Time above the limit, in seconds; 0 if neither the request nor a trigger has a limit. Of `drivers`.',
      }),
    ),
    score: optional(figure(SCORE)),
    driving: optional(Type.Number({ description: 'Time moving, in seconds. Of `utilisation`.' })),
    standing: optional(Type.Number({ description: 'Time neither moving nor idle, in seconds. Of `utilisation`.' })),
    ignition: optional(
      figure('Time with the ignition on, in seconds; null where it is unknown throughout the day. Of `utilisation`.'),
    ),
    share: optional(Type.Number({ description: 'Part of `duration` spent moving, 0 to 1. Of `utilisation`.' })),
    type: optional(
      Type.String({
        description:
          'Type of the readings, or of the triggers of the notifications; of `messages`, `toDevice` or `fromDevice`.',
      }),
    ),
    count: optional(Type.Integer({ description: 'How many. Of `readings`, `notifications` and `messages`.' })),
    open: optional(Type.Integer({ description: 'How many are not acknowledged. Of `notifications`.' })),
    min: optional(Type.Number({ description: 'Lowest value. Of `readings`.' })),
    mean: optional(Type.Number({ description: 'Mean of the values. Of `readings`.' })),
    max: optional(Type.Number({ description: 'Highest value. Of `readings`.' })),
  },
  { title: 'fleet report row' },
);

const answered = {
  deviceId: 7,
  name: 'Van',
  plate: null,
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
    description: `Activity of the devices that the caller may view, ordered by device and time. Totals count only what is in the range: a trip that crosses its edge, or midnight, is divided by its track, or by time if its positions were deleted. The current trip counts up to its last position, except in \`trips\`, which lists trips that have ended. Visits are computed with the current geofences. Visits and periods above a speed are accurate to one interval between fixes. Idling counts from ${LEAST_IDLING_MINUTES} minutes on. Only numeric readings count. Notifications are those of the caller. A limited token also needs the family of the requested data. At most ${MOST_REPORT_ROWS} rows.`,
    body: { noun: fleetReportRequest, mode: 'create' },
    answer: Type.Object(
      {
        kind: reportKind(),
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
  fleetReportFile: operation('POST', '/reports/fleet/file', 'user', {
    summary: 'Report on several devices as a file',
    description: `The same rows as a CSV, XLSX or PDF file. At most ${MOST_FILE_ROWS.csv} rows as CSV, of any number of devices, ${MOST_FILE_ROWS.xlsx} as XLSX, and ${MOST_FILE_ROWS.pdf} as PDF. Where rows are missing, the last line of the file says so; of XLSX and PDF, \`${REPORT_COMPLETE}: false\` does too. CSV is streamed.`,
    body: { noun: fleetReportFileRequest, mode: 'create' },
    answer: Type.Unsafe<Uint8Array<ArrayBuffer>>({ type: 'string', format: 'binary', description: 'The file.' }),
    media: 'file',
    mediaTypes: ['text/csv', 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet', 'application/pdf'],
    example: {
      body: { kind: 'days', ...range, tz: 'Europe/Berlin', format: 'csv' },
      answer: 'Day,Device,Trips,Distance (m)\r\n2026-06-01,Van,2,24000\r\n',
    },
  }),
};
