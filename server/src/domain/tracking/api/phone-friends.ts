import type { ReportReceiver } from '../../../calls.ts';
import { RecentMap } from '../../../platform/caches.ts';
import { runSql } from '../../../platform/storage/run-sql.ts';
import type { Friend } from '../../../reports.ts';
import { visibleTo } from '../../devices/access.ts';
import type { Store } from '../../schema/tables.ts';
import { newestPoints } from './newest-points.ts';

const MAX_NOTED = 20_000;
const MAX_FRIENDS = 50;

/** What of a position, as the API has it, is shown to friends. */
interface ShownPoint {
  readonly timestamp: string;
  readonly location: { readonly lat: number; readonly lng: number };
  readonly speed: number | null;
  readonly altitude: number | null;
  readonly course: number | null;
  readonly accuracy: number | null;
  readonly batteryPct: number | null;
}

/**
 * The phones with the same app that the owner of a phone may see now: their own, and phones shared with them. A device
 * with `friends` set to false in `meta` is not shown and gets no others.
 */
export function phoneFriends(store: Store): ReportReceiver['friendsOf'] {
  const { query } = store;
  /** Phones whose app is stored. */
  const noted = new RecentMap<number, string>(MAX_NOTED);

  return async (deviceId, app, isProven) => {
    if (noted.get(deviceId) !== app) {
      await query.updateTable('devices').set({ phoneApp: app }).where('id', '=', deviceId).execute();
      noted.set(deviceId, app);
    }
    if (!isProven) return [];
    const phone = await query
      .selectFrom('devices')
      .select(['ownerId', 'meta'])
      .where('id', '=', deviceId)
      .executeTakeFirst();
    if (phone === undefined || !isShowing(phone)) return [];
    const visible = visibleTo(phone.ownerId);
    const others = await runSql<{ id: number; name: string | null; meta: string | null }>(
      query,
      `SELECT "id", "name", "meta" FROM "devices" WHERE "phoneApp" = ? AND "id" <> ? AND "active" = 1 AND ${visible.sql}
       ORDER BY "lastConnection" DESC LIMIT ${MAX_FRIENDS}`,
      [app, deviceId, ...visible.cells],
    );
    const shown = others.filter(isShowing);
    const ids = shown.map(({ id }) => id);
    const newest = await newestPoints(store, ids, { count: 1 });
    return shown.flatMap(({ id, name }): Friend[] => {
      const [point] = JSON.parse(newest.get(id) ?? '[]') as ShownPoint[];
      return point === undefined ? [] : [{ id: String(id), name: name ?? `Device ${id}`, point: reportedPoint(point) }];
    });
  };
}

const isShowing = ({ meta }: { readonly meta: string | null }) =>
  meta === null || (JSON.parse(meta) as { friends?: unknown }).friends !== false;

function reportedPoint({ timestamp, location, speed, altitude, course, accuracy, batteryPct }: ShownPoint) {
  const known = { speedKmh: speed, altitudeM: altitude, courseDeg: course, accuracyM: accuracy, batteryPct };
  const set = Object.fromEntries(Object.entries(known).filter(([, value]) => value !== null));
  return { ...set, timestamp: Date.parse(timestamp), location };
}
