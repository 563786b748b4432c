import { Type } from 'typebox';
import { operation } from '../../operation.ts';
import { integer } from '../../schema.ts';

export const RETENTION_KINDS = [
  'positions',
  'thinned',
  'readings',
  'trips',
  'notifications',
  'checkpoints',
  'ruleVersions',
] as const;

const days = (description: string) => integer(description, { minimum: 0, maximum: 36_500 });

/** For how many days history is stored, as settings say it. */
const KEPT = {
  keepPositions: 'Days for which positions are stored.',
  keepReadings: 'Days for which readings are stored.',
  keepTrips: 'Days for which trips and stops are stored.',
  keepNotifications: 'Days for which notifications are stored.',
  keepCheckpoints: 'Days for which former states of devices and ended versions of rules are stored.',
  thinAfter: 'Days after which positions are thinned to one in 30 seconds.',
};

const whole = (description: string) => Type.Integer({ minimum: 0, description });
const timeOrNull = (description: string) =>
  Type.Union([Type.String({ format: 'date-time' }), Type.Null()], { description });

const preview = Type.Object(
  {
    kept: Type.Object(
      {
        keepPositions: whole(`${KEPT.keepPositions} 0: forever.`),
        keepReadings: whole(`${KEPT.keepReadings} 0: forever.`),
        keepTrips: whole(`${KEPT.keepTrips} 0: forever.`),
        keepNotifications: whole(`${KEPT.keepNotifications} 0: forever.`),
        keepCheckpoints: whole(`${KEPT.keepCheckpoints} 0: forever.`),
        thinAfter: whole(`${KEPT.thinAfter} 0: never.`),
      },
      { title: 'kept days', description: 'The days that were counted with.' },
    ),
    removed: Type.Array(
      Type.Object(
        {
          kind: Type.Enum([...RETENTION_KINDS], {
            title: 'retention kind',
            description: 'What it is. `thinned`: positions that thinning would drop, estimated.',
          }),
          count: whole('How many would be removed.'),
          bytes: whole('About how many bytes they take.'),
          oldest: timeOrNull('Time of the oldest. Null if there are none.'),
          newest: timeOrNull('Time of the newest. Null if there are none.'),
        },
        { title: 'removable history' },
      ),
      { description: 'What would be removed by now, of all devices. The newest of each device stays nevertheless.' },
    ),
  },
  { title: 'retention preview' },
);

export const retentionOperations = {
  previewRetention: operation('GET', '/retention/preview', 'admin', {
    summary: 'Preview what would be forgotten',
    description:
      'What settings would remove if they were changed to these days. Days that are not given are those of the server. Nothing is removed.',
    query: {
      keepPositions: days(KEPT.keepPositions),
      keepReadings: days(KEPT.keepReadings),
      keepTrips: days(KEPT.keepTrips),
      keepNotifications: days(KEPT.keepNotifications),
      keepCheckpoints: days(KEPT.keepCheckpoints),
      thinAfter: days(KEPT.thinAfter),
    },
    answer: preview,
  }),
};
