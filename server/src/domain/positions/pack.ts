import type { Kysely } from 'kysely';
import { byTime } from '../../platform/packing/with-packed.ts';
import { lockDevice } from '../schema/lock-device.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, type PositionColumn, type StoredPosition, unpackPositions } from './packed-positions.ts';
import { DAY_MS, segmentsOf, segmentsWithin, startOfDay } from './segments.ts';
import { takeSegments } from './store-packed.ts';
import { deletePositions, deleteRowsOf, insertPositionsWithIds } from './write.ts';

/**
 * Packs positions, and unpacks them before one is changed: code that changes a position finds it as a row. The caller
 * holds the lock of the device, so that no change is lost.
 */

type Tx = Kysely<Tables>;

const AT_ONCE = 500;

/** Packs what a device has of a day (UTC), together with what is packed of it; how many rows that were. */
export async function packDay(tx: Tx, deviceId: number, at: number): Promise<number> {
  await lockDevice(tx, deviceId);
  const day = { from: startOfDay(at), to: startOfDay(at) + DAY_MS - 1 };
  const rows = (await tx
    .selectFrom('points')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where('timestamp', '>=', day.from)
    .where('timestamp', '<=', day.to)
    .execute()) as StoredPosition[];
  if (rows.length === 0) return 0;
  const before = await takeWithin(tx, deviceId, day);
  const all: PackedPosition[] = [...before, ...rows].sort(byTime);
  for (const segment of segmentsOf(deviceId, all)) await tx.insertInto('positionSegments').values(segment).execute();
  let deleted = 0;
  for (let start = 0; start < rows.length; start += AT_ONCE)
    deleted += await deletePositions(
      tx,
      rows.slice(start, start + AT_ONCE).map(({ id }) => id),
    );
  // Another transaction deletes them: the next run packs the others.
  if (deleted !== rows.length) throw new Error('Some positions disappeared before they were packed.');
  return rows.length;
}

/** Takes the segments within a range of time away; what was in them. */
const takeWithin = async (tx: Tx, deviceId: number, span: { readonly from: number; readonly to: number }) =>
  takeSegments(tx, deviceId, await segmentsWithin(tx, deviceId, span).select('firstAt').execute());

/**
 * Stores a segment anew without some of its positions; returns the number of removed positions. The caller holds the
 * lock of the device.
 */
export async function replaceSegments(
  tx: Tx,
  deviceId: number,
  { firstAt }: { readonly firstAt: number },
  isKept: (position: PackedPosition) => boolean,
): Promise<number> {
  const all = await takeSegments(tx, deviceId, [{ firstAt }]);
  const kept = all.filter(isKept);
  for (const segment of segmentsOf(deviceId, kept)) await tx.insertInto('positionSegments').values(segment).execute();
  return all.length - kept.length;
}

/** What is packed of a range of time, both ends inclusive, is rows again. */
export async function unpackWithin(
  tx: Tx,
  deviceId: number,
  span: { readonly from: number; readonly to: number },
): Promise<void> {
  // Mostly nothing is packed there, and the lock would be for nothing.
  if ((await segmentsWithin(tx, deviceId, span).select('firstAt').limit(1).executeTakeFirst()) === undefined) return;
  await lockDevice(tx, deviceId);
  const unpacked = await takeWithin(tx, deviceId, span);
  await insertPositionsWithIds(
    tx,
    unpacked.map((position) => ({ ...position, deviceId })),
  );
}

/** The position with an id is a row, whether it was packed or not. */
export async function unpackHolding(tx: Tx, deviceId: number, id: number): Promise<void> {
  await lockDevice(tx, deviceId);
  const at = (await packedPosition(tx, deviceId, id, ['timestamp']))?.timestamp;
  if (at !== undefined) await unpackWithin(tx, deviceId, { from: at, to: at });
}

/** A position of a device that is packed. */
export async function packedPosition<Name extends keyof PackedPosition>(
  query: Tx,
  deviceId: number,
  id: number,
  columns: readonly Name[],
): Promise<Pick<PackedPosition, Name> | undefined> {
  const candidates = await query
    .selectFrom('positionSegments')
    .select('data')
    .where('deviceId', '=', deviceId)
    .where('lowId', '<=', id)
    .where('highId', '>=', id)
    .execute();
  for (const { data } of candidates) {
    const found = unpackPositions(data, [...new Set<Name | 'id'>([...columns, 'id'])]).find(
      (position) => position.id === id,
    );
    if (found !== undefined) return found as Pick<PackedPosition, Name>;
  }
  return undefined;
}

/** A position of a device, whether it is packed or not. */
export async function storedPosition<Name extends keyof PackedPosition>(
  query: Tx,
  deviceId: number,
  id: number,
  columns: readonly Name[],
): Promise<Pick<PackedPosition, Name> | undefined> {
  const row = await query
    .selectFrom('points')
    .select(columns as readonly PositionColumn[])
    .where('id', '=', id)
    .where('deviceId', '=', deviceId)
    .executeTakeFirst();
  return (row as Pick<PackedPosition, Name> | undefined) ?? packedPosition(query, deviceId, id, columns);
}

/**
 * Deletes the positions of a device, packed or not; how many rows that were. The lock comes first: without it, what a
 * packer has not committed yet is neither a row nor a segment.
 * @param most maximum number of rows, to delete in steps: all are deleted once a step finds none
 */
export async function deletePositionsOf(tx: Tx, deviceId: number, most?: number): Promise<number> {
  await lockDevice(tx, deviceId);
  await tx.deleteFrom('positionSegments').where('deviceId', '=', deviceId).execute();
  if (most === undefined) return deleteRowsOf(tx, deviceId);
  const some = await tx.selectFrom('points').select('id').where('deviceId', '=', deviceId).limit(most).execute();
  return deletePositions(
    tx,
    some.map(({ id }) => id),
  );
}

/** The newest position with a location is a row, because queries for the current places of devices read rows only. */
export async function keepNewest(tx: Tx, deviceId: number): Promise<void> {
  const isRow = await tx
    .selectFrom('points')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('locationLat', 'is not', null)
    .where('locationType', '!=', 'invalid')
    .limit(1)
    .executeTakeFirst();
  if (isRow !== undefined) return;
  const newest = await tx
    .selectFrom('positionSegments')
    .select(['firstAt', 'lastAt'])
    .where('deviceId', '=', deviceId)
    .where('south', 'is not', null)
    .orderBy('firstAt', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest) await unpackWithin(tx, deviceId, { from: newest.firstAt, to: newest.lastAt });
}
