import type { Handlers } from '../../calls.ts';
import { RecentMap } from '../../platform/caches.ts';
import type { Place } from '../../platform/sphere.ts';
import { signedDistanceM } from '../geofences/area.ts';
import { readUserFences, type UserFences } from '../geofences/user-fences.ts';
import type { Store } from '../schema/tables.ts';

/** What is said of the address of a place. */
interface FoundAddress {
  readonly address: string | null;
  readonly isWaiting: boolean;
}

/** Places that fit a text, the best first. */
interface FoundPlaces {
  readonly places: readonly { readonly name: string; readonly lat: number; readonly lng: number }[];
  readonly isWaiting: boolean;
}

export interface Geocoder {
  /** Whose data its addresses are. */
  readonly attribution: string;
  addressOf(userId: number, place: { readonly lat: number; readonly lng: number }): Promise<FoundAddress>;
  search(
    userId: number,
    text: string,
    near: { readonly lat: number; readonly lng: number } | undefined,
  ): Promise<FoundPlaces>;
}

/** Names of places: the user's own first, then the names of the operator's geocoder. */
export function placeNameOperations(
  store: Store,
  geocoder: Geocoder | undefined,
): Handlers<'namePlace' | 'searchPlaces'> {
  const fenceOf = fenceAround(store);
  return {
    async namePlace({ caller, parameters: { lat, lng, deviceId }, now }) {
      const place = { lat, lng };
      const [geofence, found] = await Promise.all([
        fenceOf({ userId: caller.userId, deviceId }, place, now),
        geocoder?.addressOf(caller.userId, place),
      ]);
      const { address, isWaiting } = found ?? { address: null, isWaiting: false };
      return { geofence, address, isWaiting, attribution: address === null ? '' : geocoder!.attribution };
    },
    async searchPlaces({ caller, parameters: { text, lat, lng } }) {
      const near = lat !== undefined && lng !== undefined ? { lat, lng } : undefined;
      const found = await geocoder?.search(caller.userId, text, near);
      const { places, isWaiting } = found ?? { places: [], isWaiting: false };
      return { places: [...places], isWaiting, attribution: places.length === 0 ? '' : geocoder!.attribution };
    },
  };
}

interface NamedFence {
  readonly id: number;
  readonly name: string;
}

const MAX_USERS = 500;
/** Where it is not said which device is meant, fences for one device only do not count. */
const NO_DEVICE = -1;

/** The caller, and the device. All fences belong to the user, so no right on the device is needed. */
interface PlaceAsked {
  readonly userId: number;
  readonly deviceId: number | undefined;
}

/** Finds the smallest named fence of a user around a place. Fences are read once, until the user changes one. */
function fenceAround(store: Store): (asked: PlaceAsked, place: Place, now: number) => Promise<NamedFence | null> {
  const known = new RecentMap<number, UserFences>(MAX_USERS);
  const revisionOf = store.prepare<{ revision: number }>(
    'placeNames.revision',
    'SELECT "revision" FROM "geofenceRevisions" WHERE "userId" = ?',
  );
  return async ({ userId, deviceId = NO_DEVICE }, place, now) => {
    const revision = (await revisionOf.get(userId))?.revision ?? 0;
    let fences = known.get(userId);
    if (fences?.revision !== revision) {
      fences = await readUserFences(store, userId, revision, now);
      known.set(userId, fences);
    }
    let found: (NamedFence & { readonly chord: number }) | undefined;
    fences.near(now, deviceId, place, 0, ({ fenceId, name, area }) => {
      const isBetter = name && (found === undefined || area.chord < found.chord);
      if (isBetter && signedDistanceM(area, place, 0) <= 0) found = { id: fenceId, name, chord: area.chord };
    });
    return found === undefined ? null : { id: found.id, name: found.name };
  };
}
