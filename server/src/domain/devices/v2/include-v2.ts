import { deviceConfig } from '@trackway/contract/resources/device-config.ts';
import type { Caller } from '../../../calls.ts';
import { ID_LIST } from '../../../platform/storage/id-list.ts';
import { presentRow, type Row } from '../../../platform/storage/shape.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { activeSubscriptions } from '../../plans/active-subscription.ts';
import { shapeOf } from '../../schema/shape.ts';
import type { Tables } from '../../schema/tables.ts';
import { openReadings } from '../../stored-readings/reading-segments.ts';
import type { ReadingPair } from '../../stored-readings/stored-reading.ts';
import { heardAddress } from '../bluetooth.ts';
import { showConfigV2 } from './device-v2.ts';

/** What devices of version 2 include, read for many of them at once on a thread apart. */
export interface IncludedV2 {
  readonly deviceIds: readonly number[];
  readonly include: readonly string[];
  readonly reader: Pick<Caller, 'userId' | 'admin'>;
  readonly now: number;
}

type Fields = Record<string, unknown>;
type Reader = (workplace: Workplace<Tables>, wanted: IncludedV2) => Promise<(deviceId: number) => Fields>;

const DAY_MS = 86_400_000;
const HEARD_DAYS = 30;
const MOST_HEARD = 1000;

/** Fields beside those of each device, in the order of the ids. */
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
    const since = now - HEARD_DAYS * DAY_MS;
    const rows = await idStatement<{ gatewayId: number; sensorDeviceId: string }>(
      workplace,
      'known',
      `SELECT DISTINCT "gatewayId", "sensorDeviceId" FROM "gatewayReadings"
       WHERE "gatewayId" IN (ids) AND "timestamp" >= ? AND "sensorDeviceId" IS NOT NULL`,
    ).all(JSON.stringify(deviceIds), since);
    const packed = await idStatement<ReadingPair & { data: Uint8Array | string }>(
      workplace,
      'knownPacked',
      `SELECT "gatewayId", "deviceId", "data" FROM "readingSegments" WHERE "gatewayId" IN (ids) AND "last" >= ? AND "first" > ?`,
    ).all(JSON.stringify(deviceIds), since, since - DAY_MS);
    for (const segment of packed)
      for (const { gatewayId, sensorDeviceId, timestamp } of openReadings(segment, ['gatewayId', 'sensorDeviceId']))
        if (timestamp >= since && gatewayId !== null && sensorDeviceId !== null)
          rows.push({ gatewayId, sensorDeviceId });
    const known = new Map<number, Set<string>>();
    for (const { gatewayId, sensorDeviceId } of rows) {
      const address = heardAddress(sensorDeviceId);
      const others = known.get(gatewayId) ?? new Set();
      if (address !== undefined && others.size < MOST_HEARD) known.set(gatewayId, others.add(address));
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
  return workplace.prepare<R>(`devices.v2.${name}`, sql.replace('(ids)', `(${ID_LIST[workplace.storeKind]})`));
}
