import type { Kysely } from 'kysely';
import { queryRows } from '../../../platform/storage/bulk.ts';
import { bluetoothAddress } from '../../devices/bluetooth.ts';
import { findMeasured } from '../../positions/over-readings.ts';
import { readingHash } from '../../positions/packed-readings.ts';
import { isSighting } from '../../positions/stored-reading.ts';
import type { Tables } from '../../schema/tables.ts';
import type { DeviceBatch } from '../report/device-batch.ts';
import type { NormalizedReport, NormalReading } from '../report/normalize.ts';
import {
  notePlaces,
  PLACE_EVERY_MS,
  placeDueAt,
  SETTLE_MS,
  sightedByGateway,
  type TouchedPlace,
} from '../state/place-due.ts';

interface GatewayReport {
  readonly deviceId: number;
  readonly gatewayReadings: readonly NormalReading[];
}

/** Which of its owner's devices a gateway reports, by their bluetooth address, serial number or IMEI. */
export async function matchSensors(
  tx: Kysely<Tables>,
  reports: readonly GatewayReport[],
): Promise<{ deviceIds: number[]; find: (gatewayId: number, sensor: string | null) => number | null }> {
  const found = new Map<string, number>();
  for (const { deviceId, gatewayReadings } of reports) {
    const sensors = [...new Set(gatewayReadings.flatMap(({ sensorDeviceId }) => sensorDeviceId ?? []))];
    if (sensors.length === 0) continue;
    const gateway = await tx.selectFrom('devices').select('ownerId').where('id', '=', deviceId).executeTakeFirst();
    if (gateway === undefined) continue;
    const rows = await tx
      .selectFrom('devices')
      .select(['id', 'serial', 'imei', 'btMacAddress'])
      .where('ownerId', '=', gateway.ownerId)
      .where('deletedAt', 'is', null)
      .where((when) =>
        when.or([
          when('serial', 'in', sensors),
          when('imei', 'in', sensors),
          when('btMacAddress', 'in', sensors.map(asAddress)),
        ]),
      )
      .execute();
    for (const sensor of sensors) {
      const match =
        rows.find((row) => row.btMacAddress === asAddress(sensor)) ??
        rows.find((row) => row.serial === sensor || row.imei === sensor);
      if (match) found.set(`${deviceId} ${sensor}`, match.id);
    }
  }
  return { deviceIds: [...found.values()], find: (gatewayId, sensor) => found.get(`${gatewayId} ${sensor}`) ?? null };
}

/** No device has an empty address. */
const asAddress = (sensor: string) => bluetoothAddress(sensor) ?? '';

interface Noting {
  readonly now: number;
  /** Earlier sightings are not evaluated any more. */
  readonly tooOld: number;
  /** The newest time that was stored of each device before the batch. */
  readonly newestBefore: ReadonlyMap<number, number>;
  /** Whether the rows of a device are at another server. */
  readonly isElsewhere?: (deviceId: number) => boolean;
}

/** A place to evaluate again, of a device on another server than its gateway. */
export interface PlaceElsewhere extends TouchedPlace {
  readonly gatewayId: number;
}

/**
 * Records the tags to locate again: tags with new sightings, and tags whose own fixes or gateways came late.
 * @returns what must be recorded on other servers
 */
export async function noteSightings(
  tx: Kysely<Tables>,
  devices: ReadonlyMap<number, DeviceBatch>,
  { now, tooOld, newestBefore, isElsewhere = () => false }: Noting,
): Promise<PlaceElsewhere[]> {
  const touched: TouchedPlace[] = [];
  const elsewhere: PlaceElsewhere[] = [];
  for (const { deviceId, readings, points, stateRow } of devices.values()) {
    for (const reading of readings) {
      if (!isSighting(reading) || reading.timestamp < tooOld) continue;
      const { deviceId: tagId, timestamp } = reading;
      const tag = devices.get(tagId!);
      // One of another server is noted when its readings are evaluated.
      if (tag === undefined) continue;
      const { placedUntil } = tag.stateRow;
      touched.push({ deviceId: tagId!, at: timestamp, dueAt: placeDueAt(timestamp, now, placedUntil) });
    }
    if (points.length === 0) continue;
    const { placedUntil } = stateRow;
    const newest = newestBefore.get(deviceId) ?? Number.NEGATIVE_INFINITY;
    const dueAt = now + SETTLE_MS;
    let from = Number.POSITIVE_INFINITY;
    let to = Number.NEGATIVE_INFINITY;
    for (const { timestamp, locationLat } of points) {
      if (locationLat === null || timestamp < tooOld) continue;
      // Where the device has a position of its own, one computed from gateways does not count.
      if (placedUntil !== null && timestamp <= placedUntil) touched.push({ deviceId, at: timestamp, dueAt });
      if (timestamp > newest) continue;
      from = Math.min(from, timestamp);
      to = Math.max(to, timestamp);
    }
    if (from > to) continue;
    for (const place of await sightedByGateway(tx, deviceId, { from, to, dueAt }))
      if (isElsewhere(place.deviceId)) elsewhere.push({ ...place, gatewayId: deviceId });
      else touched.push(place);
  }
  if (touched.length > 0) await notePlaces(tx, touched);
  return elsewhere;
}

/** The same value that another gateway received of a tag at most so long before or after is the same measurement. */
const SAME_MS = PLACE_EVERY_MS;
export const FIND_MEASURED = findMeasured(SAME_MS);

interface Measured {
  readonly gatewayId: number;
  readonly deviceId: number;
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
}

/**
 * The gateway readings of each report, where a measurement that another gateway reported is left out. That a gateway received
 * it is kept, as one sighting, because the place of the tag follows from it. The states of the tags are locked.
 */
export async function measuredOnce(
  tx: Kysely<Tables>,
  reports: readonly NormalizedReport[],
  sensedBy: (gatewayId: number, sensor: string | null) => number | null,
): Promise<(readonly NormalReading[])[]> {
  const measuredIn = (gatewayId: number, reading: NormalReading): Measured | undefined => {
    const deviceId = reading.type.endsWith('_seen') ? null : sensedBy(gatewayId, reading.sensorDeviceId);
    return deviceId === null || deviceId === gatewayId ? undefined : { ...reading, gatewayId, deviceId };
  };
  const all = reports.flatMap(({ deviceId, gatewayReadings }) =>
    gatewayReadings.flatMap((reading) => measuredIn(deviceId, reading) ?? []),
  );
  const rows = all.map(({ gatewayId, deviceId, type, timestamp }) => [gatewayId, deviceId, type, timestamp]);
  const known = new Map<string, Measured[]>();
  for (const one of await queryRows<Measured>(tx, FIND_MEASURED, rows)) note(known, one);
  return reports.map(({ deviceId: gatewayId, gatewayReadings }) => {
    if (gatewayReadings.length === 0) return gatewayReadings;
    return gatewayReadings.map((reading) => {
      const one = measuredIn(gatewayId, reading);
      if (one === undefined) return reading;
      const isKnown = known.get(keyOf(one))?.some((other) => isSame(one, other));
      if (isKnown) return sightingOf(reading);
      note(known, one);
      return reading;
    });
  });
}

/** PostgreSQL writes JSON in its own way. */
const keyOf = ({ deviceId, type, value }: Measured) => JSON.stringify([deviceId, type, JSON.parse(value)]);

const isSame = (one: Measured, other: Measured) =>
  other.gatewayId !== one.gatewayId && Math.abs(other.timestamp - one.timestamp) <= SAME_MS;

function note(known: Map<string, Measured[]>, one: Measured): void {
  const key = keyOf(one);
  const others = known.get(key);
  if (others) others.push(one);
  else known.set(key, [one]);
}

/** The same for all measurements of one transmission, so that it is stored once. */
function sightingOf(reading: NormalReading): NormalReading {
  const sighting = { ...reading, type: 'ble_seen', value: JSON.stringify(reading.sensorDeviceId) };
  return { ...sighting, hash: readingHash(sighting) };
}
