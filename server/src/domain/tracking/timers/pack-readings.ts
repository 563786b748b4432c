import { defineWork } from '../../../platform/storage/work.ts';
import { oldestToPack, packReadingsOf } from '../../positions/pack-readings.ts';
import { packStep } from './pack-step.ts';

/** Packs the oldest day of a device's readings that may be packed. Returns the number of readings. */
export const packOldestReadings = defineWork(
  import.meta.url,
  packStep(async (tx, { deviceId, before }) => {
    const at = await oldestToPack(tx, deviceId, before);
    return at === undefined ? 0 : packReadingsOf(tx, deviceId, { at, before });
  }),
);
