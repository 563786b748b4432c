import type { Handlers } from '../../calls.ts';
import type { Pace } from '../../platform/pace.ts';
import type { CarryProgress } from '../positions/carry-over.ts';
import type { ForgettingProgress } from '../retention/forget-history.ts';
import type { OwnedSlots } from '../schema/owned-slots.ts';
import type { Store } from '../schema/tables.ts';
import { fullSoon, type Growth, noGrowth } from './growth.ts';
import { VERSION } from './info.ts';
import { listedSlots } from './nodes/slot-clocks.ts';
import type { Readiness } from './readiness.ts';

/** A device that has not reported for longer does not count as online. */
const ONLINE_MS = 15 * 60_000;

export interface TrackerFigures {
  /** Open connections, by protocol. */
  readonly connections: ReadonlyMap<string, number>;
  /** Connections that there was no room for, since the start. */
  readonly refused: number;
  /** Frames that could not be read since the start, by protocol. */
  readonly undecoded: ReadonlyMap<string, number>;
}

export interface Vitals {
  readonly startedAt: number;
  readonly reports: Pace;
  readonly positions: Pace;
  /** The slots whose clocks this process keeps. */
  readonly owned: OwnedSlots;
  /** By how many milliseconds its work was late lately. */
  lagMs(): number;
  /** Number of open live streams. */
  streams(): number;
  ready(): Promise<Readiness>;
  /** What is known of connected trackers. */
  trackers?(): TrackerFigures;
  /** How far positions of an earlier version are carried over; undefined where none are. */
  carrying?(): CarryProgress | undefined;
  /** How far the forgetting of old history has come. */
  forgetting?(): ForgettingProgress;
  /** How fast the database grows. */
  growth?(): Promise<Growth>;
  /** How many reports wait to be stored. */
  intakeWaiting?(): number;
  /** How far the clock of this server seems to be wrong, in seconds. */
  clockDoubtS?(): number;
  /** By how many milliseconds the clock is behind most devices, negative where it is ahead; null without doubt. */
  clockOffsetMs?(): number | null;
}

const secondsOf = (ms: number | null) => (ms === null ? null : Math.round(ms / 1000));

export const DATABASE_BYTES = {
  sqlite: 'SELECT page_count * page_size AS "bytes" FROM pragma_page_count(), pragma_page_size()',
  postgres: 'SELECT pg_database_size(current_database()) AS "bytes"',
};

/** Said while positions of an earlier version are carried over. */
function upgradeOf(carrying: CarryProgress | undefined) {
  if (carrying === undefined) return [];
  const percent = Math.floor((100 * carrying.done) / Math.max(1, carrying.of));
  const sentence = `Positions of an earlier version are being carried over: ${percent} % of ${carrying.of}. Everything works meanwhile.`;
  return [{ kind: 'upgrade', isWarning: true, sentence }];
}

/** The health of the service, for operators. Each number is a count over an index or comes from memory. */
export function healthOperations(store: Store, vitals: Vitals, nodeName: string): Handlers<'getHealth'> {
  const counts = store.prepare<Record<string, number>>(
    'health.counts',
    `SELECT
       (SELECT COUNT(*) FROM "devices" WHERE "deletedAt" IS NULL) AS "devices",
       (SELECT COUNT(*) FROM "devices" WHERE "deletedAt" IS NULL AND "lastConnection" > ?) AS "devicesOnline",
       (SELECT COUNT(*) FROM "users") AS "users",
       (SELECT COUNT(*) FROM "outbox" WHERE "state" = 'queued')
         + (SELECT COUNT(*) FROM "outbox" WHERE "state" = 'sending')
         + (SELECT COUNT(*) FROM "outbox" WHERE "state" = 'held') AS "outboxWaiting",
       (SELECT COUNT(*) FROM "outbox" WHERE "state" = 'dead') AS "outboxDead",
       (SELECT COUNT(*) FROM "destinations" WHERE "state" = 'down') AS "destinationsDown"`,
  );
  const databaseBytes = store.prepare<{ bytes: number }>('health.size', DATABASE_BYTES[store.storeKind]);

  return {
    async getHealth({ now }) {
      const seen = (await counts.get(now - ONLINE_MS))!;
      const size = (await databaseBytes.get())!;
      const { isReady, reasons } = await vitals.ready();
      const { problems, disk } = store.condition;
      const growth = (await vitals.growth?.()) ?? noGrowth;
      const soon = store.condition.has('full') ? undefined : fullSoon(growth, now);
      const number = (name: string) => Number(seen[name]);
      return {
        node: nodeName,
        version: VERSION,
        startedAt: new Date(vitals.startedAt).toISOString(),
        uptime: Math.max(0, Math.round((now - vitals.startedAt) / 1000)),
        ready: isReady,
        problems: [
          ...(problems.length > 0
            ? problems.map(({ kind, isWarning = false, sentence }) => ({ kind, isWarning, sentence }))
            : reasons.map((sentence) => ({ kind: 'unavailable', isWarning: false, sentence }))),
          ...upgradeOf(vitals.carrying?.()),
          ...(soon === undefined ? [] : [{ kind: 'full', isWarning: true, sentence: soon }]),
        ],
        ...(disk && { diskFree: disk.free, diskTotal: disk.total }),
        engine: store.storeKind,
        databaseBytes: Number(size.bytes),
        bytesPerDay: growth.bytesPerDay,
        diskFullOn: growth.diskFullAt === null ? null : new Date(growth.diskFullAt).toISOString(),
        memoryBytes: process.memoryUsage.rss(),
        reportsPerMinute: vitals.reports.perMinute(now),
        positionsPerMinute: vitals.positions.perMinute(now),
        devices: number('devices'),
        devicesOnline: number('devicesOnline'),
        users: number('users'),
        outboxWaiting: number('outboxWaiting'),
        outboxDead: number('outboxDead'),
        destinationsDown: number('destinationsDown'),
        streams: vitals.streams(),
        lag: vitals.lagMs(),
        slots: listedSlots(vitals.owned),
        clockDoubt: secondsOf(vitals.clockOffsetMs?.() ?? null),
      };
    },
  };
}
