import type { Workplace } from '../../platform/storage/work.ts';
import { heardAddress } from '../devices/bluetooth.ts';
import type { Tables } from '../schema/tables.ts';
import { hearingText } from '../stored-readings/hearing.ts';
import { overReadings } from '../stored-readings/over-readings.ts';
import { HEARD_MS, type HeardStretch, spelled, stretchesOf } from './shifts.ts';

/** When a device heard tags of its drivers: those are devices of its owner that it hears by radio, as a gateway does. */

/** At most this many in one look-up. */
const CHUNK = 300;
/** More than this of one tag in one range is left out. */
const MOST_STRETCHES = 10_000;

/** The first and the last of the times at which it was heard again and again. */
const edges = (source: string) => `SELECT "at" FROM (
  SELECT s."timestamp" AS "at", LAG(s."timestamp") OVER w AS "beforeAt", LEAD(s."timestamp") OVER w AS "afterAt"
  FROM ${source} s
  WHERE s."gatewayId" = ? AND s."deviceId" = ? AND s."timestamp" >= ? AND s."timestamp" <= ? AND ${hearingText('s')}
  WINDOW w AS (ORDER BY s."timestamp", s."id")) r
  WHERE "beforeAt" IS NULL OR "afterAt" IS NULL OR "at" - "beforeAt" > ${HEARD_MS} OR "afterAt" - "at" > ${HEARD_MS}
  ORDER BY "at" LIMIT ${2 * MOST_STRETCHES}`;

const any = (source: string) =>
  `SELECT s."timestamp" AS "at" FROM ${source} s WHERE s."gatewayId" = ? AND s."deviceId" = ? AND s."timestamp" > ? AND s."timestamp" < ? AND ${hearingText('s')} LIMIT 1`;

interface HeardTag {
  readonly deviceId: number;
  readonly driverId: number;
}

export function hearingReader(workplace: Workplace<Tables>) {
  const timesOf = (gatewayId: number, deviceId: number, from: number, to: number, statement: typeof edges) =>
    overReadings<{ at: number }>(workplace, { scope: { gatewayId, deviceId }, span: { from, to } }, (source) => ({
      sql: statement(source),
      cells: [gatewayId, deviceId, from, to],
    }));

  return {
    /**
     * The tags that a device has heard at all.
     * @param driverOf drivers by their tags, as these are compared
     * @param written the tags as they were entered
     */
    async heardTags(gatewayId: number, driverOf: ReadonlyMap<string, number>, written: readonly string[]) {
      const tags: HeardTag[] = [];
      for (let start = 0; start < written.length; start += CHUNK) {
        const some = written.slice(start, start + CHUNK);
        for (const device of await devicesNamed(workplace, gatewayId, some)) {
          const names = [device.btMacAddress, device.serial, device.imei].map((name) => spelled(name ?? ''));
          const driverId = names.map((name) => driverOf.get(name)).find((id) => id !== undefined);
          if (driverId !== undefined && device.id !== gatewayId) tags.push({ deviceId: device.id, driverId });
        }
      }
      return heardAmong(workplace, gatewayId, tags);
    },

    async stretches(gatewayId: number, tags: readonly HeardTag[], from: number, to: number): Promise<HeardStretch[]> {
      const found: HeardStretch[] = [];
      for (const { deviceId, driverId } of tags) {
        const times = await timesOf(gatewayId, deviceId, from, to, edges);
        const all = times.map(({ at }) => at);
        found.push(...stretchesOf(driverId, all));
      }
      return found;
    },

    /** Whether any of them was heard between two moments. */
    async isAny(gatewayId: number, tags: readonly HeardTag[], from: number, to: number): Promise<boolean> {
      for (const { deviceId } of tags) if ((await timesOf(gatewayId, deviceId, from, to, any)).length > 0) return true;
      return false;
    },
  };
}

/** The devices of the same owner that tags name, as `matchSensors` recognises what a gateway hears. */
const devicesNamed = ({ query }: Workplace<Tables>, gatewayId: number, tags: readonly string[]) => {
  const names = [...new Set(tags.flatMap((tag) => [tag, spelled(tag)]))];
  const addresses = tags.flatMap((tag) => heardAddress(tag) ?? []);
  return query
    .selectFrom('devices')
    .select(['id', 'btMacAddress', 'serial', 'imei'])
    .where('ownerId', '=', query.selectFrom('devices as g').select('g.ownerId').where('g.id', '=', gatewayId))
    .where('deletedAt', 'is', null)
    .where((when) =>
      when.or([
        when('serial', 'in', names),
        when('imei', 'in', names),
        ...(addresses.length > 0 ? [when('btMacAddress', 'in', addresses)] : []),
      ]),
    )
    .execute();
};

/** Mostly a device has heard few of them, or none. */
async function heardAmong({ query }: Workplace<Tables>, gatewayId: number, tags: readonly HeardTag[]) {
  const heard = new Set<number | null>();
  for (let start = 0; start < tags.length; start += CHUNK) {
    const ids = tags.slice(start, start + CHUNK).map(({ deviceId }) => deviceId);
    for (const table of ['gatewayReadings', 'readingSegments'] as const) {
      const rows = await query
        .selectFrom(table)
        .select('deviceId')
        .distinct()
        .where('gatewayId', '=', gatewayId)
        .where('deviceId', 'in', ids)
        .execute();
      for (const { deviceId } of rows) heard.add(deviceId);
    }
  }
  return tags.filter(({ deviceId }) => heard.has(deviceId));
}
