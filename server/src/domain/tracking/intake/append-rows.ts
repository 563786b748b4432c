import type { Kysely } from 'kysely';
import type { Engine } from '../../../platform/storage/database.ts';
import { insertOf, runRows } from '../../../platform/storage/each-row.ts';
import type { Cell } from '../../../platform/storage/shape.ts';
import type { Tables } from '../../schema/tables.ts';
import type { StoredReading } from '../judge/to-fix.ts';
import { type NormalPoint, type NormalReading, type PackedPoint, unpackPoint } from './normalize.ts';

/** Writes down what a device said, once: what was said before is known by device, time and hash. */

type Tx = Kysely<Tables>;

/** What one report says. Several of one device may come together. */
export interface Batch<Said> {
  readonly deviceId: number;
  /** The newest that is stored of the device: only what is not newer must be looked up. */
  readonly newest: number;
  readonly now: number;
  readonly said: readonly Said[];
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
  engine: Engine,
  batches: readonly (Batch<PackedPoint> & { readonly tooOld: number })[],
): Promise<Appended<AppendedPoint>[]> {
  const known = batches.map((batch) => ({ ...batch, said: batch.said.map(identified) }));
  const fresh = await unsaid(known, (deviceId, timestamps) =>
    tx
      .selectFrom('points')
      .select(['timestamp', 'hash'])
      .where('deviceId', '=', deviceId)
      .where('timestamp', 'in', timestamps)
      .execute(),
  );
  const judgedOf = ({ timestamp }: Said, tooOld: number) => (timestamp < tooOld ? 'tooOld' : null);
  const rows = batches.flatMap(({ deviceId, now, tooOld }, batch) =>
    // In the order of the columns above.
    fresh[batch]!.map((point): Cell[] => [deviceId, now, judgedOf(point, tooOld), ...point.packed]),
  );
  const ids = await runRows(tx, engine, INSERT_POINTS, rows);
  let next = 0;
  return batches.map(({ said, tooOld }, batch) => ({
    stored: fresh[batch]!.map((point) =>
      Object.assign(unpackPoint(point.packed), { id: ids[next++]!, judged: judgedOf(point, tooOld) }),
    ),
    duplicates: said.length - fresh[batch]!.length,
  }));
}

const identified = (packed: PackedPoint) => ({ timestamp: packed[0], hash: packed[19], packed });

export interface ReadingPlace {
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
  engine: Engine,
  from: 'gatewayId' | 'deviceId',
  batches: readonly (Batch<NormalReading> & { readonly placeOf: (reading: NormalReading) => ReadingPlace })[],
): Promise<Appended<StoredReading & ReadingPlace>[]> {
  if (batches.every(({ said }) => said.length === 0)) return batches.map(() => NOTHING);
  const fresh = await unsaid(batches, (id, timestamps) =>
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
  const ids = await runRows(tx, engine, INSERT_READINGS, rows);
  let next = 0;
  return batches.map(({ said }, batch) => ({
    stored: placed[batch]!.map((reading) => ({ ...reading, id: ids[next++]! })),
    duplicates: said.length - placed[batch]!.length,
  }));
}

interface Said {
  readonly timestamp: number;
  readonly hash: string | null;
}

const keyOf = ({ timestamp, hash }: Said) => `${timestamp} ${hash}`;
const LOOKED_UP = 500;

/** What a device said before, within the group: mostly each report is newer than all that. */
interface Before {
  newest: number;
  readonly said: Said[];
}

/** What of each batch was not said before, in the store or in a batch before it. */
async function unsaid<T extends Said>(
  batches: readonly Batch<T>[],
  lookUp: (deviceId: number, timestamps: number[]) => Promise<Said[]>,
): Promise<(readonly T[])[]> {
  const befores = new Map<number, Before>();
  const fresh: (readonly T[])[] = [];
  for (const { deviceId, newest, said } of batches) {
    if (said.length === 0) {
      fresh.push(said);
      continue;
    }
    let before = befores.get(deviceId);
    if (before === undefined) {
      before = { newest, said: [] };
      befores.set(deviceId, before);
    }
    const isNews = isRising(said, before.newest);
    const found = isNews ? said : await unsaidOf(said, before, newest, (timestamps) => lookUp(deviceId, timestamps));
    for (const one of found) {
      before.said.push(one);
      before.newest = Math.max(before.newest, one.timestamp);
    }
    fresh.push(found);
  }
  return fresh;
}

/** Each newer than the one before it. */
function isRising(said: readonly Said[], after: number): boolean {
  let last = after;
  for (const { timestamp } of said) {
    if (timestamp <= last) return false;
    last = timestamp;
  }
  return true;
}

async function unsaidOf<T extends Said>(
  said: readonly T[],
  before: Before,
  newest: number,
  lookUp: (timestamps: number[]) => Promise<Said[]>,
): Promise<T[]> {
  const heard = new Set(before.said.map(keyOf));
  const olds = [...new Set(said.filter(({ timestamp }) => timestamp <= newest).map(({ timestamp }) => timestamp))];
  for (let start = 0; start < olds.length; start += LOOKED_UP) {
    for (const row of await lookUp(olds.slice(start, start + LOOKED_UP))) heard.add(keyOf(row));
  }
  return said.filter((one) => {
    const key = keyOf(one);
    return !heard.has(key) && heard.add(key);
  });
}
