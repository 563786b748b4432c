import { MOST_SHOWN_DEVICES, type ShownDevice, TRAIL_MINUTES } from '@trackway/contract/resources/link.ts';
import { trailPoint, whereabouts } from '@trackway/contract/resources/whereabouts.ts';
import type { Scope } from '../../platform/collection.ts';
import { searchOf } from '../family.ts';
import { mayText } from '../rights.ts';
import type { GroupLinkRow } from '../schema/rows/account-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { trailsSql, whereaboutsSql } from '../tracking/api/whereabouts.ts';

/** Maximum number of trail positions in one response, for all devices together. */
const MOST_TRAIL = 4000;
/** A trail has at most one position per this many seconds. */
const LEAST_STEP_S = 10;
const TRAIL_MS = TRAIL_MINUTES * 60_000;

/** A shown device with its id, which viewers do not get. */
export type FoundDevice = Omit<ShownDevice, 'route'> & { readonly deviceId: number };

interface Shown {
  readonly name: string | null;
  readonly devices: FoundDevice[];
  readonly more: number;
}
type StoredGroupLink = Pick<GroupLinkRow, 'groupId' | 'userId' | 'name' | 'trail'> & { readonly id: number };
interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** The content of a group link; undefined if it is not active. Read outside the main thread. */
export function shownGroup(store: Store): (link: StoredGroupLink, now: number) => Promise<Shown | undefined> {
  const open = openGroup(store);
  const places = shapeOf(whereabouts);
  const trailPoints = shapeOf(trailPoint);

  return async (link, now) => {
    const found = await open(link, now);
    if (found === undefined) return undefined;
    const { shown } = found;
    const owner = `link:${link.id}`;
    const sql = whereaboutsSql(store, shown, true);
    const { text } = await searchOf(store, { sql, cells: [...shown.cells, link.userId], shape: places, owner });
    const devices = JSON.parse(text) as {
      deviceId: number;
      name?: string;
      location?: Place;
      timestamp?: string;
      speed?: number;
    }[];
    const trails = link.trail === 1 ? await trailsOf(shown, devices.length) : undefined;
    return {
      name: link.name ?? found.name,
      more: found.count - devices.length,
      devices: devices.map(({ deviceId, name, location, timestamp, speed }) => ({
        deviceId,
        name: name ?? null,
        position: location && timestamp ? { ...location, timestamp, speed: speed ?? null } : null,
        trail: trails?.get(deviceId) ?? [],
      })),
    };

    async function trailsOf(scope: Scope, count: number): Promise<Map<number, FoundDevice['trail']>> {
      const stepS = Math.max(LEAST_STEP_S, Math.ceil((count * TRAIL_MINUTES * 60) / MOST_TRAIL));
      const sql = trailsSql(scope, stepS * 1000);
      const { text } = await searchOf(store, {
        sql,
        cells: [...scope.cells, now - TRAIL_MS, now],
        shape: trailPoints,
        owner,
      });
      const trails = new Map<number, FoundDevice['trail']>();
      for (const { deviceId, location, timestamp } of JSON.parse(text) as {
        deviceId: number;
        location: Place;
        timestamp: string;
      }[]) {
        const trail = trails.get(deviceId);
        if (trail) trail.push({ ...location, timestamp });
        else trails.set(deviceId, [{ ...location, timestamp }]);
      }
      return trails;
    }
  };
}

/**
 * The groups of a link, in the table `open`: none if the link has ended, the group was deleted, or its creator may no
 * longer manage the group. It is part of each statement that reads data of the devices, as is the right on each of
 * them, so that nothing is shown after a right has ended.
 */
const OPEN_GROUPS = `WITH RECURSIVE "above" ("id", "parentId") AS (
    SELECT g."id", g."parentId" FROM "links" l JOIN "deviceGroups" g ON g."id" = l."groupId" WHERE l."id" = ?
    UNION SELECT g."id", g."parentId" FROM "deviceGroups" g JOIN "above" ON g."id" = "above"."parentId"),
  "open" ("id", "userId") AS (
    SELECT g."id", l."userId" FROM "links" l JOIN "deviceGroups" g ON g."id" = l."groupId"
    WHERE l."id" = ? AND l."expiresAt" > ? AND g."deletedAt" IS NULL AND (g."ownerId" = l."userId"
      OR EXISTS (SELECT 1 FROM "grants" x WHERE x."holderId" = l."userId" AND x."rights" = 'manage'
        AND x."groupId" IN (SELECT "id" FROM "above")))
    UNION SELECT g."id", "open"."userId" FROM "deviceGroups" g JOIN "open" ON g."parentId" = "open"."id"
    WHERE g."deletedAt" IS NULL)`;

const MEMBERS = `${OPEN_GROUPS} SELECT DISTINCT m."deviceId" FROM "deviceGroupMembers" m
  JOIN "open" ON "open"."id" = m."groupId"`;

const NAMED = `FROM "deviceGroups" g JOIN "open" ON "open"."id" = g."id" WHERE g."id" = ?`;

const cellsOf = (linkId: number, now: number) => [linkId, linkId, now];

type OpenGroupLink = Pick<GroupLinkRow, 'groupId' | 'userId'> & { readonly id: number };

/** A group with an active link, with its devices: their number, and the shown ones. */
interface OpenGroup {
  readonly name: string;
  readonly count: number;
  readonly shown: Scope;
}

type FindOpenGroup = (link: OpenGroupLink, now: number) => Promise<OpenGroup | undefined>;

/** The right of the link's creator, whose id is bound to each placeholder. */
const MAY_SHOW = mayText('manage', '?', 'd."id"');
const MAKERS = MAY_SHOW.split('?').length - 1;

/** The members are read first, then the rights on them. */
function openGroup(store: Store): FindOpenGroup {
  const group = store.prepare<{ name: string }>('links.group', `${OPEN_GROUPS} SELECT g."name" ${NAMED}`);
  const members = store.prepare<{ deviceId: number }>('links.members', MEMBERS);
  const sql = `d."id" IN (${store.dialect.idList}) AND ${MAY_SHOW}`;
  const open = store.prepare<{ id: number }>(
    'links.open',
    `SELECT d."id" FROM "devices" d WHERE ${sql} ORDER BY d."id"`,
  );
  return async (link, now) => {
    const found = await group.get(...cellsOf(link.id, now), link.groupId);
    if (found === undefined) return undefined;
    const makers = Array<number>(MAKERS).fill(link.userId);
    const all = (await members.all(...cellsOf(link.id, now))).map(({ deviceId }) => deviceId);
    const ids = all.length === 0 ? [] : (await open.all(JSON.stringify(all), ...makers)).map(({ id }) => id);
    const shown = { sql, cells: [JSON.stringify(ids.slice(0, MOST_SHOWN_DEVICES)), ...makers] };
    return { name: found.name, count: ids.length, shown };
  };
}
