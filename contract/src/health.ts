import { Type } from 'typebox';
import { operation } from './operation.ts';

const whole = (description: string) => Type.Integer({ minimum: 0, description });

const health = Type.Object(
  {
    version: Type.String({ description: 'Of the service.' }),
    startedAt: Type.String({ format: 'date-time', description: 'When this process began to serve.' }),
    uptime: whole('Seconds since then.'),
    engine: Type.Enum(['sqlite', 'postgres'], { description: 'Where the data is kept.' }),
    databaseBytes: whole('How much the database takes on its disk.'),
    memoryBytes: whole('How much memory this process holds.'),
    reportsPerMinute: whole('Reports of devices that this process took in the last minute.'),
    positionsPerMinute: whole('Positions that this process stored in the last minute.'),
    devices: whole('Devices that are not deleted.'),
    devicesOnline: whole('Those of them that were heard in the last 15 minutes.'),
    users: whole('Everyone who may sign in.'),
    outboxWaiting: whole('Deliveries that wait, those held back for quiet hours included.'),
    outboxDead: whole('Deliveries that were given up, in the last 30 days.'),
    destinationsDown: whole('Destinations that do not take what is sent to them.'),
    streams: whole('Live streams that this process serves now.'),
  },
  { title: 'health' },
);

export const healthOperations = {
  getHealth: operation('GET', '/health', 'admin', {
    summary: 'How the service is doing',
    description: 'Rates, memory and streams are those of the process that answers, where several share a database.',
    answer: health,
  }),
};
