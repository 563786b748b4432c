import { defineWork } from '../../../platform/storage/work.ts';
import { oldestToPack, packReadingsOf } from '../../stored-readings/pack-readings.ts';
import { packStep } from './pack-step.ts';

/** Packs the oldest day of what a device told that may be packed; how many readings that were. */
export const packOldestReadings = defineWork(
  import.meta.url,
  packStep(async (tx, storeKind, { deviceId, before }) => {
    const at = await oldestToPack(tx, deviceId, before);
    return at === undefined ? 0 : packReadingsOf(tx, storeKind, deviceId, { at, before });
  }),
);
