import { timingSafeEqual } from 'node:crypto';
import { type linkOperations as contract, type ShownLink, TRAIL_MINUTES } from '@trackway/contract/resources/link.ts';
import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { busy } from '../../refusals.ts';
import { mayText } from '../rights.ts';
import type { GroupLinkRow, LinkRow } from '../schema/rows/link-rows.ts';
import type { Store } from '../schema/tables.ts';
import { whereaboutsSql } from '../tracking/api/whereabouts.ts';
import { shownGroup } from './shown-group.ts';
import { Viewers } from './viewers.ts';

/** A way of an hour with a fix every few seconds; of a longer one the newest part is shown. */
const MOST_TRAIL = 1000;
const TRAIL_MS = TRAIL_MINUTES * 60_000;
const AGAIN_S = 30;
const VIEWING_LENGTH = 16;

/** One answer for all of them: it does not tell which links there are. */
const ended = () => new Refusal(403, 'This link has ended, or was revoked.', { code: 'LINK_ENDED' });

/**
 * The device of a link that has not ended, while whoever made it may manage the device. It stands in each statement that
 * reads something of the device, so that nothing is shown after the right is gone.
 */
const OPEN = `(SELECT "l"."deviceId" FROM "links" "l" WHERE "l"."id" = ? AND "l"."expiresAt" > ?
  AND ${mayText('manage', '"l"."userId"', '"l"."deviceId"')})`;

/**
 * The same where several servers have the devices, and not the links: of a link that was read just before, by its device and
 * as often as it stands there by who made it.
 */
const MAY_SHOW = mayText('manage', '?', 'd."id"');
const OPEN_APART = `(SELECT d."id" FROM "devices" d WHERE d."id" = ? AND ${MAY_SHOW})`;
const MAKERS = MAY_SHOW.split('?').length - 1;

interface Place {
  readonly locationLat: number | null;
  readonly locationLng: number | null;
  readonly timestamp: number | null;
}

const iso = (at: number) => new Date(at).toISOString();

type Stored<Row> = Omit<Row, 'id' | 'views'> & { readonly id: number };

/** What anyone sees who has the link: the name, the last position, its speed and time, and the trail. Nothing else. */
export function lookAtLink(store: Store): Handlers<keyof typeof contract>['lookAtLink'] {
  // Links of devices and of groups have numbers of their own.
  const viewers = { links: new Viewers(), groupLinks: new Viewers() };
  const linkBy = store.prepare<Stored<LinkRow>>('links.look', 'SELECT * FROM "links" WHERE "handle" = ?');
  const groupLinkBy = store.prepare<Stored<GroupLinkRow>>(
    'groupLinks.look',
    'SELECT * FROM "groupLinks" WHERE "handle" = ?',
  );
  const deviceSeen = shownDevice(store);
  const groupSeen = shownGroup(store);

  return async ({ body, now }): Promise<ShownLink> => {
    const { handle, secret, viewing: known } = body as { handle: string; secret: string; viewing?: string | null };
    const ofDevice = await linkBy.get(handle);
    const ofGroup = ofDevice === undefined ? await groupLinkBy.get(handle) : undefined;
    const link = ofDevice ?? ofGroup;
    if (link === undefined || !isSame(fingerprint(secret), link.secret)) throw ended();
    const table = ofDevice ? 'links' : 'groupLinks';
    const viewing = known || randomSecret(VIEWING_LENGTH);
    const shown = ofDevice ? await deviceSeen(ofDevice, now) : await groupSeen(ofGroup!, now);
    if (shown === undefined) throw ended();
    if (!viewers[table].note(link.id, viewing, now)) throw busy('people look at this link', AGAIN_S);
    if (!known) await countView(store, table, link.id, now);
    const { destinationLat, destinationLng, destinationName } = link;
    return {
      viewing,
      now: iso(now),
      expiresAt: iso(link.expiresAt),
      isOfGroup: ofGroup !== undefined,
      ...shown,
      destination:
        destinationLat === null || destinationLng === null
          ? null
          : { lat: destinationLat, lng: destinationLng, name: destinationName },
    };
  };
}

/** What a link of one device shows; undefined once it is not open. */
function shownDevice(store: Store) {
  const isApart = store.groupOfSlot !== undefined;
  const open = isApart ? OPEN_APART : OPEN;
  const openCells = ({ id, deviceId, userId }: Stored<LinkRow>, now: number) =>
    isApart ? [deviceId, ...Array<number>(MAKERS).fill(userId)] : [id, now];
  const deviceOf = store.prepare<Place & { name: string | null; speed: number | null }>(
    'links.device',
    whereaboutsSql(store, { sql: `d."id" IN ${open}`, cells: [] }, true),
  );
  const trailOf = store.prepare<{ locationLat: number; locationLng: number; timestamp: number }>(
    'links.trail',
    `SELECT "p"."locationLat", "p"."locationLng", "p"."timestamp" FROM "points" "p"
     WHERE "p"."deviceId" IN ${open} AND "p"."timestamp" > ? AND "p"."timestamp" <= ? AND "p"."locationLat" IS NOT NULL AND "p"."judged" IS NULL
     ORDER BY "p"."timestamp" DESC, "p"."id" DESC LIMIT ${MOST_TRAIL}`,
  );
  return async (link: Stored<LinkRow>, now: number) => {
    if (link.expiresAt <= now) return undefined;
    const device = await deviceOf.get(...openCells(link, now), link.userId);
    if (device === undefined) return undefined;
    const trail = link.trail === 1 ? await trailOf.all(...openCells(link, now), now - TRAIL_MS, now) : [];
    const { locationLat: lat, locationLng: lng, timestamp, speed } = device;
    const name = link.name ?? device.name;
    const position =
      lat === null || lng === null || timestamp === null ? null : { lat, lng, timestamp: iso(timestamp), speed };
    const way = trail
      .reverse()
      .map((at) => ({ lat: at.locationLat, lng: at.locationLng, timestamp: iso(at.timestamp) }));
    return { name, more: 0, devices: [{ name, position, trail: way }] };
  };
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

async function countView(store: Store, table: 'links' | 'groupLinks', linkId: number, now: number): Promise<void> {
  await store.query
    .updateTable(table)
    .set((of) => ({ views: of('views', '+', 1), lastViewedAt: now }))
    .where('id', '=', linkId)
    .execute();
}

/** Finds which sites may show the page of a link in a frame. An unknown link is shown in none. */
export function linkFrames(store: Store): (handle: string, now: number) => Promise<readonly string[]> {
  const found = store.prepare<{ origins: string | null }>(
    'links.frames',
    `SELECT "origins" FROM "links" WHERE "handle" = ? AND "expiresAt" > ?
     UNION ALL SELECT "origins" FROM "groupLinks" WHERE "handle" = ? AND "expiresAt" > ?`,
  );
  return async (handle, now) => JSON.parse((await found.get(handle, now, handle, now))?.origins ?? '[]') as string[];
}
