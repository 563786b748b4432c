import { claimGrants, type ShareFollower, type ShareFollowers } from '../domain/devices/grants.ts';
import { claimGroupGrants } from '../domain/devices/groups/waiting-grants.ts';
import { rulesChanged } from '../domain/devices/rules-changed.ts';
import { claimListGrants } from '../domain/geofences/lists/waiting-grants.ts';
import { accessChanged, appendLiveEvents } from '../domain/live/append-live-events.ts';
import type { Store } from '../domain/schema/tables.ts';
import { rightsEnding } from '../domain/service/rights-ending.ts';
import type { AddressFollower } from '../domain/users/mail-links/confirmations.ts';

/** Shares that wait for an address take effect once it is confirmed. */
export const grantsClaimer =
  (followers: ShareFollowers): AddressFollower =>
  async (tx, user, now) => {
    await claimGrants(tx, followers, user, now);
    await claimGroupGrants(tx, followers, user, now);
    await claimListGrants(tx, user, now);
  };

/** What else changes when a device starts or stops being shared with a user. */
export function shareFollowersOf(store: Store): ShareFollowers {
  // The last of what follows: live events are appended as the transaction ends.
  const appendAccess: ShareFollower = (tx, deviceId, userId, now) =>
    appendLiveEvents(tx, store.storeKind, [accessChanged(deviceId, userId)], now);
  const rightsEnded = rightsEnding(store.storeKind);
  const endRights: ShareFollower = (tx, deviceId, userId, now) => rightsEnded(tx, { deviceId, userId }, now);
  return {
    began: [rulesChanged, appendAccess],
    ended: [endRights, appendAccess],
    async many(tx, deviceIds, userId, now) {
      for (const deviceId of [...deviceIds].sort((a, b) => a - b)) await rulesChanged(tx, deviceId);
      await rightsEnded(tx, { userId }, now);
    },
  };
}
