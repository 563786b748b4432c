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

/** Retention of history in days, as set in the settings. */
const KEPT = {
  keepPositions: 'Retention of positions in days.',
  keepReadings: 'Retention of readings in days.',
  keepTrips: 'Retention of trips and stops in days.',
  keepNotifications: 'Retention of notifications in days.',
  keepCheckpoints: 'Retention of the device state history and of ended versions of rules, in days.',
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
      { title: 'kept days', description: 'The days that were used.' },
    ),
    removed: Type.Array(
      Type.Object(
        {
          kind: Type.Enum([...RETENTION_KINDS], {
            title: 'retention kind',
            description: 'What it is. `thinned`: positions that thinning would drop, estimated.',
          }),
          count: whole('How many would be deleted.'),
          bytes: whole('About how many bytes they take.'),
          oldest: timeOrNull('Time of the oldest. Null if there are none.'),
          newest: timeOrNull('Time of the newest. Null if there are none.'),
        },
        { title: 'removable history' },
      ),
      { description: 'What would be deleted today, for all devices. The newest of each device is always kept.' },
    ),
  },
  { title: 'retention preview' },
);

export const retentionOperations = {
  previewRetention: operation('GET', '/retention/preview', 'admin', {
    summary: 'Preview what retention would delete',
    description:
      'What would be deleted today with these settings. Missing values default to the settings of the server. Nothing is deleted.',
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
