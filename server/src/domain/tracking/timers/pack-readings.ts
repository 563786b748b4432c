import type { Kysely } from 'kysely';
import { defineWork, type Work } from '../../../platform/storage/work.ts';
import { oldestToPack, packReadingsOf } from '../../positions/pack-readings.ts';
import type { Tables } from '../../schema/tables.ts';

interface OldToPack {
  readonly deviceId: number;
  /** What is from before this may be packed. */
  readonly before: number;
}

/** A piece of packing in a transaction of its own; how many rows that were. */
export const packStep =
  (pack: (tx: Kysely<Tables>, asked: OldToPack) => Promise<number>) => (): Work<Tables, OldToPack, number, number> => ({
    run: (tx, asked) => pack(tx, asked),
    committed: (packed) => packed,
  });

/** Packs the oldest day of a device's readings that may be packed. Returns the number of readings. */
export const packOldestReadings = defineWork(
  import.meta.url,
  packStep(async (tx, { deviceId, before }) => {
    const at = await oldestToPack(tx, deviceId, before);
    return at === undefined ? 0 : packReadingsOf(tx, deviceId, { at, before });
  }),
);
