import { RecentMap } from '../../../platform/recent-map.ts';
import type { Place } from '../../../platform/sphere.ts';
import { readUserFences, type UserFences } from '../../geofences/index/user-fences.ts';
import { signedDistanceM } from '../../geofences/shape/area.ts';
import type { Store } from '../../schema/tables.ts';

export interface NamedFence {
  readonly id: number;
  readonly name: string;
}

const MAX_USERS = 500;
/** Where it is not said which device is meant, fences for one device only do not count. */
const NO_DEVICE = -1;

/** Who asks, and of which device: all fences are the user's own, so the device needs no right. */
export interface PlaceAsked {
  readonly userId: number;
  readonly deviceId: number | undefined;
}

/** Finds the smallest named fence of a user around a place. Fences are read once, until the user changes one. */
export function fenceAround(
  store: Store,
): (asked: PlaceAsked, place: Place, now: number) => Promise<NamedFence | null> {
  const known = new RecentMap<number, UserFences>(MAX_USERS);
  const changesOf = store.prepare<{ changes: number }>(
    'placeNames.changes',
    'SELECT "changes" FROM "userFences" WHERE "userId" = ?',
  );
  return async ({ userId, deviceId = NO_DEVICE }, place, now) => {
    const changes = (await changesOf.get(userId))?.changes ?? 0;
    let fences = known.get(userId);
    if (fences?.changes !== changes) {
      fences = await readUserFences(store, userId, changes, now);
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
