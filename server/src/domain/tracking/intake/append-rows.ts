import type { Kysely } from 'kysely';
import { insertOf, runRows } from '../../../platform/storage/bulk.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import type { StoredReading } from '../judge/to-fix.ts';
import { type NormalPoint, type NormalReading, type PackedPoint, unpackPoint } from './normalize.ts';

/** Writes down what a device items, once: what was items before is known by device, time and hash. */

type Tx = Kysely<Tables>;

/** What one report says. Several of one device may come together. */
export interface ReportedItems<Said> {
  readonly deviceId: number;
  /** The newest that is stored of the device: only what is not newer must be looked up. */
  readonly newest: number;
  readonly now: number;
  readonly items: readonly Said[];
}

export interface Appended<Stored> {
  readonly stored: readonly Stored[];
  readonly duplicates: number;
}

const NOTHING: Appended<never> = { stored: [], duplicates: 0 };

const INSERT_POINTS = insertOf('points', {
  deviceId: 'integer',
  created: 'time',
  judged: 'text',
  timestamp: 'time',
  locationLat: 'number',
  locationLng: 'number',
  speed: 'number',
  altitude: 'number',
  course: 'number',
  accuracy: 'number',
  locationType: 'text',
  sats: 'integer',
  hdop: 'number',
  batteryPct: 'number',
  batteryVoltage: 'number',
  averageCharge: 'integer',
  sendReason: 'integer',
  alertType: 'integer',
  mode: 'integer',
  gsmSignal: 'number',
  address: 'text',
  correlationId: 'text',
  hash: 'text',
});

export type AppendedPoint = NormalPoint & { readonly id: number; readonly judged: string | null };

/** Answers for each batch what of it is stored. */
export async function appendPoints(
  tx: Tx,
  storeKind: StoreKind,
  batches: readonly (ReportedItems<PackedPoint> & { readonly tooOld: number })[],
): Promise<Appended<AppendedPoint>[]> {
  const known = batches.map((batch) => ({ ...batch, items: batch.items.map(identified) }));
  const fresh = await withoutDuplicates(known, (deviceId, timestamps) =>
    tx
      .selectFrom('points')
      .select(['timestamp', 'hash'])
      .where('deviceId', '=', deviceId)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const judgedOf = ({ timestamp }: Identified, tooOld: number) => (timestamp < tooOld ? 'tooOld' : null);
  const rows = batches.flatMap(({ deviceId, now, tooOld }, batch) =>
    // In the order of the columns above.
    fresh[batch]!.map((point): Cell[] => [deviceId, now, judgedOf(point, tooOld), ...point.packed]),
  );
  const ids = await runRows(tx, storeKind, INSERT_POINTS, rows);
  let next = 0;
  return batches.map(({ items, tooOld }, batch) => ({
    stored: fresh[batch]!.map((point) =>
      Object.assign(unpackPoint(point.packed), { id: ids[next++]!, judged: judgedOf(point, tooOld) }),
    ),
    duplicates: items.length - fresh[batch]!.length,
  }));
}

const identified = (packed: PackedPoint) => ({ timestamp: packed[0], hash: packed[19], packed });

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
});

/** @param from who tells: a gateway what it heard, or a device about itself */
export async function appendReadings(
  tx: Tx,
  storeKind: StoreKind,
  from: 'gatewayId' | 'deviceId',
  batches: readonly (ReportedItems<NormalReading> & { readonly placeOf: (reading: NormalReading) => ReadingOwner })[],
): Promise<Appended<StoredReading & ReadingOwner>[]> {
  if (batches.every(({ items }) => items.length === 0)) return batches.map(() => NOTHING);
  const fresh = await withoutDuplicates(batches, (id, timestamps) =>
    tx
      .selectFrom('gatewayReadings')
      .select(['timestamp', 'hash'])
      .where(from, '=', id)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const placed = batches.map(({ placeOf }, batch) =>
    fresh[batch]!.map((reading) => ({ ...reading, ...placeOf(reading) })),
  );
  const rows = batches.flatMap(({ now }, batch) =>
    placed[batch]!.map((reading) => [
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
    ]),
  );
  const ids = await runRows(tx, storeKind, INSERT_READINGS, rows);
  let next = 0;
  return batches.map(({ items }, batch) => ({
    stored: placed[batch]!.map((reading) => ({ ...reading, id: ids[next++]! })),
    duplicates: items.length - placed[batch]!.length,
  }));
}

interface Identified {
  readonly timestamp: number;
  readonly hash: string | null;
}

const keyOf = ({ timestamp, hash }: Identified) => `${timestamp} ${hash}`;
const LOOKED_UP = 500;

/** What a device items before, within the group: mostly each report is newer than all that. */
interface Before {
  newest: number;
  readonly items: Identified[];
}

/** What of each batch was not items before, in the store or in a batch before it. */
async function withoutDuplicates<T extends Identified>(
  batches: readonly ReportedItems<T>[],
  lookUp: (deviceId: number, timestamps: number[]) => Promise<Identified[]>,
): Promise<(readonly T[])[]> {
  const befores = new Map<number, Before>();
  const fresh: (readonly T[])[] = [];
  for (const { deviceId, newest, items } of batches) {
    if (items.length === 0) {
      fresh.push(items);
      continue;
    }
    let before = befores.get(deviceId);
    if (before === undefined) {
      before = { newest, items: [] };
      befores.set(deviceId, before);
    }
    const isNews = isRising(items, before.newest);
    const found = isNews ? items : await newAmong(items, before, newest, (timestamps) => lookUp(deviceId, timestamps));
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
  const heard = new Set(before.items.map(keyOf));
  const olds = [...new Set(items.filter(({ timestamp }) => timestamp <= newest).map(({ timestamp }) => timestamp))];
  for (let start = 0; start < olds.length; start += LOOKED_UP) {
    for (const row of await lookUp(olds.slice(start, start + LOOKED_UP))) heard.add(keyOf(row));
  }
  return items.filter((one) => {
    const key = keyOf(one);
    return !heard.has(key) && heard.add(key);
  });
}
