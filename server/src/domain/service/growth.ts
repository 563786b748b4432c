import { installationText } from '../schema/installation-lease.ts';
import type { Store } from '../schema/tables.ts';

/** How fast the database grows, and when its disk will be full. */

/** Where sizes are noted, one of each day. */
export const SIZES = 'databaseSizes';

interface NotedSize {
  readonly at: number;
  /** What is in use, without what is free within the files. */
  readonly bytes: number;
}

const DAY_MS = 86_400_000;
const NOTED_DAYS = 15;
/** A shorter time is not typical of a day. */
const LEAST_MS = 20 * 3_600_000;
/** A disk that will be full within this time is reported. */
const SOON_MS = 30 * DAY_MS;

const USED_BYTES = {
  sqlite:
    'SELECT (page_count - freelist_count) * page_size AS "bytes" FROM pragma_page_count(), pragma_freelist_count(), pragma_page_size()',
  postgres: 'SELECT pg_database_size(current_database()) AS "bytes"',
};

export interface Growth {
  /** Null while it is not known: at least most of a day is needed. */
  readonly bytesPerDay: number | null;
  /** Null where the disk is not known, or will not be full within ten years. */
  readonly diskFullAt: number | null;
}

export const noGrowth: Growth = { bytesPerDay: null, diskFullAt: null };

/** @param text what is noted */
export function growthOf(text: string | undefined, diskFree: number | undefined): Growth {
  const sizes = text === undefined ? [] : (JSON.parse(text) as NotedSize[]);
  const [first, last] = [sizes[0], sizes.at(-1)];
  if (first === undefined || last === undefined || last.at - first.at < LEAST_MS) return noGrowth;
  const bytesPerDay = Math.round(((last.bytes - first.bytes) * DAY_MS) / (last.at - first.at));
  if (diskFree === undefined || bytesPerDay <= 0) return { bytesPerDay, diskFullAt: null };
  const days = diskFree / bytesPerDay;
  return { bytesPerDay, diskFullAt: days > 3650 ? null : last.at + days * DAY_MS };
}

/** What to say of a disk that will be full soon; undefined where it will not. */
export function fullSoon({ bytesPerDay, diskFullAt }: Growth, now: number): string | undefined {
  if (bytesPerDay === null || diskFullAt === null || diskFullAt > now + SOON_MS) return undefined;
  const day = new Date(diskFullAt).toISOString().slice(0, 10);
  return `The disk with the data folder will be full around ${day}: the database grows by ${(bytesPerDay / 1e6).toFixed(0)} MB a day. Free up space, or delete old history (TRACKWAY_KEEP_POSITIONS).`;
}

interface GrowthWatch {
  /** Notes how large the database is, once a day. */
  note(now: number): Promise<void>;
  growth(): Promise<Growth>;
}

export function watchGrowth(store: Store, log: { warn(about: object, sentence: string): void }): GrowthWatch {
  const noted = installationText(store, SIZES);
  const used = store.prepare<{ bytes: number }>('growth.used', USED_BYTES);
  const growth = async () => growthOf(await noted.load(), store.condition.disk?.free);
  return {
    async note(now) {
      const sizes = JSON.parse((await noted.load()) ?? '[]') as NotedSize[];
      // A clock that was set back would say that it shrinks.
      const before = sizes.filter(({ at }) => at < now);
      const last = before.at(-1);
      if (last !== undefined && now - last.at < LEAST_MS) return;
      const bytes = Number((await used.get())!.bytes);
      await noted.save(JSON.stringify([...before, { at: now, bytes }].slice(-NOTED_DAYS)));
      const sentence = fullSoon(await growth(), now);
      if (sentence !== undefined) log.warn({ free: store.condition.disk?.free }, sentence);
    },
    growth,
  };
}
