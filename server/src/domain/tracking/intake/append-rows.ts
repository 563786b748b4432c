import type { Kysely, Selectable } from 'kysely';
import { insertOf, runRows } from '../../../platform/storage/bulk.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { encodeOf } from '../../positions/encode.ts';
import { IDENTITY_COLUMNS, identityOf } from '../../positions/identity.ts';
import { newestRows, newestWith, staysRowFrom } from '../../positions/newest-rows.ts';
import { positionsAt } from '../../positions/positions-at.ts';
import { type ReservedIds, reserveIds } from '../../positions/reserve-ids.ts';
import { insertEncoded } from '../../positions/write.ts';
import type { PointRow } from '../../schema/rows/tracking-rows.ts';
import type { Tables } from '../../schema/tables.ts';
import { readingsAt } from '../../stored-readings/readings-at.ts';
import { keeperOf } from '../../stored-readings/stored-reading.ts';
import type { StoredPoint, StoredReading } from '../judge/to-fix.ts';
import type { NormalReading } from './normalized/normalize.ts';
import { CELL, type PackedPoint, type PointCells, unpackPoint } from './normalized/packed-point.ts';

/** Stores the items of reports, each once: an item that was reported before is recognised by device, time and what it says. */

type Tx = Kysely<Tables>;

/** The items of one kind in one report. A batch may hold several reports of one device. */
export interface ReportedItems<Item> {
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

/** A position that was just stored: what judging and the device's own row need of it, and all its cells. */
export interface AppendedPoint extends StoredPoint {
  readonly batteryVoltage: PointCells['batteryVoltage'];
  readonly judged: PointRow['judged'];
  readonly cells: PackedPoint;
}

/** Positions that are not stored yet: they are to be packed once it is known which of them are implausible. */
export interface ToPack {
  readonly points: readonly AppendedPoint[];
  /** When they were received. */
  readonly created: number;
  /** Positions before this time are packed, from it on they are rows. */
  readonly rowsBefore: number;
  /** The time of a row that was the newest of the device before. */
  readonly besides: number | undefined;
}

interface ReportedPoints extends ReportedItems<PackedPoint> {
  readonly tooOld: number;
  /** Positions before this time are packed at once. */
  readonly packBefore: number;
}

/** Answers for each report what of it is stored, and what is to be packed. */
export async function appendPoints(
  tx: Tx,
  storeKind: StoreKind,
  reports: readonly ReportedPoints[],
  reserved?: ReservedIds,
): Promise<(Appended<AppendedPoint> & { readonly toPack?: ToPack })[]> {
  const known = reports.map((report) => ({ ...report, items: report.items.map((cells) => new KnownPoint(cells)) }));
  const fresh = await withoutDuplicates(known, async (deviceId, timestamps) => {
    const rows = await positionsAt(tx, deviceId, timestamps, [...IDENTITY_COLUMNS, 'isHeard', 'reportedHash']);
    return rows.filter(({ isHeard }) => isHeard === 0).map(knownPoint);
  });
  const judgedOf = ({ timestamp }: Identified, tooOld: number) => (timestamp < tooOld ? 'tooOld' : null);
  const packing: (Packing | undefined)[] = [];
  for (let index = 0; index < reports.length; index++)
    if (reports[index]!.packBefore > NEVER) packing[index] = await packingOf(tx, reports[index]!, fresh[index]!);
  const isPacked = ({ timestamp }: Pick<Identified, 'timestamp'>, index: number) =>
    timestamp < (packing[index]?.rowsBefore ?? NEVER);
  const rows: Cell[][] = [];
  for (let index = 0; index < reports.length; index++) {
    const { deviceId, now, tooOld } = reports[index]!;
    for (const point of fresh[index]!)
      if (!isPacked(point, index))
        rows.push(encodeOf(unpackPoint(point.cells), deviceId, now, judgedOf(point, tooOld)));
  }
  const ids = await insertEncoded(tx, storeKind, rows, reserved);
  let next = 0;
  const appended: (Appended<AppendedPoint> & { readonly toPack?: ToPack })[] = [];
  for (let index = 0; index < reports.length; index++) {
    const { items, tooOld, now: created } = reports[index]!;
    const points = fresh[index]!;
    const packed = packing[index];
    const count = packed ? points.filter((point) => isPacked(point, index)).length : 0;
    const ofPacked = count === 0 ? [] : await reserveIds(tx, storeKind, count);
    let nextPacked = 0;
    const stored = points.map((point) => {
      const id = isPacked(point, index) ? ofPacked[nextPacked++]! : ids[next++]!;
      return appendedPoint(id, judgedOf(point, tooOld), point.cells);
    });
    const toPack = count === 0 ? undefined : stored.filter((point) => isPacked(point, index));
    appended.push({
      stored,
      duplicates: items.length - points.length,
      ...(toPack && { toPack: { points: toPack, created, ...packed! } }),
    });
  }
  return appended;
}

const NEVER = Number.NEGATIVE_INFINITY;

type Packing = Pick<ToPack, 'rowsBefore' | 'besides'>;

/** Undefined where nothing of a report is packed at once. */
async function packingOf(
  tx: Tx,
  { deviceId, packBefore }: ReportedPoints,
  points: readonly { readonly timestamp: number; readonly cells: PackedPoint }[],
): Promise<Packing | undefined> {
  if (!points.some(({ timestamp }) => timestamp < packBefore)) return undefined;
  const rows = await newestRows(tx, deviceId);
  const kept = staysRowFrom(
    newestWith(
      rows,
      points.map(({ cells }) => placeOf(cells)),
    ),
  );
  const rowsBefore = Math.min(packBefore, kept);
  const newestBefore = staysRowFrom(rows);
  return { rowsBefore, besides: newestBefore < rowsBefore ? newestBefore : undefined };
}

const placeOf = (cells: PackedPoint) => ({
  timestamp: cells[CELL.timestamp] as PointCells['timestamp'],
  locationLat: cells[CELL.locationLat] as PointCells['locationLat'],
  locationType: cells[CELL.locationType] as PointCells['locationType'],
});

class KnownPoint implements Identified {
  readonly timestamp: number;
  readonly cells: PackedPoint;

  constructor(cells: PackedPoint) {
    this.timestamp = cells[CELL.timestamp] as PointCells['timestamp'];
    this.cells = cells;
  }

  /** Mostly nobody asks: a position that is newer than all before it is new. */
  get hash(): string {
    return identityOf(unpackPoint(this.cells));
  }
}

/** What somebody changed is still known by what was reported. */
const knownPoint = ({
  reportedHash,
  ...row
}: Parameters<typeof identityOf>[0] & Pick<Selectable<PointRow>, 'reportedHash'>) => ({
  timestamp: row.timestamp,
  hash: reportedHash ?? identityOf(row),
});

const appendedPoint = (id: number, judged: AppendedPoint['judged'], cells: PackedPoint): AppendedPoint => ({
  id,
  timestamp: cells[CELL.timestamp] as PointCells['timestamp'],
  locationLat: cells[CELL.locationLat] as PointCells['locationLat'],
  locationLng: cells[CELL.locationLng] as PointCells['locationLng'],
  speed: cells[CELL.speed] as PointCells['speed'],
  course: cells[CELL.course] as PointCells['course'],
  accuracy: cells[CELL.accuracy] as PointCells['accuracy'],
  locationType: cells[CELL.locationType] as PointCells['locationType'],
  batteryPct: cells[CELL.batteryPct] as PointCells['batteryPct'],
  mode: cells[CELL.mode] as PointCells['mode'],
  alertType: cells[CELL.alertType] as PointCells['alertType'],
  batteryVoltage: cells[CELL.batteryVoltage] as PointCells['batteryVoltage'],
  judged,
  cells,
});

/** All that is stored of a position, but for its device and when it was received. */
export const storedCells = ({ id, judged, cells }: AppendedPoint) => ({ ...unpackPoint(cells), id, judged });

export interface ReadingOwner {
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly datapointId: number | null;
}

const INSERT_READINGS = insertOf('gatewayReadings', {
  gatewayId: 'integer',
  deviceId: 'integer',
  datapointId: 'integer',
  created: 'time',
  timestamp: 'time',
  type: 'text',
  value: 'json',
  rssi: 'number',
  meta: 'json',
  correlationId: 'text',
  sensorDeviceId: 'text',
  hash: 'text',
  keptBy: 'integer',
});

/** @param from who reports: a gateway the devices around it, or a device itself */
export async function appendReadings(
  tx: Tx,
  storeKind: StoreKind,
  from: 'gatewayId' | 'deviceId',
  reports: readonly (ReportedItems<NormalReading> & { readonly placeOf: (reading: NormalReading) => ReadingOwner })[],
): Promise<Appended<StoredReading & ReadingOwner>[]> {
  if (reports.every(({ items }) => items.length === 0)) return reports.map(() => NOTHING);
  const toldBy = (id: number) => (from === 'gatewayId' ? { gatewayId: id } : { gatewayId: null, deviceId: id });
  const fresh = await withoutDuplicates(reports, (id, timestamps) => readingsAt(tx, toldBy(id), timestamps));
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
  const ids = await runRows(tx, storeKind, INSERT_READINGS, rows);
  let next = 0;
  return reports.map(({ items }, index) => ({
    stored: placed[index]!.map((reading) => ({ ...reading, id: ids[next++]! })),
    duplicates: items.length - placed[index]!.length,
  }));
}

interface Identified {
  readonly timestamp: number;
  readonly hash: string | null;
}

/** At most this many times in one look-up. */
const MAX_LOOKED_UP = 500;

/** What the reports before this one in the batch have brought of a device. */
interface Before {
  newest: number;
  readonly items: Identified[];
}

/** What of each report is new: neither in the store nor in a report before it in the batch. */
async function withoutDuplicates<T extends Identified>(
  reports: readonly ReportedItems<T>[],
  lookUp: (deviceId: number, timestamps: number[]) => Promise<Identified[]>,
): Promise<(readonly T[])[]> {
  const befores = new Map<number, Before>();
  const fresh: (readonly T[])[] = [];
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
    const found = isNew ? items : await newAmong(items, before, newest, (timestamps) => lookUp(deviceId, timestamps));
    for (const one of found) {
      before.items.push(one);
      before.newest = Math.max(before.newest, one.timestamp);
    }
    fresh.push(found);
  }
  return fresh;
}

/** Each newer than the one before it. */
function isRising(items: readonly Identified[], after: number): boolean {
  let last = after;
  for (const { timestamp } of items) {
    if (timestamp <= last) return false;
    last = timestamp;
  }
  return true;
}

async function newAmong<T extends Identified>(
  items: readonly T[],
  before: Before,
  newest: number,
  lookUp: (timestamps: number[]) => Promise<Identified[]>,
): Promise<T[]> {
  const known = new KnownItems();
  for (const one of before.items) known.add(one);
  const olds = [...new Set(items.filter(({ timestamp }) => timestamp <= newest).map(({ timestamp }) => timestamp))];
  for (let start = 0; start < olds.length; start += MAX_LOOKED_UP) {
    for (const row of await lookUp(olds.slice(start, start + MAX_LOOKED_UP))) known.add(row);
  }
  return items.filter((one) => known.add(one));
}

/** Items by their times: mostly each has its own, and no identity must be worked out. */
class KnownItems {
  readonly #items = new Map<number, Identified | Set<string | null>>();

  /** Whether it was unknown. */
  add(item: Identified): boolean {
    const known = this.#items.get(item.timestamp);
    if (known === undefined) {
      this.#items.set(item.timestamp, item);
      return true;
    }
    const hashes = known instanceof Set ? known : new Set([known.hash]);
    if (hashes !== known) this.#items.set(item.timestamp, hashes);
    const { hash } = item;
    if (hashes.has(hash)) return false;
    hashes.add(hash);
    return true;
  }
}
