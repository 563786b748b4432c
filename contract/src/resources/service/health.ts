import { Type } from 'typebox';
import { operation } from '../../operation.ts';

const whole = (description: string) => Type.Integer({ minimum: 0, description });

const health = Type.Object(
  {
    node: Type.String({ description: 'Name of the node that answers.' }),
    version: Type.String({ description: 'Version of the service.' }),
    startedAt: Type.String({ format: 'date-time', description: 'When this process started.' }),
    uptime: whole('Seconds since the start.'),
    ready: Type.Boolean({ description: 'Whether the service can store what it acknowledges, as `/readyz` tells.' }),
    problems: Type.Array(
      Type.Object(
        {
          kind: Type.String({ description: 'full, damaged, gone, readOnly, disk, unavailable or busy.' }),
          isWarning: Type.Boolean({ description: 'Whether everything still works.' }),
          sentence: Type.String({ description: 'What is wrong, and what to do.' }),
        },
        { title: 'health problem' },
      ),
      { description: 'What is wrong with the database or its disk.' },
    ),
    diskFree: Type.Optional(whole('Free bytes on the disk of the data folder. Only with SQLite.')),
    diskTotal: Type.Optional(whole('Size of the disk of the data folder in bytes. Only with SQLite.')),
    engine: Type.Enum(['sqlite', 'postgres'], { description: 'Database that stores the data.' }),
    databaseBytes: whole('Size of the database in bytes.'),
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
    clockDoubt: Type.Union([Type.Integer(), Type.Null()], {
      description:
        "By how many seconds the server's clock is behind the clocks of most devices, negative if it is ahead. Null if they agree.",
    }),
  },
  { title: 'health' },
);

export const healthOperations = {
  getHealth: operation('GET', '/health', 'admin', {
    summary: 'Get the health of the service',
    description:
      'If several processes share a database, rates, memory and streams are those of the process that answers.',
    answer: health,
  }),
};
