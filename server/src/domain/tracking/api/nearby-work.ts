import type { AnswerOf } from '@trackway/contract/operations.ts';
import type { Scope } from '../../../platform/collection.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { addressNumber, bluetoothAddress } from '../../devices/bluetooth.ts';
import { overReadings } from '../../positions/over-readings.ts';
import type { StoredReadingRow } from '../../positions/stored-reading.ts';
import type { TimeSpan } from '../../range.ts';
import type { Tables } from '../../schema/tables.ts';

type Nearby = AnswerOf<'nearbyDevices'>[number];

/** What of the readings of a gateway is asked for. */
interface NearbyQuestion {
  readonly gatewayId: number;
  readonly span?: TimeSpan;
  readonly correlationId?: string;
  /** The devices that the caller may see. */
  readonly seen: Pick<Scope, 'sql' | 'cells'>;
}

/** Devices that a gateway received, each with its readings. */
const MOST = 1000;
/** Newest readings that are looked at: enough for all things with twenty types each. */
const MOST_READINGS = 20_000;
const MAX_LENGTH = 32 * 1024 * 1024;
/** Devices whose right is asked for in one statement. */
const AT_ONCE = 1000;

/** The newest reading of each type of one identifier. */
interface Sighting {
  readonly id: number;
  readonly deviceId: number | null;
  readonly sensorDeviceId: string | null;
  readonly type: string;
  readonly value: string;
  readonly timestamp: number;
  readonly rssi: number | null;
  readonly meta: string | null;
  readonly datapointId: number | null;
  readonly correlationId: string | null;
}

interface SensedDevice {
  readonly id: number;
  readonly name: string | null;
  readonly btMac: number | null;
  readonly btMacAddress: string | null;
  readonly serial: string | null;
  readonly imei: string | null;
  readonly type: string | null;
  readonly loraId: string | null;
}

/** Groups the sightings of a gateway by sensed device, as JSON text; undefined if that would be too large. */
export const nearbyDevices = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, question: NearbyQuestion): Promise<string | undefined> => {
    const sightings = await readSightings(workplace, question);
    const seen = await readSeen(workplace, sightings, question.seen);
    const groups = new Map<string, Sighting[]>();
    for (const one of sightings) {
      const group = groupOf(one, seen);
      if (group === undefined) continue;
      const others = groups.get(group);
      if (others !== undefined) others.push(one);
      else if (groups.size < MOST) groups.set(group, [one]);
    }
    const all = [...groups.values()].map((readings) => shown(readings, seen.get(readings[0]!.deviceId ?? 0)));
    const text = JSON.stringify(all);
    return text.length > MAX_LENGTH ? undefined : text;
  },
);

/** The newest first. */
async function readSightings(
  workplace: Workplace<Tables>,
  { gatewayId, span, correlationId }: NearbyQuestion,
): Promise<Sighting[]> {
  const within = [
    '"gatewayId" = ?',
    ...(span ? ['"timestamp" >= ?', '"timestamp" <= ?'] : []),
    ...(correlationId === undefined ? [] : ['"correlationId" = ?']),
  ].join(' AND ');
  const statement = (
    source: string,
  ) => `SELECT "id", "deviceId", "sensorDeviceId", "type", "value", "timestamp", "rssi", "meta", "datapointId",
      "correlationId"
    FROM (SELECT r.*, ROW_NUMBER() OVER (PARTITION BY "deviceId", "sensorDeviceId", "type"
        ORDER BY "timestamp" DESC, "id" DESC) AS "rank"
      FROM ${source} r WHERE ${within} AND ("deviceId" IS NOT NULL OR "sensorDeviceId" IS NOT NULL)) h
    WHERE "rank" = 1 ORDER BY "timestamp" DESC, "id" DESC LIMIT ${MOST_READINGS}`;
  const cells = [
    gatewayId,
    ...(span ? [span.from, span.to] : []),
    ...(correlationId === undefined ? [] : [correlationId]),
  ];
  const wanted = {
    scope: { gatewayId },
    span: span ?? { from: Number.MIN_SAFE_INTEGER, to: Number.MAX_SAFE_INTEGER },
    ...(correlationId !== undefined && {
      isLookedAt: (reading: StoredReadingRow) => reading.correlationId === correlationId,
    }),
  };
  return overReadings<Sighting>(workplace.query, wanted, (source) => ({ sql: statement(source), cells }));
}

/** The devices that were sensed and that the caller may see. */
async function readSeen(
  workplace: Workplace<Tables>,
  sightings: readonly Sighting[],
  { sql, cells }: NearbyQuestion['seen'],
): Promise<Map<number, SensedDevice>> {
  const ids = [...new Set(sightings.flatMap(({ deviceId }) => deviceId ?? []))];
  const found = new Map<number, SensedDevice>();
  const statement = workplace.prepare<SensedDevice>(
    `readings.sensed ${fingerprint(sql).slice(0, 16)}`,
    `SELECT "id", "name", "btMac", "btMacAddress", "serial", "imei", "type", "loraId" FROM "devices"
     WHERE (${sql}) AND "id" IN (${workplace.dialect.idList})`,
  );
  for (let start = 0; start < ids.length; start += AT_ONCE)
    for (const device of await statement.all(...cells, JSON.stringify(ids.slice(start, start + AT_ONCE))))
      found.set(device.id, device);
  return found;
}

/**
 * Of a device that the caller may not see, only the received identifier is shown. Readings without an identifier are
 * left out.
 */
function groupOf({ deviceId, sensorDeviceId }: Sighting, seen: ReadonlyMap<number, unknown>): string | undefined {
  if (deviceId !== null && seen.has(deviceId)) return `device ${deviceId}`;
  if (sensorDeviceId === null) return undefined;
  return `sensor ${bluetoothAddress(sensorDeviceId) ?? sensorDeviceId}`;
}

/** @param sightings the newest first */
function shown(sightings: readonly Sighting[], device: SensedDevice | undefined): Nearby {
  // A type may have any name, also one that objects have by themselves.
  const readings: Nearby['readings'] = Object.create(null);
  for (const { type, value, meta, timestamp, rssi, id, datapointId, correlationId } of sightings) {
    if (type in readings) continue;
    const parsed = { value: JSON.parse(value) as unknown, meta: meta === null ? null : (JSON.parse(meta) as object) };
    readings[type] = { ...parsed, timestamp, rssi, id, datapointId, correlationId };
  }
  const sensorDeviceId = sightings.find((one) => one.sensorDeviceId !== null)?.sensorDeviceId ?? null;
  const name = broadcastName(sightings) ?? sensorDeviceId;
  if (device !== undefined) {
    const loraId: unknown = device.loraId === null ? null : JSON.parse(device.loraId);
    return { device: { ...device, name: device.name ?? name, loraId, sensorDeviceId }, readings };
  }
  const btMacAddress = sensorDeviceId === null ? null : (bluetoothAddress(sensorDeviceId) ?? null);
  const btMac = btMacAddress === null ? null : addressNumber(btMacAddress);
  const none = { serial: null, imei: null, type: null, loraId: null };
  return { device: { id: 0, name, btMac, btMacAddress, ...none, sensorDeviceId }, readings };
}

function broadcastName(sightings: readonly Sighting[]): string | undefined {
  for (const { value } of sightings) {
    if (!value.includes('"name"')) continue;
    const { name } = (JSON.parse(value) ?? {}) as { name?: unknown };
    if (typeof name === 'string' && name !== '') return name;
  }
  return undefined;
}
