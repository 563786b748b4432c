import type { Handlers } from '../../calls.ts';
import type { Pace } from '../../platform/pace.ts';
import type { Problem } from '../../platform/storage/condition.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import type { ForgettingProgress } from '../history/forget-history.ts';
import type { OwnedDevices } from '../schema/owned-devices.ts';
import type { Store } from '../schema/tables.ts';
import { fullSoon, type Growth, noGrowth } from './growth.ts';
import { VERSION } from './info.ts';
import { listedSlots } from './nodes/node-clocks.ts';

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
  readonly owned: OwnedDevices;
  /** By how many milliseconds its work was late lately. */
  lagMs(): number;
  /** Number of open live streams. */
  streams(): number;
  ready(): Promise<Readiness>;
  /** What is known of connected trackers. */
  trackers?(): TrackerFigures;
  /** How far the forgetting of old history has come. */
  forgetting?(): ForgettingProgress;
  /** How fast the database grows. */
  growth?(): Promise<Growth>;
  /** Who forwards requests and is not trusted. */
  untrustedProxy?(now: number): string | undefined;
  /** What is wrong with the certificate of the server. */
  certificateProblem?(now: number): { readonly isWarning: boolean; readonly sentence: string } | undefined;
  /** The newest version, if it is newer than this one. */
  newerVersion?(now: number): string | null;
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

/** Said while a proxy forwards requests that is not configured. */
function proxyOf(address: string | undefined) {
  if (address === undefined) return [];
  const sentence = `${address} forwards requests but is not trusted, so all users behind it share one limit of wrong passwords and requests. If it is your proxy, set TRACKWAY_TRUST_PROXY.`;
  return [{ kind: 'proxy', isWarning: true, sentence }];
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
  const databaseBytes = store.prepare<{ bytes: number }>('health.size', DATABASE_BYTES);

  return {
    async getHealth({ now }) {
      const seen = (await counts.get(now - ONLINE_MS))!;
      const size = (await databaseBytes.get())!;
      const { isReady, reasons } = await vitals.ready();
      const { problems, disk } = store.condition;
      const growth = (await vitals.growth?.()) ?? noGrowth;
      const soon = store.condition.has('full') ? undefined : fullSoon(growth, now);
      const certificate = vitals.certificateProblem?.(now);
      const number = (name: string) => Number(seen[name]);
      return {
        node: nodeName,
        version: VERSION,
        newerVersion: vitals.newerVersion?.(now) ?? null,
        startedAt: new Date(vitals.startedAt).toISOString(),
        uptime: Math.max(0, Math.round((now - vitals.startedAt) / 1000)),
        ready: isReady,
        problems: [
          ...(problems.length > 0
            ? problems.map(({ kind, isWarning = false, sentence }) => ({ kind, isWarning, sentence }))
            : reasons.map((sentence) => ({ kind: 'unavailable', isWarning: false, sentence }))),
          ...(certificate ? [{ kind: 'certificate', ...certificate }] : []),
          ...proxyOf(vitals.untrustedProxy?.(now)),
          ...(soon === undefined ? [] : [{ kind: 'full', isWarning: true, sentence: soon }]),
        ],
        ...(disk && { diskFree: disk.free, diskTotal: disk.total }),
        engine: store.dialect.name,
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

interface Readiness {
  readonly isReady: boolean;
  /** What keeps it from being ready, a sentence each. */
  readonly reasons: readonly string[];
}

/** A commit that is younger proves that the store can be written. */
const FRESH_MS = 5000;
const PATIENCE_MS = 8000;
const NAME = 'last readiness check';

/**
 * Whether the service can do its work, which is to store what it acknowledges. Where nothing was committed lately it
 * stores something, at most once in five seconds, however often it is asked.
 */
export function readiness(store: Store, freshMs = FRESH_MS): () => Promise<Readiness> {
  const { condition } = store;
  let asked: { at: number; failure: Promise<string | undefined> } | undefined;

  async function write(): Promise<string | undefined> {
    try {
      await inTime(store.ping().then(note));
      return undefined;
    } catch (error) {
      return error instanceof StoreTrouble ? SENTENCES[error.kind] : 'The store does not answer.';
    }
  }
  const note = () => {
    const value = new Date().toISOString();
    return store.query
      .insertInto('settings')
      .values({ name: NAME, value })
      .onConflict((on) => on.column('name').doUpdateSet({ value }))
      .execute();
  };

  return async () => {
    const now = performance.now();
    const serious = condition.problems.filter(({ isWarning }) => !isWarning);
    if (serious.length > 0) return { isReady: false, reasons: serious.map(publicly) };
    const isFresh = condition.committedAt !== undefined && now - condition.committedAt < freshMs;
    if (!isFresh && (asked === undefined || now - asked.at >= freshMs)) asked = { at: now, failure: write() };
    const failure = isFresh ? undefined : await asked!.failure;
    return { isReady: failure === undefined, reasons: failure === undefined ? [] : [failure] };
  };
}

/** A disk or a database that hangs must not have the question hang. */
async function inTime(work: Promise<unknown>): Promise<void> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error('The store did not answer in time.')), PATIENCE_MS);
  });
  try {
    await Promise.race([work, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}

/** Anyone may ask, so paths and details are left to the log and to admins. */
const publicly = ({ kind }: Problem) => SENTENCES[kind];
const SENTENCES: Record<Problem['kind'], string> = {
  full: 'The disk is full.',
  damaged: 'The database is damaged.',
  gone: 'The files of the database were removed or replaced.',
  readOnly: 'The database cannot be written.',
  disk: 'The disk has a fault.',
  unavailable: 'The store does not answer.',
  busy: 'The store is busy.',
};
