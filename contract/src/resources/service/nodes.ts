import { Type } from 'typebox';
import { operation } from '../../operation.ts';

const whole = (description: string) => Type.Integer({ minimum: 0, description });
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
      description:
        'A node is gone once it has stopped, or nothing was heard of it for 15 seconds. It is listed for an hour.',
    }),
    startedAt: time('When it started.'),
    seenAt: time('When it last told the others of itself, by the clock of the database.'),
    seenAgo: whole('Seconds since then.'),
    goneAt: Type.Union([time('When it stopped, or was found to be gone.'), Type.Null()]),
    lag: whole('By how many milliseconds its work was late, at most, in the last two seconds.'),
    clockAhead: Type.Integer({
      description:
        'By how many seconds the clock of its machine is ahead of that of the database, negative if behind. Nothing is decided by it.',
    }),
    reportsPerMinute: whole('Device reports it received in the last minute.'),
    positionsPerMinute: whole('Positions it stored in the last minute.'),
    streams: whole('Number of its open live streams.'),
    memoryBytes: whole('Memory it uses in bytes.'),
    owns: Type.Array(
      Type.Object(
        {
          what: Type.String({ description: '`destinations`, `replays`, `housekeeping` or `broker`.' }),
          count: whole('How many of it.'),
        },
        { title: 'node work' },
      ),
      { description: 'What no other node does at the moment.' },
    ),
  },
  { title: 'node' },
);

export const nodeOperations = {
  listNodes: operation('GET', '/nodes', 'admin', {
    summary: 'List the nodes of the service',
    description: 'All processes that share the database, the oldest first. With SQLite there is one.',
    answer: Type.Array(node),
  }),
};
