import type { Scope } from '../../../platform/collection.ts';
import { fingerprint } from '../../../platform/secrets.ts';
import { vectorOf } from '../../../platform/sphere.ts';
import type { ByDatabase } from '../../../platform/storage/dialect.ts';
import { defineReadWork, type Workplace } from '../../../platform/storage/work.ts';
import { isoTime } from '../../../platform/times.ts';
import { deviceTexts, type WantedDevices } from '../../devices/shown-devices.ts';
import { isApproximate } from '../../fix.ts';
import { signedDistanceOf } from '../../geofences/area.ts';
import { type SeenFence, seenFences, type WantedFences } from '../../geofences/seen-fences.ts';
import type { Tables } from '../../schema/tables.ts';
import type { DeviceState } from '../evaluate/device-state.ts';
import { newestPoints } from './newest-points.ts';

/** Which devices may be inside which fences of a user. */
interface ZoneQuestion extends Pick<WantedDevices, 'scope' | 'reader' | 'now'> {
  readonly userId: number;
  readonly fences: WantedFences;
  readonly includeApprox: boolean;
}

/** The devices as the JSON text of an array, or why there is none. */
type ZoneAnswer = { readonly text: string } | { readonly why: 'unknown' | 'tooLarge' };

const AT_ONCE = 500;
const LATEST_POINTS = 5;
const MAX_LENGTH = 32 * 1024 * 1024;

/** Finds the devices inside fences: by their states, or by the newest position where these know nothing yet. */
export const devicesInZone = defineReadWork(
  import.meta.url,
  async (workplace: Workplace<Tables>, question: ZoneQuestion): Promise<ZoneAnswer> => {
    const fences = await seenFences(workplace, question.userId, question.fences);
    if ('id' in question.fences && fences.length === 0) return { why: 'unknown' };
    const texts: string[] = [];
    let length = 0;
    for await (const inside of insideOf(workplace, question, fences)) {
      for (const text of await textsOf(workplace, question, inside)) {
        texts.push(text);
        length += text.length;
      }
      if (length > MAX_LENGTH) return { why: 'tooLarge' };
    }
    return { text: `[${texts.join(',')}]` };
  },
);

interface Zone {
  readonly id: number;
  readonly name: string | null;
  readonly since: string;
}

/** What is known of where a device is. */
interface Known {
  readonly id: number;
  readonly state: string | null;
  readonly lat: number | null;
  readonly lng: number | null;
  readonly timestamp: number | null;
  readonly accuracy: number | null;
  readonly locationType: string | null;
}

/** The devices that are inside, with their zones, some at a time. */
async function* insideOf(
  workplace: Workplace<Tables>,
  { scope, includeApprox }: ZoneQuestion,
  fences: readonly SeenFence[],
): AsyncGenerator<Map<number, Zone[]>> {
  if (fences.length === 0) return;
  const next = knownDevices(workplace, scope);
  for (let after = 0; ; ) {
    const { devices, last } = await next(after);
    const inside = new Map<number, Zone[]>();
    for (const device of devices) {
      const isRough = device.locationType !== null && isApproximate({ ...device, locationType: device.locationType });
      if (isRough && !includeApprox) continue;
      const zones = zonesOf(device, fences);
      if (zones.length > 0) inside.set(device.id, zones);
    }
    if (inside.size > 0) yield inside;
    if (last === undefined) return;
    after = last;
  }
}

interface KnownDevices {
  readonly devices: readonly Known[];
  /** The id after which there may be more. */
  readonly last: number | undefined;
}

const lastOf = (ids: readonly number[]) => (ids.length < AT_ONCE ? undefined : ids.at(-1));

type NextDevices = (after: number) => Promise<KnownDevices>;

/** The next devices of a scope, with what is known of each. */
const knownDevices = (workplace: Workplace<Tables>, scope: Scope): NextDevices =>
  workplace.dialect.pick(KNOWN_DEVICES)(workplace, scope);

const someOf = (sql: string) => `SELECT "id" FROM "devices" WHERE (${sql}) AND "id" > ? ORDER BY "id" LIMIT ?`;
const named = (what: string, sql: string) => `fleet.${what} ${fingerprint(sql).slice(0, 16)}`;

const KNOWN_DEVICES: ByDatabase<(workplace: Workplace<Tables>, scope: Scope) => NextDevices> = {
  sqlite(workplace, { sql, cells }) {
    const known = workplace.prepare<Known>(named('known', sql), knownSql(someOf(sql)));
    return async (after) => {
      const devices = await known.all(...cells, after, AT_ONCE);
      return { devices, last: lastOf(devices.map(({ id }) => id)) };
    };
  },
  postgres(workplace, { sql, cells }) {
    const ids = workplace.prepare<{ id: number }>(named('ids', sql), someOf(sql));
    const known = workplace.prepare<Known>('fleet.knownOf', knownOfSql(workplace.dialect.idList));
    return async (after) => {
      const found = (await ids.all(...cells, after, AT_ONCE)).map(({ id }) => id);
      const devices = found.length === 0 ? [] : await known.all(JSON.stringify(found));
      return { devices, last: lastOf(found) };
    };
  },
};

const KNOWN = `s."state", n."locationLat" AS "lat", n."locationLng" AS "lng", n."timestamp", n."accuracy", n."locationType"`;
/** An implausible position decides nothing. */
const newestOf = (what: string) => `SELECT ${what} FROM "points" q WHERE q."deviceId" = d."id"
  AND q."locationLat" IS NOT NULL AND COALESCE(q."judged", '') <> 'implausible'
  ORDER BY q."timestamp" DESC, q."id" DESC LIMIT 1`;

const knownSql = (some: string) => `SELECT v."id", ${KNOWN}
  FROM (SELECT d."id", (${newestOf('q."id"')}) AS "pointId" FROM (${some}) d) v
  LEFT JOIN "deviceStates" s ON s."deviceId" = v."id"
  LEFT JOIN "points" n ON n."id" = v."pointId"
  ORDER BY v."id"`;

/** On PostgreSQL from the rows of given devices: where several servers have these, each answers for its own. */
const knownOfSql = (idList: string) => `SELECT d."id", ${KNOWN} FROM "devices" d
  LEFT JOIN "deviceStates" s ON s."deviceId" = d."id"
  LEFT JOIN LATERAL (${newestOf('q.*')}) n ON true
  WHERE d."id" IN (${idList}) ORDER BY d."id"`;

function zonesOf({ id, state, lat, lng, timestamp }: Known, fences: readonly SeenFence[]): Zone[] {
  const known = state === null ? undefined : (JSON.parse(state) as Partial<DeviceState>).fences;
  const place = lat === null || lng === null ? undefined : vectorOf({ lat, lng });
  const zones: Zone[] = [];
  for (const { id: fenceId, name, deviceId, shapedAt, area } of fences) {
    if (area === undefined || (deviceId !== null && deviceId !== id)) continue;
    const membership = known?.[fenceId];
    // A check of another shape does not apply to this one.
    if (membership?.inside !== undefined && membership.shapedAt === shapedAt) {
      if (membership.inside) zones.push({ id: fenceId, name, since: isoTime(membership.since) });
    } else if (place !== undefined && signedDistanceOf(area, place, 0) <= 0)
      zones.push({ id: fenceId, name, since: isoTime(timestamp!) });
  }
  return zones;
}

/** The right is asked for again where the device is shown. */
async function textsOf(
  workplace: Workplace<Tables>,
  { scope, reader, now }: ZoneQuestion,
  inside: ReadonlyMap<number, readonly Zone[]>,
): Promise<string[]> {
  const ids = [...inside.keys()];
  const only = {
    sql: `(${scope.sql}) AND "id" IN (${workplace.dialect.idList})`,
    cells: [...scope.cells, JSON.stringify(ids)],
  };
  const devices = await deviceTexts(workplace, { scope: only, reader, now, after: 0, limit: ids.length });
  const latest = await newestPoints(workplace, ids, { count: LATEST_POINTS });
  return devices.map(
    ({ id, openText }) =>
      `${openText},"latestPoints":${latest.get(id) ?? '[]'},"zones":${JSON.stringify(inside.get(id))}}`,
  );
}
