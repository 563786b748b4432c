import { timingSafeEqual } from 'node:crypto';
import { type linkOperations as contract, type ShownLink, TRAIL_MINUTES } from '@trackway/contract/resources/link.ts';
import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { busy } from '../../refusals.ts';
import { mayText } from '../rights.ts';
import type { LinkRow } from '../schema/rows/link-rows.ts';
import type { Store } from '../schema/tables.ts';
import { whereaboutsSql } from '../tracking/api/whereabouts.ts';
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

interface Place {
  readonly locationLat: number | null;
  readonly locationLng: number | null;
  readonly timestamp: number | null;
}

const iso = (at: number) => new Date(at).toISOString();

/** What anyone sees who has the link: the name, the last position, its speed and time, and the trail. Nothing else. */
export function lookAtLink(store: Store): Handlers<keyof typeof contract>['lookAtLink'] {
  const viewers = new Viewers();
  const linkBy = store.prepare<Omit<LinkRow, 'id' | 'views'> & { id: number }>(
    'links.look',
    'SELECT * FROM "links" WHERE "handle" = ?',
  );
  const deviceOf = store.prepare<Place & { name: string | null; speed: number | null }>(
    'links.device',
    whereaboutsSql(store.storeKind, { sql: `d."id" IN ${OPEN}`, cells: [] }, true),
  );
  const trailOf = store.prepare<{ locationLat: number; locationLng: number; timestamp: number }>(
    'links.trail',
    `SELECT "p"."locationLat", "p"."locationLng", "p"."timestamp" FROM "points" "p"
     WHERE "p"."deviceId" IN ${OPEN} AND "p"."timestamp" > ? AND "p"."timestamp" <= ? AND "p"."locationLat" IS NOT NULL AND "p"."judged" IS NULL
     ORDER BY "p"."timestamp" DESC, "p"."id" DESC LIMIT ${MOST_TRAIL}`,
  );

  return async ({ body, now }): Promise<ShownLink> => {
    const { handle, secret, viewing: known } = body as { handle: string; secret: string; viewing?: string | null };
    const link = await linkBy.get(handle);
    if (link === undefined || !isSame(fingerprint(secret), link.secret)) throw ended();
    const device = await deviceOf.get(link.id, now, link.userId);
    if (device === undefined) throw ended();
    const viewing = known || randomSecret(VIEWING_LENGTH);
    if (!viewers.note(link.id, viewing, now)) throw busy('people look at this link', AGAIN_S);
    if (!known) await countView(store, link.id, now);
    const trail = link.trail === 1 ? await trailOf.all(link.id, now, now - TRAIL_MS, now) : [];
    const { locationLat: lat, locationLng: lng, timestamp, speed } = device;
    const { destinationLat, destinationLng, destinationName } = link;
    return {
      viewing,
      now: iso(now),
      expiresAt: iso(link.expiresAt),
      devices: [
        {
          name: link.name ?? device.name,
          position:
            lat === null || lng === null || timestamp === null ? null : { lat, lng, timestamp: iso(timestamp), speed },
          trail: trail
            .reverse()
            .map((at) => ({ lat: at.locationLat, lng: at.locationLng, timestamp: iso(at.timestamp) })),
        },
      ],
      destination:
        destinationLat === null || destinationLng === null
          ? null
          : { lat: destinationLat, lng: destinationLng, name: destinationName },
    };
  };
}

const isSame = (one: string, other: string) =>
  one.length === other.length && timingSafeEqual(Buffer.from(one), Buffer.from(other));

async function countView(store: Store, linkId: number, now: number): Promise<void> {
  await store.query
    .updateTable('links')
    .set((of) => ({ views: of('views', '+', 1), lastViewedAt: now }))
    .where('id', '=', linkId)
    .execute();
}

/** Finds which sites may show the page of a link in a frame. An unknown link is shown in none. */
export function linkFrames(store: Store): (handle: string, now: number) => Promise<readonly string[]> {
  const found = store.prepare<{ origins: string | null }>(
    'links.frames',
    'SELECT "origins" FROM "links" WHERE "handle" = ? AND "expiresAt" > ?',
  );
  return async (handle, now) => JSON.parse((await found.get(handle, now))?.origins ?? '[]') as string[];
}
