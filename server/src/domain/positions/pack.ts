import type { Kysely } from 'kysely';
import { byTime } from '../../platform/packing/with-packed.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { slotOf } from '../schema/slot.ts';
import type { Tables } from '../schema/tables.ts';
import { type PackedPosition, unpackPositions } from './packed-positions.ts';
import { DAY_MS, segmentsOf, segmentsWithin, startOfDay } from './segments.ts';
import { takeSegments } from './store-packed.ts';
import type { PositionColumn, StoredPosition } from './stored-position.ts';
import { deletePositions, insertPositionsWithIds } from './write.ts';

/**
 * Packs positions, and unpacks them again where one is to be changed: whatever changes a position finds it as a row.
 * Whoever packs or unpacks has the lock of the device, so that no change is lost.
 */

type Tx = Kysely<Tables>;

const LOCK = 'SELECT "deviceId" FROM "deviceStates" WHERE "deviceId" = ? FOR UPDATE';
const AT_ONCE = 500;

/** SQLite has one writer, which needs no lock. */
async function lock(tx: Tx, storeKind: StoreKind, deviceId: number): Promise<void> {
  if (storeKind === 'postgres') await runSql(tx, storeKind, LOCK, [deviceId]);
}

/** Packs what a device has of a day (UTC), together with what is packed of it; how many rows that were. */
export async function packDay(tx: Tx, storeKind: StoreKind, deviceId: number, at: number): Promise<number> {
  await lock(tx, storeKind, deviceId);
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
  for (const segment of segmentsOf(deviceId, all)) await tx.insertInto('segments').values(segment).execute();
  let deleted = 0;
  for (let start = 0; start < rows.length; start += AT_ONCE)
    deleted += await deletePositions(
      tx,
      storeKind,
      rows.slice(start, start + AT_ONCE).map(({ id }) => id),
    );
  // Somebody else deletes them: it is left to the next time.
  if (deleted !== rows.length) throw new Error('Positions that were to be packed are gone.');
  return rows.length;
}

/** Takes the segments within a range of time away; what was in them. */
const takeWithin = async (tx: Tx, deviceId: number, span: { readonly from: number; readonly to: number }) =>
  takeSegments(tx, deviceId, await segmentsWithin(tx, deviceId, span).select('first').execute());

/** Stores a segment anew without some of its positions; how many those were. Whoever does so has the lock of the device. */
export async function replaceSegments(
  tx: Tx,
  deviceId: number,
  { first }: { readonly first: number },
  isKept: (position: PackedPosition) => boolean,
): Promise<number> {
  const all = await takeSegments(tx, deviceId, [{ first }]);
  const kept = all.filter(isKept);
  for (const segment of segmentsOf(deviceId, kept)) await tx.insertInto('segments').values(segment).execute();
  return all.length - kept.length;
}

/** What is packed of a range of time, both ends inclusive, is rows again. */
export async function unpackWithin(
  tx: Tx,
  storeKind: StoreKind,
  deviceId: number,
  span: { readonly from: number; readonly to: number },
): Promise<void> {
  // Mostly nothing is packed there, and the lock would be for nothing.
  if ((await segmentsWithin(tx, deviceId, span).select('first').limit(1).executeTakeFirst()) === undefined) return;
  await lock(tx, storeKind, deviceId);
  const unpacked = await takeWithin(tx, deviceId, span);
  await insertPositionsWithIds(
    tx,
    storeKind,
    unpacked.map((position) => ({ ...position, deviceId })),
  );
}

/** The position with an id is a row, whether it was packed or not. */
export async function unpackHolding(tx: Tx, storeKind: StoreKind, deviceId: number, id: number): Promise<void> {
  await lock(tx, storeKind, deviceId);
  const at = (await packedPosition(tx, deviceId, id, ['timestamp']))?.timestamp;
  if (at !== undefined) await unpackWithin(tx, storeKind, deviceId, { from: at, to: at });
}

/** A position of a device that is packed. */
export async function packedPosition<Name extends keyof PackedPosition>(
  query: Tx,
  deviceId: number,
  id: number,
  columns: readonly Name[],
): Promise<Pick<PackedPosition, Name> | undefined> {
  const candidates = await query
    .selectFrom('segments')
    .select('data')
    .where('slot', '=', slotOf(deviceId))
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

/** Nothing of a device is packed any more: it is forgotten. */
export async function forgetSegments(tx: Tx, deviceId: number): Promise<void> {
  await tx.deleteFrom('segments').where('slot', '=', slotOf(deviceId)).where('deviceId', '=', deviceId).execute();
}

/** The newest position that says where a device was is a row: whoever asks where devices are reads rows alone. */
export async function keepNewest(tx: Tx, storeKind: StoreKind, deviceId: number): Promise<void> {
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
    .selectFrom('segments')
    .select(['first', 'last'])
    .where('slot', '=', slotOf(deviceId))
    .where('deviceId', '=', deviceId)
    .where('south', 'is not', null)
    .orderBy('first', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (newest) await unpackWithin(tx, storeKind, deviceId, { from: newest.first, to: newest.last });
}
