import { DRIVER_READINGS } from '@trackway/contract/resources/fleet-tools/driver.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { bluetoothAddress } from '../devices/bluetooth.ts';
import { tagsOf } from '../devices/tags.ts';
import { overReadings } from '../positions/over-readings.ts';
import { sightingText } from '../positions/stored-reading.ts';
import type { Tables } from '../schema/tables.ts';
import {
  driverIn,
  isNoTag,
  LASTS_MS,
  type Shift,
  SIGHTING_MS,
  type SightedStretch,
  type SignOnByHand,
  shiftsOf,
  spelled,
  stretchesOf,
  type TagReading,
} from './shifts.ts';

/** The shifts of a device, from its stored readings and sign-ons. */

interface Shifts {
  readonly shifts: readonly Shift[];
  readonly names: ReadonlyMap<number, string>;
}

interface DrivenBy {
  readonly driverId: number | null;
  readonly driverName: string | null;
}

const NO_DRIVER: DrivenBy = { driverId: null, driverName: null };
const NONE: Shifts = { shifts: [], names: new Map() };

interface StoredDriver {
  readonly id: number;
  readonly name: string;
  readonly tags: string | null;
}

const TYPES = DRIVER_READINGS.map((type) => `'${type}'`).join(', ');
/** Further readings in one range are left out. */
const MOST_READINGS = 50_000;
const MOST_SIGN_ONS = 10_000;

const DRIVERS =
  'SELECT r."id", r."name", r."tags" FROM "drivers" r JOIN "devices" d ON d."ownerId" = r."userId" WHERE d."id" = ?';
const BEFORE =
  'SELECT "at", "driverId" FROM "driverSignOns" WHERE "deviceId" = ? AND "at" < ? ORDER BY "at" DESC, "id" DESC LIMIT 1';
const BY_HAND = `SELECT "at", "driverId" FROM "driverSignOns" WHERE "deviceId" = ? AND "at" >= ? AND "at" <= ? ORDER BY "at", "id" LIMIT ${MOST_SIGN_ONS}`;
const next = (source: string) =>
  `SELECT r."timestamp" AS "at" FROM ${source} r WHERE "deviceId" = ? AND "type" IN (${TYPES}) AND "timestamp" > ? AND "timestamp" < ? LIMIT 1`;
/** The first and the last reading of a tag that is read repeatedly. */
const readings = (source: string) => `SELECT "at", "value" FROM (
  SELECT "timestamp" AS "at", "id", "value",
    LAG("value") OVER w AS "before", LEAD("value") OVER w AS "after",
    LAG("timestamp") OVER w AS "beforeAt", LEAD("timestamp") OVER w AS "afterAt"
  FROM ${source} s WHERE "deviceId" = ? AND "type" IN (${TYPES}) AND "timestamp" >= ? AND "timestamp" <= ?
  WINDOW w AS (ORDER BY "timestamp", "id")) r
  WHERE "beforeAt" IS NULL OR "afterAt" IS NULL OR "before" <> "value" OR "after" <> "value"
    OR "at" - "beforeAt" > ${LASTS_MS} OR "afterAt" - "at" > ${LASTS_MS}
  ORDER BY "at", "id" LIMIT ${MOST_READINGS}`;

export function shiftReader(workplace: Workplace<Tables>) {
  const drivers = workplace.prepare<StoredDriver>('drivers.ofDevice', DRIVERS);
  const before = workplace.prepare<SignOnByHand>('drivers.before', BEFORE);
  const byHand = workplace.prepare<SignOnByHand>('drivers.byHand', BY_HAND);
  const tagsRead = <R>(statement: (source: string) => string, deviceId: number, from: number, to: number) =>
    overReadings<R>(workplace.query, { scope: { deviceId }, span: { from, to }, types: DRIVER_READINGS }, (source) => ({
      sql: statement(source),
      cells: [deviceId, from, to],
    }));

  const sightings = sightingReader(workplace);

  return async (deviceId: number, from: number, to: number, now: number): Promise<Shifts> => {
    const known = await drivers.all(deviceId);
    if (known.length === 0) return NONE;
    const names = new Map(known.map(({ id, name }) => [id, name]));
    const byTag = new Map<string, number>();
    for (const driver of known) for (const tag of tagsOf(driver)) byTag.set(spelled(tag), driver.id);
    const sightedTags = await sightings.sightedTags(deviceId, byTag, known.flatMap(tagsOf));
    const first = from - LASTS_MS;
    const until = Math.min(to, now);
    const earlier = await before.get(deviceId, first);
    // A later reading or sighting of a tag has ended it.
    const isEnded =
      earlier !== undefined &&
      ((await tagsRead(next, deviceId, earlier.at, first)).length > 0 ||
        (await sightings.isAny(deviceId, sightedTags, earlier.at, first)));
    const hands = [...(earlier && !isEnded ? [earlier] : []), ...(await byHand.all(deviceId, first, until))];
    const read = (await tagsRead<{ at: number; value: string }>(readings, deviceId, first, until))
      .map(tagIn)
      .filter((one) => one !== undefined);
    // Drivers of a previous owner of the device are ignored.
    const own = hands.map(({ at, driverId }) => ({
      at,
      driverId: driverId !== null && names.has(driverId) ? driverId : null,
    }));
    const sighted = await sightings.stretches(deviceId, sightedTags, first, until);
    const shifts = shiftsOf(own, read, (tag) => byTag.get(tag), now, sighted);
    return { shifts: shifts.filter(({ start, end }) => start <= to && (end === null || end >= from)), names };
  };
}

function tagIn({ at, value }: { readonly at: number; readonly value: string }): TagReading | undefined {
  const said: unknown = JSON.parse(value);
  if (typeof said !== 'string' && typeof said !== 'number') return undefined;
  const tag = spelled(String(said));
  return { at, tag: isNoTag(tag) ? '' : tag };
}

/** The driver of a time range. */
export function drivenBy({ shifts, names }: Shifts, start: number, end: number): DrivenBy {
  const driverId = driverIn(shifts, start, end);
  return driverId === undefined ? NO_DRIVER : { driverId, driverName: names.get(driverId) ?? null };
}

/**
 * Sightings of driver tags by a device: tags are devices of the same owner, which it receives by radio like a gateway.
 */

/** Maximum number of tags in one query. */
const CHUNK = 300;
/** Further sightings of one tag in one range are left out. */
const MOST_STRETCHES = 10_000;

/** The first and the last time of each series of sightings. */
const edges = (source: string) => `SELECT "at" FROM (
  SELECT s."timestamp" AS "at", LAG(s."timestamp") OVER w AS "beforeAt", LEAD(s."timestamp") OVER w AS "afterAt"
  FROM ${source} s
  WHERE s."gatewayId" = ? AND s."deviceId" = ? AND s."timestamp" >= ? AND s."timestamp" <= ? AND ${sightingText('s')}
  WINDOW w AS (ORDER BY s."timestamp", s."id")) r
  WHERE "beforeAt" IS NULL OR "afterAt" IS NULL OR "at" - "beforeAt" > ${SIGHTING_MS} OR "afterAt" - "at" > ${SIGHTING_MS}
  ORDER BY "at" LIMIT ${2 * MOST_STRETCHES}`;

const any = (source: string) =>
  `SELECT s."timestamp" AS "at" FROM ${source} s WHERE s."gatewayId" = ? AND s."deviceId" = ? AND s."timestamp" > ? AND s."timestamp" < ? AND ${sightingText('s')} LIMIT 1`;

interface SightedTag {
  readonly deviceId: number;
  readonly driverId: number;
}

function sightingReader(workplace: Workplace<Tables>) {
  const timesOf = (gatewayId: number, deviceId: number, from: number, to: number, statement: typeof edges) =>
    overReadings<{ at: number }>(workplace.query, { scope: { gatewayId, deviceId }, span: { from, to } }, (source) => ({
      sql: statement(source),
      cells: [gatewayId, deviceId, from, to],
    }));

  return {
    /**
     * The tags that a device has ever received.
     * @param driverOf drivers by normalized tag
     * @param written the tags as entered
     */
    async sightedTags(gatewayId: number, driverOf: ReadonlyMap<string, number>, written: readonly string[]) {
      const tags: SightedTag[] = [];
      for (let start = 0; start < written.length; start += CHUNK) {
        const some = written.slice(start, start + CHUNK);
        for (const device of await devicesNamed(workplace, gatewayId, some)) {
          const names = [device.btMacAddress, device.serial, device.imei].map((name) => spelled(name ?? ''));
          const driverId = names.map((name) => driverOf.get(name)).find((id) => id !== undefined);
          if (driverId !== undefined && device.id !== gatewayId) tags.push({ deviceId: device.id, driverId });
        }
      }
      return sightedAmong(workplace, gatewayId, tags);
    },

    async stretches(
      gatewayId: number,
      tags: readonly SightedTag[],
      from: number,
      to: number,
    ): Promise<SightedStretch[]> {
      const found: SightedStretch[] = [];
      for (const { deviceId, driverId } of tags) {
        const times = await timesOf(gatewayId, deviceId, from, to, edges);
        const all = times.map(({ at }) => at);
        found.push(...stretchesOf(driverId, all));
      }
      return found;
    },

    /** Whether any of the tags was received in a time range. */
    async isAny(gatewayId: number, tags: readonly SightedTag[], from: number, to: number): Promise<boolean> {
      for (const { deviceId } of tags) if ((await timesOf(gatewayId, deviceId, from, to, any)).length > 0) return true;
      return false;
    },
  };
}

/** The devices of the same owner with these tags, found like the sightings of a gateway in `matchSensors`. */
const devicesNamed = ({ query }: Workplace<Tables>, gatewayId: number, tags: readonly string[]) => {
  const names = [...new Set(tags.flatMap((tag) => [tag, spelled(tag)]))];
  const addresses = tags.flatMap((tag) => bluetoothAddress(tag) ?? []);
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

/** Usually a device has received few of them, or none. */
async function sightedAmong({ query }: Workplace<Tables>, gatewayId: number, tags: readonly SightedTag[]) {
  const sighted = new Set<number | null>();
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
      for (const { deviceId } of rows) sighted.add(deviceId);
    }
  }
  return tags.filter(({ deviceId }) => sighted.has(deviceId));
}
