import { Type } from 'typebox';
import { operation } from '../operation.ts';
import { dateRange, key, list, noun, place, text, timeOfDay } from '../schema.ts';

/** Reports about vehicles. Times are seconds, distances are metres. */

const zoneIds = (what: string) =>
  list(key('Id of a geofence.'), `Ids of the geofences that count as ${what}, instead of all of a type.`, {
    maxItems: 1000,
  });

export const reportRequest = noun(
  'report',
  {
    deviceId: key('Id of the device.'),
    dateRange: dateRange(
      'Range of time: `[from, to]`, both inclusive; at most 90 days, else the latest 90. Null means no bound.',
    ),
    parameters: Type.Object(
      {
        workZoneType: Type.Optional(text('`type` of the geofences that count as work. Defaults to `work`.')),
        maintenanceZoneType: Type.Optional(
          text('`type` of the geofences that count as maintenance. Defaults to `maintenance`.'),
        ),
        workZoneIds: Type.Optional(zoneIds('work')),
        maintenanceZoneIds: Type.Optional(zoneIds('maintenance')),
        tz: Type.Optional(text('Time zone of `workHours`, as an IANA name. Defaults to UTC.', { maxLength: 100 })),
        workHours: Type.Optional(
          Type.Object(
            {
              from: timeOfDay('Start, as "08:00".'),
              to: timeOfDay('End, as "17:00".'),
              days: Type.Optional(
                Type.Array(Type.Integer({ minimum: 0, maximum: 6 }), {
                  maxItems: 7,
                  description: 'Days of the week; 0 is Sunday. Defaults to all.',
                }),
              ),
            },
            { title: 'work hours', description: 'Only time within these hours counts as work.' },
          ),
        ),
      },
      { title: 'report parameters', description: 'What counts as work and as maintenance. Unknown names are ignored.' },
    ),
  },
  { required: ['deviceId', 'dateRange'], sentAs: 'report request' },
);

const seconds = (description: string) => Type.Number({ description: `${description}, in seconds.` });
const metres = (description: string) => Type.Number({ description: `${description}, in metres.` });
const orNull = (schema: ReturnType<typeof Type.Number>) =>
  Type.Union([schema, Type.Null()], { description: (schema as { description?: string }).description });
const inZones = (what: string, unit: typeof seconds) =>
  Type.Object(
    {
      total: unit('In all'),
      inWork: unit('In work zones'),
      inMaintenance: unit('In maintenance zones'),
    },
    {
      title: unit === seconds ? 'time in zones' : 'distance in zones',
      description: `${what}: in total, and in zones.`,
    },
  );

const range = {
  deviceId: Type.Integer({ description: 'Id of the device.' }),
  from: Type.String({ format: 'date-time', description: 'Start of the range.' }),
  to: Type.String({ format: 'date-time', description: 'End of the range.' }),
  known: Type.Object(
    { ignition: Type.Boolean({ description: 'Whether the range contains data about the ignition.' }) },
    { title: 'known facts', description: 'Which facts are known.' },
  ),
};

const vehicleSummary = Type.Object(
  {
    ...range,
    numTrips: Type.Integer({ description: 'Number of trips that touch the range.' }),
    totalDist: metres('Distance travelled'),
    totalTime: seconds('Travel time, idle time included'),
    avgDist: orNull(metres('Distance per trip')),
    avgTime: orNull(seconds('Time per trip')),
    maxSpeed: orNull(Type.Number({ description: 'Maximum speed in km/h; null without a trip.' })),
    idleTime: inZones('Time without moving, with the ignition on, or during a trip where that is unknown', seconds),
    distances: inZones('Distance', metres),
    movingTime: inZones('Time moving', seconds),
    offTimes: inZones('Time with the ignition off, or stopped where that is unknown', seconds),
    ignitionTime: orNull(seconds('Time with the ignition on; null where it is unknown throughout')),
    workTime: seconds('Time in work zones'),
    maintenanceTime: seconds('Time in maintenance zones'),
  },
  { title: 'vehicle summary' },
);

export const REPORTED_STATES = ['off', 'idle', 'movingWithIgnitionOn', 'movingWithIgnitionOff'] as const;

const stateSum = (description: string) =>
  Type.Object({ time: seconds('Time'), distance: metres('Distance') }, { title: 'state sum', description });

const activity = Type.Object(
  {
    ...range,
    off: stateSum('Not moving, ignition off; stopped where that is unknown.'),
    idle: stateSum('Not moving, ignition on; during a trip where that is unknown.'),
    movingWithIgnitionOn: stateSum('Moving. Where the ignition is unknown it counts as on.'),
    movingWithIgnitionOff: stateSum('Moving with the ignition off, as when towed.'),
    log: Type.Array(
      Type.Object(
        {
          state: Type.Enum([...REPORTED_STATES], { title: 'activity state', description: 'State of the vehicle.' }),
          start: Type.String({ format: 'date-time', description: 'Start.' }),
          end: Type.String({ format: 'date-time', description: 'End.' }),
          time: seconds('Time'),
          distance: metres('Distance'),
          startLocation: place('Where it began.'),
          endLocation: place('Where it ended.'),
        },
        { title: 'activity entry' },
      ),
      { description: 'One entry for each state, oldest first, at most 10 000.' },
    ),
    isComplete: Type.Boolean({ description: 'Whether the log has all entries.' }),
  },
  { title: 'activity' },
);

const body = { noun: reportRequest, mode: 'create' } as const;
const sent = { deviceId: 7, dateRange: ['2026-06-01T00:00:00.000Z', '2026-06-30T23:59:59.999Z'], parameters: {} };
const answered = {
  deviceId: 7,
  from: '2026-06-01T00:00:00.000Z',
  to: '2026-06-30T23:59:59.999Z',
  known: { ignition: true },
};
const ofNothing = { total: 0, inWork: 0, inMaintenance: 0 };

export const reportOperations = {
  vehicleSummary: operation('POST', '/reports/vehicle-summary', 'user', {
    summary: 'Summarize the activity of a vehicle',
    description:
      'Needs the right to view the device. Counts from the first fix in the range to its end, or to now: moving, idle and off time add up to that. Zones are the current geofences of the caller. The figures are accurate to one interval between fixes.',
    body,
    refuses: [404],
    answer: vehicleSummary,
    example: {
      body: sent,
      answer: {
        ...answered,
        numTrips: 1,
        totalDist: 12_000,
        totalTime: 900,
        avgDist: 12_000,
        avgTime: 900,
        maxSpeed: 62,
        idleTime: { total: 60, inWork: 60, inMaintenance: 0 },
        distances: { total: 12_000, inWork: 400, inMaintenance: 0 },
        movingTime: { total: 840, inWork: 45, inMaintenance: 0 },
        offTimes: ofNothing,
        ignitionTime: 900,
        workTime: 105,
        maintenanceTime: 0,
      },
    },
  }),
  vehicleActivity: operation('POST', '/reports/activity', 'user', {
    summary: 'List the activity of a vehicle',
    description:
      'Needs the right to view the device. Divides the time from the first fix in the range to its end, or to now, into consecutive states.',
    body,
    refuses: [404],
    answer: activity,
    example: {
      body: sent,
      answer: {
        ...answered,
        off: { time: 0, distance: 0 },
        idle: { time: 0, distance: 0 },
        movingWithIgnitionOn: { time: 840, distance: 12_000 },
        movingWithIgnitionOff: { time: 0, distance: 0 },
        log: [
          {
            state: 'movingWithIgnitionOn',
            start: '2026-06-01T08:00:00.000Z',
            end: '2026-06-01T08:14:00.000Z',
            time: 840,
            distance: 12_000,
            startLocation: { lat: 46.5, lng: 11.25 },
            endLocation: { lat: 46.6, lng: 11.25 },
          },
        ],
        isComplete: true,
      },
    },
  }),
};
