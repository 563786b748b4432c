import type { Kysely } from 'kysely';
import { runRows } from '../../../platform/storage/bulk.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import { encodeOf } from '../../positions/encode.ts';
import { IDENTITY_COLUMNS, identityOf } from '../../positions/identity.ts';
import { INSERT_READINGS } from '../../positions/over-readings.ts';
import { positionsAt, readingsAt } from '../../positions/positions-at.ts';
import { keeperOf } from '../../positions/stored-reading.ts';
import { insertEncoded, type ReservedIds } from '../../positions/write.ts';
import type { Tables } from '../../schema/tables.ts';
import type { StoredReading } from '../evaluate/inputs.ts';
import type { ReadingOwner } from '../report/device-batch.ts';
import type { NormalReading } from '../report/normalize.ts';
import type { AppendedPosition, Position } from '../report/position.ts';

/** Stores the items of reports, each once: an item that was reported before is recognised by device, time and content. */

type Tx = Kysely<Tables>;

/** The items of one kind in one report. A batch may hold several reports of one device. */
interface ReportedItems<Item> {
  readonly deviceId: number;
  /** The newest time stored of the device: only items that are not newer must be looked up. */
  readonly newest: number;
  readonly now: number;
  readonly items: readonly Item[];
}

export interface Appended<Stored> {
  readonly stored: readonly Stored[];
  readonly duplicates: number;
}

const NOTHING: Appended<never> = { stored: [], duplicates: 0 };

/** Returns what of each report was not received before. */
export const freshPositions = (
  tx: Tx,
  reports: readonly ReportedItems<Position>[],
): Promise<readonly (readonly Position[])[]> =>
  withoutDuplicates(reports, identityOf, async (deviceId, timestamps) => {
    const rows = await positionsAt(tx, deviceId, timestamps, [
      ...IDENTITY_COLUMNS,
      'isLocatedByGateways',
      'reportedHash',
    ]);
    return (
      rows
        .filter(({ isLocatedByGateways }) => isLocatedByGateways === 0)
        // A changed position is still recognised by its reported values.
        .map((row) => ({ timestamp: row.timestamp, hash: row.reportedHash ?? identityOf(row) }))
    );
  });

/** Returns the stored positions of each report. */
export async function appendPositions(
  tx: Tx,
  reports: readonly (ReportedItems<Position> & { readonly tooOld: number })[],
  reserved?: ReservedIds,
): Promise<Appended<AppendedPosition>[]> {
  const fresh = await freshPositions(tx, reports);
  const judgedOf = ({ timestamp }: Position, tooOld: number): AppendedPosition['judged'] =>
    timestamp < tooOld ? 'tooOld' : null;
  const rows: Cell[][] = [];
  for (const [index, { deviceId, now, tooOld }] of reports.entries())
    for (const position of fresh[index]!) rows.push(encodeOf(position, deviceId, now, judgedOf(position, tooOld)));
  const ids = await insertEncoded(tx, rows, reserved);
  let next = 0;
  return reports.map(({ items, tooOld }, index) => {
    const stored = fresh[index]!.map((position) => ({
      ...position,
      id: ids[next++]!,
      judged: judgedOf(position, tooOld),
    }));
    return { stored, duplicates: items.length - stored.length };
  });
}

/** @param from who reports: a gateway the devices around it, or a device itself */
export async function appendReadings(
  tx: Tx,
  from: 'gatewayId' | 'deviceId',
  reports: readonly (ReportedItems<NormalReading> & { readonly placeOf: (reading: NormalReading) => ReadingOwner })[],
): Promise<Appended<StoredReading & ReadingOwner>[]> {
  if (reports.every(({ items }) => items.length === 0)) return reports.map(() => NOTHING);
  const reportedBy = (id: number) => (from === 'gatewayId' ? { gatewayId: id } : { gatewayId: null, deviceId: id });
  const fresh = await withoutDuplicates(
    reports,
    ({ hash }) => hash,
    (id, timestamps) => readingsAt(tx, reportedBy(id), timestamps),
  );
  const placed = reports.map(({ placeOf }, index) =>
    fresh[index]!.map((reading) => ({ ...reading, ...placeOf(reading) })),
  );
  const rows = reports.flatMap(({ now }, index) =>
    placed[index]!.map((reading) => [
      reading.gatewayId,
      reading.deviceId,
      reading.datapointId,
      now,
      reading.timestamp,
      reading.type,
      reading.value,
      reading.rssi,
      reading.meta,
      reading.correlationId,
      reading.sensorDeviceId,
      reading.hash,
      keeperOf(reading),
    ]),
  );
  const ids = await runRows(tx, INSERT_READINGS, rows);
  let next = 0;
  return reports.map(({ items }, index) => ({
    stored: placed[index]!.map((reading) => ({ ...reading, id: ids[next++]! })),
    duplicates: items.length - placed[index]!.length,
  }));
}

interface Timed {
  readonly timestamp: number;
}

interface Known extends Timed {
  readonly hash: string | null;
}

type HashOf<Item> = (item: Item) => string | null;

/** At most this many times in one look-up. */
const MAX_LOOKED_UP = 500;

/** What the reports before this one in the batch have brought of a device. */
interface Before<Item> {
  newest: number;
  readonly items: Item[];
}

/**
 * What of each report is new: neither in the store nor in a report before it in the batch.
 * @param hashOf by what an item is recognised, besides its time
 */
async function withoutDuplicates<Item extends Timed>(
  reports: readonly ReportedItems<Item>[],
  hashOf: HashOf<Item>,
  lookUp: (deviceId: number, timestamps: number[]) => Promise<Known[]>,
): Promise<(readonly Item[])[]> {
  const befores = new Map<number, Before<Item>>();
  const fresh: (readonly Item[])[] = [];
  for (const { deviceId, newest, items } of reports) {
    if (items.length === 0) {
      fresh.push(items);
      continue;
    }
    let before = befores.get(deviceId);
    if (before === undefined) {
      before = { newest, items: [] };
      befores.set(deviceId, before);
    }
    // Mostly each report is newer than everything before it, and nothing has to be looked up.
    const isNew = isRising(items, before.newest);
    const found = isNew
      ? items
      : await newAmong(items, before.items, newest, hashOf, (timestamps) => lookUp(deviceId, timestamps));
    for (const one of found) {
      before.items.push(one);
      before.newest = Math.max(before.newest, one.timestamp);
    }
    fresh.push(found);
  }
  return fresh;
}

/** Each newer than the one before it. */
function isRising(items: readonly Timed[], after: number): boolean {
  let last = after;
  for (const { timestamp } of items) {
    if (timestamp <= last) return false;
    last = timestamp;
  }
  return true;
}

async function newAmong<Item extends Timed>(
  items: readonly Item[],
  before: readonly Item[],
  newest: number,
  hashOf: HashOf<Item>,
  lookUp: (timestamps: number[]) => Promise<Known[]>,
): Promise<Item[]> {
  const known = new KnownItems(hashOf);
  for (const one of before) known.add(one);
  const olds = [...new Set(items.filter(({ timestamp }) => timestamp <= newest).map(({ timestamp }) => timestamp))];
  for (let start = 0; start < olds.length; start += MAX_LOOKED_UP)
    for (const { timestamp, hash } of await lookUp(olds.slice(start, start + MAX_LOOKED_UP)))
      known.addHash(timestamp, hash);
  return items.filter((one) => known.add(one));
}

/** Items by their times: mostly each has its own, and no identity must be worked out. */
class KnownItems<Item extends Timed> {
  readonly #hashOf: HashOf<Item>;
  readonly #items = new Map<number, Item | Set<string | null>>();

  constructor(hashOf: HashOf<Item>) {
    this.#hashOf = hashOf;
  }

  /** Whether it was unknown. */
  add(item: Item): boolean {
    if (this.#items.has(item.timestamp)) return this.addHash(item.timestamp, this.#hashOf(item));
    this.#items.set(item.timestamp, item);
    return true;
  }

  addHash(timestamp: number, hash: string | null): boolean {
    const known = this.#items.get(timestamp);
    const hashes = known instanceof Set ? known : new Set(known === undefined ? [] : [this.#hashOf(known)]);
    if (hashes !== known) this.#items.set(timestamp, hashes);
    if (hashes.has(hash)) return false;
    hashes.add(hash);
    return true;
  }
}
