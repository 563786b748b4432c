import { DRIVER_READINGS } from '@trackway/contract/resources/fleet-tools/driver.ts';
import type { Workplace } from '../../platform/storage/work.ts';
import { tagsOf } from '../devices/tags.ts';
import type { Tables } from '../schema/tables.ts';
import { overReadings } from '../stored-readings/over-readings.ts';
import { hearingReader } from './read-heard.ts';
import {
  driverIn,
  isNoTag,
  LASTS_MS,
  type Shift,
  type SignOnByHand,
  shiftsOf,
  spelled,
  type TagReading,
} from './shifts.ts';

/** The shifts of a device, from the readings and sign-ons that are stored of it. */

export interface Shifts {
  readonly shifts: readonly Shift[];
  readonly names: ReadonlyMap<number, string>;
}

export interface DrivenBy {
  readonly driverId: number | null;
  readonly driverName: string | null;
}

export const NOBODY: DrivenBy = { driverId: null, driverName: null };
const NONE: Shifts = { shifts: [], names: new Map() };

interface StoredDriver {
  readonly id: number;
  readonly name: string;
  readonly tags: string | null;
}

const TYPES = DRIVER_READINGS.map((type) => `'${type}'`).join(', ');
/** More than this in one range is left out. */
const MOST_READINGS = 50_000;
const MOST_SIGN_ONS = 10_000;

const DRIVERS =
  'SELECT r."id", r."name", r."tags" FROM "drivers" r JOIN "devices" d ON d."ownerId" = r."userId" WHERE d."id" = ?';
const BEFORE =
  'SELECT "at", "driverId" FROM "driverSignOns" WHERE "deviceId" = ? AND "at" < ? ORDER BY "at" DESC, "id" DESC LIMIT 1';
const BY_HAND = `SELECT "at", "driverId" FROM "driverSignOns" WHERE "deviceId" = ? AND "at" >= ? AND "at" <= ? ORDER BY "at", "id" LIMIT ${MOST_SIGN_ONS}`;
const next = (source: string) =>
  `SELECT r."timestamp" AS "at" FROM ${source} r WHERE "deviceId" = ? AND "type" IN (${TYPES}) AND "timestamp" > ? AND "timestamp" < ? LIMIT 1`;
/** Of a tag that is read again and again, the first and the last reading. */
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
    overReadings<R>(workplace, { scope: { deviceId }, span: { from, to }, types: DRIVER_READINGS }, (source) => ({
      sql: statement(source),
      cells: [deviceId, from, to],
    }));

  const hearings = hearingReader(workplace);

  return async (deviceId: number, from: number, to: number, now: number): Promise<Shifts> => {
    const known = await drivers.all(deviceId);
    if (known.length === 0) return NONE;
    const names = new Map(known.map(({ id, name }) => [id, name]));
    const byTag = new Map<string, number>();
    for (const driver of known) for (const tag of tagsOf(driver)) byTag.set(spelled(tag), driver.id);
    const heardTags = await hearings.heardTags(deviceId, byTag, known.flatMap(tagsOf));
    const first = from - LASTS_MS;
    const until = Math.min(to, now);
    const earlier = await before.get(deviceId, first);
    // A tag that was read or heard since has ended it.
    const isEnded =
      earlier !== undefined &&
      ((await tagsRead(next, deviceId, earlier.at, first)).length > 0 ||
        (await hearings.isAny(deviceId, heardTags, earlier.at, first)));
    const hands = [...(earlier && !isEnded ? [earlier] : []), ...(await byHand.all(deviceId, first, until))];
    const read = (await tagsRead<{ at: number; value: string }>(readings, deviceId, first, until))
      .map(tagIn)
      .filter((one) => one !== undefined);
    // Drivers of somebody who owned the device before are none of its drivers.
    const own = hands.map(({ at, driverId }) => ({
      at,
      driverId: driverId !== null && names.has(driverId) ? driverId : null,
    }));
    const heard = await hearings.stretches(deviceId, heardTags, first, until);
    const shifts = shiftsOf(own, read, (tag) => byTag.get(tag), now, heard);
    return { shifts: shifts.filter(({ start, end }) => start <= to && (end === null || end >= from)), names };
  };
}

function tagIn({ at, value }: { readonly at: number; readonly value: string }): TagReading | undefined {
  const said: unknown = JSON.parse(value);
  if (typeof said !== 'string' && typeof said !== 'number') return undefined;
  const tag = spelled(String(said));
  return { at, tag: isNoTag(tag) ? '' : tag };
}

/** Who drove in a span. */
export function drivenBy({ shifts, names }: Shifts, start: number, end: number): DrivenBy {
  const driverId = driverIn(shifts, start, end);
  return driverId === undefined ? NOBODY : { driverId, driverName: names.get(driverId) ?? null };
}
