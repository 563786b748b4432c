import { setTimeout as pause } from 'node:timers/promises';
import type { Kysely } from 'kysely';
import { defineWork } from '../../../platform/storage/work.ts';
import { newestRows, staysRowFrom } from '../../positions/newest-rows.ts';
import { packDay } from '../../positions/pack.ts';
import { oldestToPack } from '../../positions/pack-readings.ts';
import { startOfDay } from '../../positions/segments.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices, type Ownership } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { packOldestReadings, packStep } from './pack-readings.ts';

/** Devices that are looked at together. */
const AT_ONCE = 200;
/** Between days, others have this many times as long. */
const PATIENCE = 4;

/** Packs the oldest day of a device that may be packed; how many positions that were. */
export const packOldestDay = defineWork(
  import.meta.url,
  packStep(async (tx, { deviceId, before }) => {
    const end = Math.min(startOfDay(before), startOfDay(staysRowFrom(await newestRows(tx, deviceId))));
    const oldest = await oldestOf(tx, deviceId).executeTakeFirst();
    if (oldest === undefined || oldest.timestamp >= end) return 0;
    return packDay(tx, deviceId, oldest.timestamp);
  }),
);

const oldestOf = (query: Kysely<Tables>, deviceId: number) =>
  query.selectFrom('points').select('timestamp').where('deviceId', '=', deviceId).orderBy('timestamp').limit(1);

interface DeviceToPack {
  readonly deviceId: number;
  /** Whether there are positions to be packed, and readings. */
  readonly isDue: boolean;
  readonly hasReadings: boolean;
}

/** Devices whose oldest position is old enough, without pending evaluation. */
async function devicesToPack(
  { query }: Pick<Store, 'query'>,
  { after, before, ownership }: { readonly after: number; readonly before: number; readonly ownership: Ownership },
): Promise<DeviceToPack[]> {
  const states = await query
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('deviceId', '>', after)
    .where(isOwned('deviceId', ownership))
    .where('lateFrom', 'is', null)
    .where('replayFrom', 'is', null)
    .where('importFrom', 'is', null)
    .where('hasBacklog', '=', 0)
    .orderBy('deviceId')
    .limit(AT_ONCE)
    .execute();
  const devices: DeviceToPack[] = [];
  for (const { deviceId } of states) {
    const oldest = await oldestOf(query, deviceId).executeTakeFirst();
    const isDue = oldest !== undefined && oldest.timestamp < startOfDay(before);
    devices.push({ deviceId, isDue, hasReadings: (await oldestToPack(query, deviceId, before)) !== undefined });
  }
  return devices;
}

/** Packs day by day, as long as there is one; how many rows that were. */
async function inSteps(pack: () => Promise<number>, goOn: () => boolean): Promise<number> {
  let packed = 0;
  while (goOn()) {
    const startedAt = performance.now();
    const count = await pack();
    if (count === 0) break;
    packed += count;
    // It keeps the process alive: a server that stops waits for it before it closes the store.
    await pause((performance.now() - startedAt) * PATIENCE);
  }
  return packed;
}

/**
 * Packs the positions and readings from before a time, a day of a device in each transaction. What came late is packed
 * together with what was packed of its day.
 */
export function positionPacker(
  store: Store,
  owned: OwnedDevices = ALL_DEVICES,
): (before: number, goOn: () => boolean) => Promise<number> {
  const pack = store.work(packOldestDay, {});
  const packReadings = store.work(packOldestReadings, {});
  return async (before, goOn) => {
    let packed = 0;
    for (let after = 0; goOn(); ) {
      const devices = await devicesToPack(store, { after, before, ownership: owned.now() });
      if (devices.length === 0) return packed;
      for (const { deviceId, isDue, hasReadings } of devices) {
        after = deviceId;
        if (isDue) packed += await inSteps(() => pack({ deviceId, before }), goOn);
        if (hasReadings) packed += await inSteps(() => packReadings({ deviceId, before }), goOn);
      }
    }
    return packed;
  };
}
