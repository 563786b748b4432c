import type { device } from '@trackway/contract/resources/device.ts';
import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import { type deviceConfigV2, deviceV2 } from '@trackway/contract/resources/v2/device-v2.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Caller } from '../../calls.ts';
import { presentRow, type Row } from '../../platform/storage/shape.ts';
import { defineReadWork, type Workplace } from '../../platform/storage/work.ts';
import { activeSubscriptions } from '../plans/shown-plans.ts';
import { openReadings } from '../positions/reading-segments.ts';
import type { ReadingPair } from '../positions/stored-reading.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tables } from '../schema/tables.ts';
import { bluetoothAddress } from './bluetooth.ts';

/** Devices and configurations in the names of version 2, made of what version 1 shows. */

type Device = Shown<typeof device>;
type Config = Shown<typeof deviceConfig>;

const FIELDS = Object.keys(deviceV2.fields) as (keyof Shown<typeof deviceV2> & keyof Device)[];

export function showDeviceV2(shown: Device): Shown<typeof deviceV2> {
  const same = Object.fromEntries(FIELDS.map((name) => [name, shown[name]])) as Shown<typeof deviceV2>;
  const { batteryPct, tags, meta } = shown;
  return {
    ...same,
    batteryPct: batteryPct === null ? null : Math.round(batteryPct),
    tags: tags ?? [],
    meta: meta ?? {},
  };
}

/** A firmware version that is a whole number. */
const numberOf = (version: string | null) => {
  const value = version !== null && /^\d{1,16}$/.test(version) ? Number(version) : null;
  return Number.isSafeInteger(value) ? value : null;
};

function showConfigV2(config: Config & { fwChannel?: string | null }): Omit<Shown<typeof deviceConfigV2>, 'id'> {
  const { id: _, deviceId, safeZoneId, checkInInterval, onDemandTime, updateAvailibility, ...same } = config;
  const { currentFW, otaFW, movementSensitivity, movementSensitivity2, ...more } = same;
  const { reasonsToWake, timed, ...rest } = more;
  return {
    ...rest,
    currentFW: numberOf(currentFW),
    currentFWName: currentFW,
    otaFW: numberOf(otaFW),
    otaFWName: otaFW,
    movementSensitivity: movementSensitivity2,
    movementSensitivityOld: movementSensitivity,
    updateAvailability: updateAvailibility,
    reasonsToWake: reasonsToWake?.[0] ?? {},
    timed: timed === null || timed.length === 0 ? null : JSON.stringify(timed),
    fwChannel: config.fwChannel ?? null,
  };
}

/** What devices of version 2 include, read for many of them at once on a separate thread. */
interface IncludedV2 {
  readonly deviceIds: readonly number[];
  readonly include: readonly string[];
  readonly reader: Pick<Caller, 'userId' | 'admin'>;
  readonly now: number;
}

type Fields = Record<string, unknown>;
type Reader = (workplace: Workplace<Tables>, wanted: IncludedV2) => Promise<(deviceId: number) => Fields>;

const DAY_MS = 86_400_000;
const SIGHTING_DAYS = 30;
const MOST_SIGHTINGS = 1000;

/** Additional fields of each device, in the order of the ids. */
export const includedV2 = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, wanted: IncludedV2): Promise<Fields[]> => {
    const of: ((deviceId: number) => Fields)[] = [];
    for (const word of wanted.include) of.push(await READERS[word]!(workplace, wanted));
    return wanted.deviceIds.map((id) => Object.assign({}, ...of.map((fieldsOf) => fieldsOf(id))));
  },
);

const nothing =
  (fields: Fields): Reader =>
  async () =>
  () =>
    fields;

const READERS: Readonly<Record<string, Reader>> = {
  async vehicle(workplace, { deviceIds }) {
    const rows = await idStatement<{
      deviceId: number;
      plate: string | null;
      vin: string | null;
      photoType: string | null;
    }>(
      workplace,
      'vehicles',
      'SELECT "deviceId", "plate", "vin", "photoType" FROM "vehicles" WHERE "deviceId" IN (ids)',
    ).all(JSON.stringify(deviceIds));
    const vehicles = new Map(rows.map((row) => [row.deviceId, row]));
    return (id) => {
      const { plate = null, vin = null, photoType = null } = vehicles.get(id) ?? {};
      return { vehicle: { plate, vin, hasPhoto: photoType !== null } };
    };
  },

  async config(workplace, { deviceIds }) {
    const shape = shapeOf(deviceConfig);
    const rows = await idStatement<Row>(
      workplace,
      'configs',
      'SELECT * FROM "deviceConfigs" WHERE "deviceId" IN (ids)',
    ).all(JSON.stringify(deviceIds));
    const configs = new Map(rows.map((row) => [row.deviceId, showConfigV2(presentRow(shape, row))]));
    return (id) => ({ config: configs.get(id) ?? null });
  },

  async users(workplace, { deviceIds, reader }) {
    const rows = await idStatement<{ deviceId: number; id: number; email: string; isOwner: number }>(
      workplace,
      'users',
      `SELECT d."id" AS "deviceId", u."id", u."email", CASE WHEN u."id" = d."ownerId" THEN 1 ELSE 0 END AS "isOwner"
       FROM "devices" d JOIN "users" u ON u."id" = d."ownerId"
         OR u."id" IN (SELECT h."userId" FROM "shares" h WHERE h."deviceId" = d."id")
       WHERE d."id" IN (ids) ORDER BY 1, 4 DESC, 2`,
    ).all(JSON.stringify(deviceIds));
    const users = Map.groupBy(rows, ({ deviceId }) => deviceId);
    return (deviceId) => {
      const all = users.get(deviceId) ?? [];
      const seesAll = reader.admin || all[0]?.id === reader.userId;
      const seen = seesAll ? all : all.filter(({ id }) => id === reader.userId);
      return { users: seen.map(({ id, email }) => ({ id, email, hasBillingInfo: false })) };
    };
  },

  async knownDevices(workplace, { deviceIds, now }) {
    const since = now - SIGHTING_DAYS * DAY_MS;
    const rows = await idStatement<{ gatewayId: number; sensorDeviceId: string }>(
      workplace,
      'known',
      `SELECT DISTINCT "gatewayId", "sensorDeviceId" FROM "gatewayReadings"
       WHERE "gatewayId" IN (ids) AND "timestamp" >= ? AND "sensorDeviceId" IS NOT NULL`,
    ).all(JSON.stringify(deviceIds), since);
    const packed = await idStatement<ReadingPair & { data: Uint8Array | string }>(
      workplace,
      'knownPacked',
      `SELECT "gatewayId", "deviceId", "data" FROM "readingSegments" WHERE "gatewayId" IN (ids) AND "lastAt" >= ? AND "firstAt" > ?`,
    ).all(JSON.stringify(deviceIds), since, since - DAY_MS);
    for (const segment of packed)
      for (const { gatewayId, sensorDeviceId, timestamp } of openReadings(segment, ['gatewayId', 'sensorDeviceId']))
        if (timestamp >= since && gatewayId !== null && sensorDeviceId !== null)
          rows.push({ gatewayId, sensorDeviceId });
    const known = new Map<number, Set<string>>();
    for (const { gatewayId, sensorDeviceId } of rows) {
      const address = bluetoothAddress(sensorDeviceId);
      const others = known.get(gatewayId) ?? new Set();
      if (address !== undefined && others.size < MOST_SIGHTINGS) known.set(gatewayId, others.add(address));
    }
    return (id) => ({ knownDevices: [...(known.get(id) ?? [])].sort() });
  },

  subscription: subscriptions,
  'subscription.plan': subscriptions,
  reseller: nothing({ reseller: null }),
  resellerPlan: nothing({ resellerPlan: null }),
  qcEvents: nothing({ qcEvents: {} }),
};

async function subscriptions(workplace: Workplace<Tables>, { deviceIds, include, now }: IncludedV2) {
  const active = await activeSubscriptions(workplace, deviceIds, now);
  const hasPlan = include.includes('subscription.plan');
  return (id: number) => {
    const found = active.get(id);
    if (found === undefined || hasPlan) return { subscription: found ?? null };
    const { plan: _, ...subscription } = found;
    return { subscription };
  };
}

function idStatement<R>(workplace: Workplace<Tables>, name: string, sql: string) {
  return workplace.prepare<R>(`devices.v2.${name}`, sql.replace('(ids)', `(${workplace.dialect.idList})`));
}
