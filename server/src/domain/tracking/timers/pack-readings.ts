import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { defineWork, type Work, type Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';
import { oldestToPack, packReadingsOf } from '../../stored-readings/pack-readings.ts';

interface ReadingsToPack {
  readonly deviceId: number;
  /** Readings from before this may be packed. */
  readonly before: number;
}

/** Packs the oldest day of what a device told that may be packed; how many readings that were. */
class PackOldestReadings implements Work<Tables, ReadingsToPack, number, number> {
  readonly #storeKind: StoreKind;

  constructor({ storeKind }: Workplace<Tables>) {
    this.#storeKind = storeKind;
  }

  async run(tx: Kysely<Tables>, { deviceId, before }: ReadingsToPack): Promise<number> {
    const at = await oldestToPack(tx, deviceId, before);
    return at === undefined ? 0 : packReadingsOf(tx, this.#storeKind, deviceId, { at, before });
  }

  committed(packed: number): number {
    return packed;
  }
}

export const packOldestReadings = defineWork(
  import.meta.url,
  (workplace: Workplace<Tables>) => new PackOldestReadings(workplace),
);
