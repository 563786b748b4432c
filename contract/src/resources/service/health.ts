import { Type } from 'typebox';
import { operation } from '../../operation.ts';

const whole = (description: string) => Type.Integer({ minimum: 0, description });

const slots = (description: string) => Type.Array(whole('A slot, from 0 to 63.'), { description });

const health = Type.Object(
  {
    node: Type.String({ description: 'Name of the node that answers.' }),
    version: Type.String({ description: 'Version of the service.' }),
    newerVersion: Type.Union([Type.String(), Type.Null()], {
      description: 'The newest version, if the setting `TRACKWAY_UPDATES_URL` names one that is newer. Else null.',
    }),
    startedAt: Type.String({ format: 'date-time', description: 'When this process started.' }),
    uptime: whole('Seconds since the start.'),
    ready: Type.Boolean({ description: 'Whether the service can store what it acknowledges, as in `/readyz`.' }),
    problems: Type.Array(
      Type.Object(
        {
          kind: Type.String({
            description: 'full, damaged, gone, readOnly, disk, unavailable, busy, upgrade, certificate or proxy.',
          }),
          isWarning: Type.Boolean({ description: 'Whether everything still works.' }),
          sentence: Type.String({ description: 'The problem, and what to do.' }),
        },
        { title: 'health problem' },
      ),
      {
        description: 'Problems with the database, its disk, the TLS certificate or the proxy in front of the server.',
      },
    ),
    diskFree: Type.Optional(whole('Free bytes on the disk of the data folder. Only with SQLite.')),
    diskTotal: Type.Optional(whole('Size of the disk of the data folder in bytes. Only with SQLite.')),
    engine: Type.Enum(['sqlite', 'postgres'], { description: 'Database that stores the data.' }),
    databaseBytes: whole('Size of the database in bytes.'),
    bytesPerDay: Type.Union([Type.Integer(), Type.Null()], {
      description: 'By how many bytes the database grew a day, in the last two weeks. Null in the first day.',
    }),
    diskFullOn: Type.Union([Type.String({ format: 'date-time' }), Type.Null()], {
      description:
        'When the disk of the data folder will be full at this growth. Null if unknown or far in the future.',
    }),
    memoryBytes: whole('Memory used by this process in bytes.'),
    reportsPerMinute: whole('Device reports received by this process in the last minute.'),
    positionsPerMinute: whole('Positions stored by this process in the last minute.'),
    devices: whole('Number of devices, not counting deleted ones.'),
    devicesOnline: whole('Number of devices that reported in the last 15 minutes.'),
    users: whole('Number of users.'),
    outboxWaiting: whole('Number of queued deliveries, including those held for quiet hours.'),
    outboxDead: whole('Number of dead deliveries in the last 30 days.'),
    destinationsDown: whole('Number of destinations that are down.'),
    streams: whole('Number of open live streams of this process.'),
    lag: whole('Maximum delay of the work of this process in the last two seconds, in milliseconds.'),
    slots: slots('Slots whose timers this process runs: all 64 unless other nodes share the database.'),
    clockDoubt: Type.Union([Type.Integer(), Type.Null()], {
      description:
        "By how many seconds the server's clock is behind the clocks of most devices, negative if it is ahead. Null if they agree.",
    }),
  },
  { title: 'health' },
);

const time = (description: string) => Type.String({ format: 'date-time', description });

const node = Type.Object(
  {
    id: Type.String({ description: 'New at each start.' }),
    name: Type.String({
      description: 'Name of the node: the setting `TRACKWAY_NODE_NAME`, or the name of its machine.',
    }),
    version: Type.String({ description: 'Version of the service that it runs.' }),
    address: Type.String({ description: 'Address that it listens at.' }),
    isThis: Type.Boolean({ description: 'Whether it is the node that answers.' }),
    state: Type.Enum(['up', 'gone'], {
      description: 'A node is gone once it has stopped, or has not reported for 15 seconds. It is listed for an hour.',
    }),
    startedAt: time('When it started.'),
    seenAt: time('When it last reported to the others, by the clock of the database.'),
    seenAgo: whole('Seconds since then.'),
    goneAt: Type.Union([time('A time.'), Type.Null()], {
      description: 'When it stopped, or was found to be gone. Null while it runs.',
    }),
    lag: whole('Maximum delay of its work in the last two seconds, in milliseconds.'),
    clockAhead: Type.Integer({
      description:
        'By how many seconds the clock of its machine is ahead of that of the database, negative if behind. Nothing depends on it.',
    }),
    reportsPerMinute: whole('Device reports it received in the last minute.'),
    positionsPerMinute: whole('Positions it stored in the last minute.'),
    streams: whole('Number of its open live streams.'),
    memoryBytes: whole('Memory it uses in bytes.'),
    slots: slots('Slots whose timers it runs. The slot of a device follows from the hash of its id.'),
    owns: Type.Array(
      Type.Object(
        {
          what: Type.String({ description: '`slots`, `destinations`, `replays`, `housekeeping` or `broker`.' }),
          count: whole('How many of it.'),
        },
        { title: 'node work' },
      ),
      { description: 'Work that only this node does at the moment.' },
    ),
  },
  { title: 'node' },
);

export const healthOperations = {
  getHealth: operation('GET', '/health', 'admin', {
    summary: 'Get the health of the service',
    description: 'If several processes share a database, rates, memory and streams refer to the process that answers.',
    answer: health,
  }),
  listNodes: operation('GET', '/nodes', 'admin', {
    summary: 'List the nodes of the service',
    description: 'All processes that share the database, the oldest first. With SQLite there is one.',
    answer: Type.Array(node),
  }),
};
