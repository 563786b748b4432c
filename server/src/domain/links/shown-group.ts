import { MOST_SHOWN_DEVICES, type ShownDevice, TRAIL_MINUTES } from '@trackway/contract/resources/link.ts';
import { trailPoint, whereabouts } from '@trackway/contract/resources/whereabouts.ts';
import type { Scope } from '../../platform/collection.ts';
import { searchOf } from '../family.ts';
import { mayText } from '../rights.ts';
import type { GroupLinkRow } from '../schema/rows/link-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { trailsSql } from '../tracking/api/trails.ts';
import { whereaboutsSql } from '../tracking/api/whereabouts.ts';

/** Positions of trails that one answer has at most, however many devices it shows. */
const MOST_TRAIL = 4000;
/** A trail has no more than one position for each so many seconds. */
const LEAST_STEP_S = 10;
const TRAIL_MS = TRAIL_MINUTES * 60_000;

/**
 * The groups that a link shows, in the table `open`: none once it has ended, the group was deleted, or whoever made it may
 * no longer manage the group. It stands in each statement that reads something of the devices, as the right on each of
 * them does, so that nothing is shown after a right is gone.
 */
const OPEN_GROUPS = `WITH RECURSIVE "above" ("id", "parentId") AS (
    SELECT g."id", g."parentId" FROM "groupLinks" l JOIN "deviceGroups" g ON g."id" = l."groupId" WHERE l."id" = ?
    UNION SELECT g."id", g."parentId" FROM "deviceGroups" g JOIN "above" ON g."id" = "above"."parentId"),
  "open" ("id", "userId") AS (
    SELECT g."id", l."userId" FROM "groupLinks" l JOIN "deviceGroups" g ON g."id" = l."groupId"
    WHERE l."id" = ? AND l."expiresAt" > ? AND g."deletedAt" IS NULL AND (g."ownerId" = l."userId"
      OR EXISTS (SELECT 1 FROM "deviceGroupGrants" x WHERE x."holderId" = l."userId" AND x."rights" = 'manage'
        AND x."groupId" IN (SELECT "id" FROM "above")))
    UNION SELECT g."id", "open"."userId" FROM "deviceGroups" g JOIN "open" ON g."parentId" = "open"."id"
    WHERE g."deletedAt" IS NULL)`;

const OPEN_DEVICES = `${OPEN_GROUPS} SELECT DISTINCT m."deviceId" FROM "deviceGroupMembers" m
  JOIN "open" ON "open"."id" = m."groupId" WHERE ${mayText('manage', '"open"."userId"', 'm."deviceId"')}`;

const cellsOf = (linkId: number, now: number) => [linkId, linkId, now];

interface Shown {
  readonly name: string | null;
  readonly devices: ShownDevice[];
  readonly more: number;
}
type StoredGroupLink = Pick<GroupLinkRow, 'groupId' | 'userId' | 'name' | 'trail'> & { readonly id: number };
interface Place {
  readonly lat: number;
  readonly lng: number;
}

/** What a link of a group shows; undefined once it is not open. It is read away from the main thread. */
export function shownGroup(store: Store): (link: StoredGroupLink, now: number) => Promise<Shown | undefined> {
  const group = store.prepare<{ name: string; count: number }>(
    'links.group',
    `${OPEN_GROUPS} SELECT g."name", (SELECT COUNT(*) FROM (${OPEN_DEVICES}) "counted") AS "count"
     FROM "deviceGroups" g JOIN "open" ON "open"."id" = g."id" WHERE g."id" = ?`,
  );
  const places = shapeOf(whereabouts);
  const trailPoints = shapeOf(trailPoint);

  return async (link, now) => {
    const cells = cellsOf(link.id, now);
    const found = await group.get(...cells, ...cells, link.groupId);
    if (found === undefined) return undefined;
    const shown = { sql: `d."id" IN (${OPEN_DEVICES} ORDER BY m."deviceId" LIMIT ${MOST_SHOWN_DEVICES})`, cells };
    const owner = `link:${link.id}`;
    const sql = whereaboutsSql(store, shown, true);
    const { text } = await searchOf(store, { sql, cells: [...cells, link.userId], shape: places, owner });
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
      more: Number(found.count) - devices.length,
      devices: devices.map(({ deviceId, name, location, timestamp, speed }) => ({
        name: name ?? null,
        position: location && timestamp ? { ...location, timestamp, speed: speed ?? null } : null,
        trail: trails?.get(deviceId) ?? [],
      })),
    };

    async function trailsOf(scope: Scope, count: number): Promise<Map<number, ShownDevice['trail']>> {
      const stepS = Math.max(LEAST_STEP_S, Math.ceil((count * TRAIL_MINUTES * 60) / MOST_TRAIL));
      const sql = trailsSql(scope, stepS * 1000);
      const { text } = await searchOf(store, {
        sql,
        cells: [...scope.cells, now - TRAIL_MS, now],
        shape: trailPoints,
        owner,
      });
      const trails = new Map<number, ShownDevice['trail']>();
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
