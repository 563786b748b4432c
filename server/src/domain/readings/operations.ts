import {
  type gatewayReadingOperations as contract,
  gatewayReading,
  reading,
} from '@trackway/contract/resources/gateway-reading.ts';
import type { Sent, Shown } from '@trackway/contract/schema.ts';
import type { Kysely } from 'kysely';
import type { Call, Caller, Handlers } from '../../calls.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { accessDenied, childNotFound, invalidField } from '../../refusals.ts';
import { recordDeletedData } from '../audit/record.ts';
import type { DeviceAccess } from '../devices/access.ts';
import {
  changedFields,
  children,
  countOf,
  type Family,
  familyOf,
  listOf,
  readOf,
  refuseMoved,
  rowOf,
} from '../family.ts';
import { appendLiveEvents, type LiveEvent } from '../live/append-live-events.ts';
import { packedPosition } from '../positions/pack.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { sendStored } from '../sending/send.ts';
import type { SentReading } from '../sending/to-send.ts';
import { deleteReadings, insertReadings, unpackReading } from '../stored-readings/pack-readings.ts';
import { packedReadingRows } from '../stored-readings/packed-reading-rows.ts';
import { keeperOf, type StoredReadingRow } from '../stored-readings/stored-reading.ts';
import { withoutOthers } from './of-others.ts';

/** One resource under two paths, so both nouns are shown as the same. */
type Reading = Shown<typeof gatewayReading> & Shown<typeof reading>;
type Body = Sent<typeof reading>;

const pairOf = ({ gatewayId, deviceId }: Row) => ({
  gatewayId: gatewayId as number | null,
  deviceId: deviceId as number | null,
});

/** What a device said by readings changed at a time: whoever judges devices wants to know. */
export type Touched = (tx: Kysely<Tables>, deviceId: number, at: number) => Promise<void>;

export function readingOperations(
  store: Store,
  access: DeviceAccess,
  touched: Touched,
  judgeAgain: (deviceId: number) => void,
): Handlers<keyof typeof contract> {
  const indexes = { timeRange: 'timestamp', isByTime: true, indexed: ['type', 'deviceId'] };
  const packed = { told: packedReadingRows(store, 'gatewayId'), about: packedReadingRows(store, 'deviceId') };
  const rows = collectionOf(store, 'gatewayReadings', gatewayReading, { ...indexes, packed: packed.told });
  const byTime = { timeRange: 'timestamp', isByTime: true };
  const sensedRows = collectionOf(store, 'gatewayReadings', reading, { ...byTime, packed: packed.about });
  const heard = familyOf('gatewayReading', rows, (call) => children('gatewayId', call.deviceId));
  const sensed = familyOf('reading', sensedRows, (call) => children('deviceId', call.deviceId));

  /** A reading says something of each device it names, so the caller must be one who may manage them. */
  async function requireKeys(name: string, caller: Caller, values: Body): Promise<void> {
    await access.requireManaged(caller, values.deviceId, name, 'deviceId');
    await access.requireManaged(caller, values.gatewayId, name, 'gatewayId');
    if (values.datapointId === undefined || values.datapointId === null) return;
    const at = values.datapointId;
    const point =
      (await store.query.selectFrom('points').select('deviceId').where('id', '=', at).executeTakeFirst()) ??
      (await packedPointOf([values.deviceId, values.gatewayId], at));
    if (point === undefined || (await access.rightOn(caller, point.deviceId)) === undefined) {
      throw invalidField(name, 'datapointId', 'unknown', `is not a point you have access to: ${at}`);
    }
  }

  /** The devices that a reading names, of which one may have the position packed. */
  async function packedPointOf(
    deviceIds: readonly (number | null | undefined)[],
    id: number,
  ): Promise<{ deviceId: number } | undefined> {
    for (const deviceId of deviceIds)
      if (deviceId && (await packedPosition(store.query, deviceId, id, ['id']))) return { deviceId };
    return undefined;
  }

  /** A reading of two devices is changed by those who may manage both. */
  async function requireManaged(caller: Caller, { gatewayId, deviceId }: Row): Promise<void> {
    const named = [gatewayId, deviceId].filter((id) => id !== null) as number[];
    if (!(await access.managesAll(caller, named))) throw accessDenied();
  }

  async function create(family: Family<Reading>, parent: 'gatewayId' | 'deviceId', call: Call<Body>): Promise<Reading> {
    const { [parent]: _, ...values } = call.body;
    await requireKeys(family.name, call.caller, values);
    const timestamp = values.timestamp ?? call.now;
    const row = { ...values, timestamp, created: call.now, [parent]: call.deviceId };
    const made = await judged(call, undefined, async (tx) => {
      const keptBy = keeperOf(pairOf({ gatewayId: null, deviceId: null, ...row } as Row));
      const stored = (await rows.insert(row, tx, { keptBy })) as Row & SentReading;
      const readings = [stored];
      for (const deviceId of new Set([stored.gatewayId, stored.deviceId] as (number | null)[]))
        if (deviceId !== null) await sendStored(tx, store, { deviceId, readings }, call.now);
      return stored;
    });
    return rows.present(made);
  }

  async function update(family: Family<Reading>, parent: 'gatewayId' | 'deviceId', call: Call<Body>): Promise<Reading> {
    const before = await rowOf(family, call);
    refuseMoved(call.sent, { id: call.key, [parent]: call.deviceId });
    await requireManaged(call.caller, before);
    const { [parent]: _, ...rest } = call.body;
    const values: Body = rest;
    const changes = changedFields<Reading>(values, rows.present(before));
    await requireKeys(family.name, call.caller, Object.fromEntries(changes.map((name) => [name, values[name]])));
    if (Object.keys(values).length === 0) return rows.present(before);
    const row = await judged(call, before, async (tx) => {
      await unpackReading(tx, store.storeKind, pairOf(before), call.key);
      const keptBy = keeperOf(pairOf(before));
      const changed = await rows.update(call.key, values, tx, { keptBy });
      if (changed === undefined || keeperOf(pairOf(changed)) === keptBy) return changed;
      // It lies with the device that told it.
      await deleteReadings(tx, keptBy, [call.key]);
      await insertReadings(tx, store.storeKind, [changed as unknown as StoredReadingRow]);
      return changed;
    });
    if (row === undefined) throw childNotFound(family.name, call.key);
    return rows.present(row);
  }

  /**
   * Writes a reading, notifies the live streams, and has the devices that the reading is about, before and after,
   * judged again.
   */
  async function judged<T extends Row | undefined>(
    { now }: Pick<Call, 'now'>,
    before: Row | undefined,
    write: (tx: Kysely<Tables>) => Promise<T>,
  ): Promise<T> {
    const about = new Set<number>();
    const after = await store.transaction(async (tx) => {
      const row = await write(tx);
      for (const one of [before, row]) {
        const deviceId = (one?.deviceId ?? one?.gatewayId) as number | null | undefined;
        if (!one || !deviceId) continue;
        await touched(tx, deviceId, one.timestamp as number);
        about.add(deviceId);
      }
      if (row) await appendLiveEvents(tx, store.storeKind, [readingTelling(row)], now);
      return row;
    });
    for (const deviceId of about) judgeAgain(deviceId);
    return after;
  }

  function readingTelling({ id, gatewayId, deviceId }: Row): LiveEvent {
    const devices = [gatewayId, deviceId].filter((one) => one !== null) as number[];
    return { kind: 'heard', deviceId: devices[0]!, otherDeviceId: devices[1], event: { readings: [id] } };
  }

  async function remove(family: Family<Reading>, call: Call): Promise<undefined> {
    const before = await rowOf(family, call);
    await requireManaged(call.caller, before);
    await judged(call, before, async (tx) => {
      await unpackReading(tx, store.storeKind, pairOf(before), call.key);
      await family.rows.remove(call.key, tx, { keptBy: keeperOf(pairOf(before)) });
      await recordDeletedData(tx, call, { readings: [call.key] });
      return undefined;
    });
    return undefined;
  }

  /** Those that also name a device which the caller may not manage stay. */
  async function removeAll(family: Family<Reading>, other: 'gatewayId' | 'deviceId', call: Call): Promise<undefined> {
    const removable = await withoutOthers(store, family.scope(call), other, call.caller.userId);
    await recordDeletedData(store.query, call, { readings: 'all' });
    const removePacked = () =>
      store.transaction(async (tx) => {
        const { sql, cells } = removable('readingSegments');
        await runSql(tx, store.storeKind, `DELETE FROM "readingSegments" WHERE ${sql}`, cells);
        await touched(tx, call.deviceId, 0);
      });
    // Again at the end: some may have been packed meanwhile.
    await removePacked();
    await family.rows.removeAll(removable('gatewayReadings'), (tx) => touched(tx, call.deviceId, 0));
    await removePacked();
    judgeAgain(call.deviceId);
    return undefined;
  }

  return {
    listGatewayReadings: (call) => listOf(heard, call),
    countGatewayReadings: (call) => countOf(heard, call),
    createGatewayReading: (call) => create(heard, 'gatewayId', call),
    getGatewayReading: (call) => readOf(heard, call),
    async updateGatewayReading(call) {
      const { sensorDeviceId: _, ...shown } = await update(heard, 'gatewayId', call);
      return shown;
    },
    deleteGatewayReading: (call) => remove(heard, call),
    deleteGatewayReadings: (call) => removeAll(heard, 'deviceId', call),

    listReadings: (call) => listOf(sensed, call),
    countReadings: (call) => countOf(sensed, call),
    createReading: (call) => create(sensed, 'deviceId', call),
    getReading: (call) => readOf(sensed, call),
    updateReading: (call) => update(sensed, 'deviceId', call),
    deleteReading: (call) => remove(sensed, call),
    deleteReadings: (call) => removeAll(sensed, 'gatewayId', call),
  };
}
