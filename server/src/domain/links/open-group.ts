import { MOST_SHOWN_DEVICES } from '@trackway/contract/resources/link.ts';
import type { Scope } from '../../platform/collection.ts';
import { ID_LIST } from '../../platform/storage/id-list.ts';
import { mayText } from '../rights.ts';
import type { GroupLinkRow } from '../schema/rows/link-rows.ts';
import type { Store } from '../schema/tables.ts';

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

const MEMBERS = `${OPEN_GROUPS} SELECT DISTINCT m."deviceId" FROM "deviceGroupMembers" m
  JOIN "open" ON "open"."id" = m."groupId"`;
const OPEN_DEVICES = `${MEMBERS} WHERE ${mayText('manage', '"open"."userId"', 'm."deviceId"')}`;

const NAMED = `FROM "deviceGroups" g JOIN "open" ON "open"."id" = g."id" WHERE g."id" = ?`;

const cellsOf = (linkId: number, now: number) => [linkId, linkId, now];

export type OpenGroupLink = Pick<GroupLinkRow, 'groupId' | 'userId'> & { readonly id: number };

/** A group whose link is open, with its devices: how many there are, and those that are shown. */
interface OpenGroup {
  readonly name: string;
  readonly count: number;
  readonly shown: Scope;
}

export type FindOpenGroup = (link: OpenGroupLink, now: number) => Promise<OpenGroup | undefined>;

export const openGroup = (store: Store): FindOpenGroup =>
  store.groupOfSlot === undefined ? atOnePlace(store) : apart(store);

function atOnePlace(store: Store): FindOpenGroup {
  const group = store.prepare<{ name: string; count: number }>(
    'links.group',
    `${OPEN_GROUPS} SELECT g."name", (SELECT COUNT(*) FROM (${OPEN_DEVICES}) "counted") AS "count" ${NAMED}`,
  );
  const sql = `d."id" IN (${OPEN_DEVICES} ORDER BY m."deviceId" LIMIT ${MOST_SHOWN_DEVICES})`;
  return async (link, now) => {
    const cells = cellsOf(link.id, now);
    const found = await group.get(...cells, ...cells, link.groupId);
    return found && { name: found.name, count: Number(found.count), shown: { sql, cells } };
  };
}

/** The right of who made the link, whose id stands there so often. */
const MAY_SHOW = mayText('manage', '?', 'd."id"');
const MAKERS = MAY_SHOW.split('?').length - 1;

/** The same where several servers have the devices, and not the links: the members are read first, then the rights on them. */
function apart(store: Store): FindOpenGroup {
  const group = store.prepare<{ name: string }>('links.group', `${OPEN_GROUPS} SELECT g."name" ${NAMED}`);
  const members = store.prepare<{ deviceId: number }>('links.members', MEMBERS);
  const sql = `d."id" IN (${ID_LIST.postgres}) AND ${MAY_SHOW}`;
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
