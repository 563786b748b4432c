import { timingSafeEqual } from 'node:crypto';
import {
  type linkOperations as contract,
  LINK_PACE_S,
  MOST_VIEWERS,
  type ShownDevice,
  type ShownLink,
  TRAIL_MINUTES,
} from '@trackway/contract/resources/link.ts';
import type { Handlers } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { busy } from '../../refusals.ts';
import { mayText } from '../rights.ts';
import type { DeviceLinkRow, GroupLinkRow, LinkRow } from '../schema/rows/account-rows.ts';
import type { Store } from '../schema/tables.ts';
import { whereaboutsSql } from '../tracking/api/whereabouts.ts';
import { type FoundDevice, shownGroup } from './shown-group.ts';

/** One hour with a fix every few seconds; of a longer trail the newest part is shown. */
const MOST_TRAIL = 1000;
const TRAIL_MS = TRAIL_MINUTES * 60_000;
const AGAIN_S = 30;
const VIEWING_LENGTH = 16;

/** The same response in all cases, so that it does not reveal which links exist. */
const ended = () => new Refusal(403, 'This link has ended or was revoked.', { code: 'LINK_ENDED' });

/**
 * The device of a link that was read just before, while its creator, who is bound to each placeholder of the right, may
 * manage the device. It is part of each statement that reads data of the device, so that nothing is shown after the right
 * has ended.
 */
const MAY_SHOW = mayText('manage', '?', 'd."id"');
const OPEN = `(SELECT d."id" FROM "devices" d WHERE d."id" = ? AND ${MAY_SHOW})`;
const MAKERS = MAY_SHOW.split('?').length - 1;

interface Place {
  readonly locationLat: number | null;
  readonly locationLng: number | null;
  readonly timestamp: number | null;
}

const iso = (at: number) => new Date(at).toISOString();

/** The way to a destination by road, as the operator's routing service returns it: in metres and seconds. */
export type RouteOf = (
  deviceId: number,
  from: { readonly lat: number; readonly lng: number },
  to: { readonly lat: number; readonly lng: number },
) => Promise<ShownDevice['route']>;

type Stored<Row> = Omit<Row, 'id' | 'views'> & { readonly id: number };

/** The content of a link for anyone: the name, the last position, its speed and time, and the trail. Nothing else. */
export function openLink(store: Store, routeOf?: RouteOf): Handlers<keyof typeof contract>['openLink'] {
  const viewers = new Viewers();
  const linkBy = store.prepare<Stored<LinkRow>>('links.look', 'SELECT * FROM "links" WHERE "handle" = ?');
  const deviceSeen = shownDevice(store);
  const groupSeen = shownGroup(store);

  return async ({ body, now }): Promise<ShownLink> => {
    const { handle, secret, viewing: known } = body as { handle: string; secret: string; viewing?: string | null };
    const link = await linkBy.get(handle);
    if (link === undefined || !isSame(fingerprint(secret), link.secret)) throw ended();
    const viewing = known || randomSecret(VIEWING_LENGTH);
    const isOfGroup = link.groupId !== null;
    const shown = isOfGroup
      ? await groupSeen(link as Stored<GroupLinkRow>, now)
      : await deviceSeen(link as Stored<DeviceLinkRow>, now);
    if (shown === undefined) throw ended();
    if (!viewers.note(link.id, viewing, now)) throw busy('people look at this link', AGAIN_S);
    if (!known) await countView(store, link.id, now);
    const { destinationLat: lat, destinationLng: lng, destinationName } = link;
    const destination = lat === null || lng === null ? null : { lat, lng };
    const withRoute = async ({ deviceId, ...device }: FoundDevice): Promise<ShownDevice> => {
      const { position } = device;
      const route = routeOf && destination && position && (await routeOf(deviceId, position, destination));
      return { ...device, route: route ?? null };
    };
    return {
      viewing,
      now: iso(now),
      expiresAt: iso(link.expiresAt),
      isOfGroup,
      ...shown,
      devices: await Promise.all(shown.devices.map(withRoute)),
      destination: destination && { ...destination, name: destinationName },
    };
  };
}

/** The content of a device link; undefined if it is not active. */
function shownDevice(store: Store) {
  const openCells = ({ deviceId, userId }: Stored<DeviceLinkRow>) => [deviceId, ...Array<number>(MAKERS).fill(userId)];
  const deviceOf = store.prepare<Place & { name: string | null; speed: number | null }>(
    'links.device',
    whereaboutsSql(store, { sql: `d."id" IN ${OPEN}`, cells: [] }, true),
  );
  const trailOf = store.prepare<{ locationLat: number; locationLng: number; timestamp: number }>(
    'links.trail',
    `SELECT "p"."locationLat", "p"."locationLng", "p"."timestamp" FROM "points" "p"
     WHERE "p"."deviceId" IN ${OPEN} AND "p"."timestamp" > ? AND "p"."timestamp" <= ? AND "p"."locationLat" IS NOT NULL AND "p"."judged" IS NULL
     ORDER BY "p"."timestamp" DESC, "p"."id" DESC LIMIT ${MOST_TRAIL}`,
  );
  return async (link: Stored<DeviceLinkRow>, now: number) => {
    if (link.expiresAt <= now) return undefined;
    const device = await deviceOf.get(...openCells(link), link.userId);
    if (device === undefined) return undefined;
    const trail = link.trail === 1 ? await trailOf.all(...openCells(link), now - TRAIL_MS, now) : [];
    const { locationLat: lat, locationLng: lng, timestamp, speed } = device;
    const name = link.name ?? device.name;
    const position =
      lat === null || lng === null || timestamp === null ? null : { lat, lng, timestamp: iso(timestamp), speed };
    const way = trail
      .reverse()
      .map((at) => ({ lat: at.locationLat, lng: at.locationLng, timestamp: iso(at.timestamp) }));
    return { name, more: 0, devices: [{ deviceId: link.deviceId, name, position, trail: way }] };
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

/** Finds the sites that may embed the page of a link in a frame. None may for an unknown link. */
export function linkFrames(store: Store): (handle: string, now: number) => Promise<readonly string[]> {
  const found = store.prepare<{ origins: string | null }>(
    'links.frames',
    'SELECT "origins" FROM "links" WHERE "handle" = ? AND "expiresAt" > ?',
  );
  return async (handle, now) => JSON.parse((await found.get(handle, now))?.origins ?? '[]') as string[];
}

/** A viewer without requests for this long is gone: a few requests may get lost. */
const GONE_MS = 4 * LINK_PACE_S * 1000;
/** Maximum number of remembered links; links without viewers are removed first. */
const MOST_LINKS_SEEN = 10_000;

/** The current viewers of links. Memory is bounded. */
export class Viewers {
  /** By link: the last request of each viewer, in that order. */
  readonly #seen = new Map<number, Map<string, number>>();

  /** Records a viewer. False if there are too many others. */
  note(linkId: number, viewing: string, now: number): boolean {
    const viewers = this.#viewersOf(linkId, now);
    if (viewers === undefined) return false;
    for (const [one, at] of viewers) {
      if (at > now - GONE_MS) break;
      viewers.delete(one);
    }
    if (!viewers.has(viewing) && viewers.size >= MOST_VIEWERS) return false;
    viewers.delete(viewing);
    viewers.set(viewing, now);
    return true;
  }

  #viewersOf(linkId: number, now: number): Map<string, number> | undefined {
    const known = this.#seen.get(linkId);
    if (known !== undefined) return known;
    if (this.#seen.size >= MOST_LINKS_SEEN) this.#forget(now);
    if (this.#seen.size >= MOST_LINKS_SEEN) return undefined;
    const viewers = new Map<string, number>();
    this.#seen.set(linkId, viewers);
    return viewers;
  }

  #forget(now: number): void {
    for (const [linkId, viewers] of this.#seen) {
      const last = [...viewers.values()].at(-1) ?? 0;
      if (last <= now - GONE_MS) this.#seen.delete(linkId);
    }
  }
}
