import {
  type gatewayReadingOperations as contract,
  gatewayReading,
  reading,
} from '@trackway/contract/resources/gateway-reading.ts';
import type { Sent, Shown } from '@trackway/contract/schema.ts';
import type { Kysely } from 'kysely';
import type { Call, Caller, Handlers } from '../../../calls.ts';
import type { Scope } from '../../../platform/collection.ts';
import { runSql } from '../../../platform/storage/run-sql.ts';
import type { Row } from '../../../platform/storage/shape.ts';
import { accessDenied, childNotFound, invalidField } from '../../../refusals.ts';
import { recordDeletedData } from '../../audit/record.ts';
import { sendStored } from '../../delivery/send.ts';
import type { SentReading } from '../../delivery/subjects.ts';
import type { DeviceAccess } from '../../devices/access.ts';
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
} from '../../family.ts';
import { appendLiveEvents, type LiveEvent } from '../../live/append-live-events.ts';
import { packedPosition } from '../../positions/pack.ts';
import { deleteReadings, insertReadings, unpackReading } from '../../positions/pack-readings.ts';
import { packedReadingRows } from '../../positions/packed-reading-rows.ts';
import { keeperOf, type StoredReadingRow } from '../../positions/stored-reading.ts';
import { holdsText } from '../../rights.ts';
import { lockDevice } from '../../schema/lock-device.ts';
import { collectionOf } from '../../schema/table.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { notePlaces } from '../state/place-due.ts';
import { markLate } from '../state/save-state.ts';

/** One resource under two paths, so both nouns are shown as the same. */
type Reading = Shown<typeof gatewayReading> & Shown<typeof reading>;
type Body = Sent<typeof reading>;

const pairOf = ({ gatewayId, deviceId }: Row) => ({
  gatewayId: gatewayId as number | null,
  deviceId: deviceId as number | null,
});

/** Called when readings of a device changed at a time, so that the device is evaluated again. */
type Touched = (tx: Kysely<Tables>, deviceId: number, at: number) => Promise<void>;

export function readingOperations(
  store: Store,
  access: DeviceAccess,
  touched: Touched,
  evaluateAgain: (deviceId: number) => void,
): Handlers<keyof typeof contract> {
  const indexes = { timeRange: 'timestamp', isByTime: true, indexed: ['type', 'deviceId'] };
  const packed = { reported: packedReadingRows(store, 'gatewayId'), about: packedReadingRows(store, 'deviceId') };
  const rows = collectionOf(store, 'gatewayReadings', gatewayReading, { ...indexes, packed: packed.reported });
  const byTime = { timeRange: 'timestamp', isByTime: true, isIdUnindexed: true };
  const sensedRows = collectionOf(store, 'gatewayReadings', reading, { ...byTime, packed: packed.about });
  const gatewayReadings = familyOf('gatewayReading', rows, (call) => children('gatewayId', call.deviceId));
  const sensed = familyOf('reading', sensedRows, (call) => children('deviceId', call.deviceId));

  /** A reading is about each device that it names, so the caller must be allowed to manage them. */
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

  /** The devices of a reading. The position may be packed at one of them. */
  async function packedPointOf(
    deviceIds: readonly (number | null | undefined)[],
    id: number,
  ): Promise<{ deviceId: number } | undefined> {
    for (const deviceId of deviceIds)
      if (deviceId && (await packedPosition(store.query, deviceId, id, ['id']))) return { deviceId };
    return undefined;
  }

  /** Only users who may manage both devices of a reading can change it. */
  async function requireManaged(caller: Caller, { gatewayId, deviceId }: Row): Promise<void> {
    const named = [gatewayId, deviceId].filter((id) => id !== null) as number[];
    if (!(await access.managesAll(caller, named))) throw accessDenied();
  }

  async function create(family: Family<Reading>, parent: 'gatewayId' | 'deviceId', call: Call<Body>): Promise<Reading> {
    const { [parent]: _, ...values } = call.body;
    await requireKeys(family.name, call.caller, values);
    const timestamp = values.timestamp ?? call.now;
    const row = { ...values, timestamp, created: call.now, [parent]: call.deviceId };
    const made = await evaluated(call, undefined, async (tx) => {
      const reporterId = keeperOf(pairOf({ gatewayId: null, deviceId: null, ...row } as Row));
      const stored = (await rows.insert(row, tx, { reporterId })) as Row & SentReading;
      const readings = [stored];
      for (const deviceId of new Set([stored.gatewayId, stored.deviceId] as (number | null)[]))
        if (deviceId !== null) await sendStored(tx, { deviceId, readings }, call.now);
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
    const row = await evaluated(call, before, async (tx) => {
      await unpackReading(tx, pairOf(before), call.key);
      const reporterId = keeperOf(pairOf(before));
      const changed = await rows.update(call.key, values, tx, { reporterId });
      if (changed === undefined || keeperOf(pairOf(changed)) === reporterId) return changed;
      // It is stored with the device that reported it.
      await deleteReadings(tx, reporterId, [call.key]);
      await insertReadings(tx, [changed as unknown as StoredReadingRow]);
      return changed;
    });
    if (row === undefined) throw childNotFound(family.name, call.key);
    return rows.present(row);
  }

  /**
   * Writes a reading, notifies the live streams, and has the devices that the reading is about, before and after,
   * evaluated again.
   */
  async function evaluated<T extends Row | undefined>(
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
      if (row) await appendLiveEvents(tx, [readingReported(row)], now);
      return row;
    });
    for (const deviceId of about) evaluateAgain(deviceId);
    return after;
  }

  function readingReported({ id, gatewayId, deviceId }: Row): LiveEvent {
    const devices = [gatewayId, deviceId].filter((one) => one !== null) as number[];
    return { kind: 'report', deviceId: devices[0]!, otherDeviceId: devices[1], event: { readings: [id] } };
  }

  async function remove(family: Family<Reading>, call: Call): Promise<undefined> {
    const before = await rowOf(family, call);
    await requireManaged(call.caller, before);
    await evaluated(call, before, async (tx) => {
      await unpackReading(tx, pairOf(before), call.key);
      await family.rows.remove(call.key, tx, { reporterId: keeperOf(pairOf(before)) });
      await recordDeletedData(tx, call, { readings: [call.key] });
      return undefined;
    });
    return undefined;
  }

  /** Readings that also refer to a device that the caller may not manage are kept. */
  async function removeAll(family: Family<Reading>, other: 'gatewayId' | 'deviceId', call: Call): Promise<undefined> {
    const removable = await withoutOthers(store, family.scope(call), other, call.caller.userId);
    await recordDeletedData(store.query, call, { readings: 'all' });
    const removePacked = () =>
      store.transaction(async (tx) => {
        // A transaction that unpacks one of them has ended then.
        await lockDevice(tx, call.deviceId);
        const { sql, cells } = removable;
        await runSql(tx, `DELETE FROM "readingSegments" WHERE ${sql}`, cells);
        await touched(tx, call.deviceId, 0);
      });
    // Again at the end: some may have been packed meanwhile.
    await removePacked();
    await family.rows.removeAll(removable, (tx) => touched(tx, call.deviceId, 0));
    await removePacked();
    evaluateAgain(call.deviceId);
    return undefined;
  }

  return {
    listGatewayReadings: (call) => listOf(gatewayReadings, call),
    countGatewayReadings: (call) => countOf(gatewayReadings, call),
    createGatewayReading: (call) => create(gatewayReadings, 'gatewayId', call),
    getGatewayReading: (call) => readOf(gatewayReadings, call),
    async updateGatewayReading(call) {
      const { sensorDeviceId: _, ...shown } = await update(gatewayReadings, 'gatewayId', call);
      return shown;
    },
    deleteGatewayReading: (call) => remove(gatewayReadings, call),
    deleteGatewayReadings: (call) => removeAll(gatewayReadings, 'deviceId', call),

    listReadings: (call) => listOf(sensed, call),
    countReadings: (call) => countOf(sensed, call),
    createReading: (call) => create(sensed, 'deviceId', call),
    getReading: (call) => readOf(sensed, call),
    updateReading: (call) => update(sensed, 'deviceId', call),
    deleteReading: (call) => remove(sensed, call),
    deleteReadings: (call) => removeAll(sensed, 'gatewayId', call),
  };
}

type ReadingTable = 'gatewayReadings' | 'readingSegments';

/**
 * The rows of a scope without those whose other device the user may not manage. The devices that readings name are read
 * first, then the rights on them. What names yet another device came after that, and stays.
 */
async function withoutOthers(
  { query, dialect }: Store,
  { sql, cells }: Scope,
  other: 'gatewayId' | 'deviceId',
  userId: number,
): Promise<Scope> {
  const list = (table: ReadingTable) => `SELECT "${other}" AS "id" FROM "${table}" WHERE ${sql}`;
  const named = await runSql<{ id: number | null }>(
    query,
    `${list('gatewayReadings')} UNION ${list('readingSegments')}`,
    [...cells, ...cells],
  );
  const ids = named.flatMap(({ id }) => (id === null ? [] : [id]));
  const anothers = await runSql<{ id: number }>(
    query,
    `SELECT d."id" FROM "devices" d JOIN "users" me ON me."id" = ?
     WHERE d."id" IN (${dialect.idList}) AND NOT ${holdsText('manage', 'me."id"', 'd."id"')}`,
    [userId, JSON.stringify(ids)],
  );
  const kept = new Set(anothers.map(({ id }) => id));
  const removable = JSON.stringify(ids.filter((id) => !kept.has(id)));
  return {
    sql: `${sql} AND ("${other}" IS NULL OR "${other}" IN (${dialect.idList}))`,
    cells: [...cells, removable],
  };
}

/** A reading was stored, changed or deleted by hand: what follows for the device it is about, and for where that was. */
export const readingTouched: Touched = async (tx, deviceId, at) => {
  await markLate(tx, deviceId, at);
  await notePlaces(tx, [{ deviceId, at, dueAt: 0 }]);
};
