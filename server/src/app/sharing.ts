import { claimGrants, claimWaitingGrants, type ShareFollower, type ShareFollowers } from '../domain/devices/grants.ts';
import { claimGroupGrants, claimWaitingGroupGrants } from '../domain/devices/groups/group-shares.ts';
import { rulesChanged } from '../domain/devices/rules-changed.ts';
import { claimListGrants, claimWaitingListGrants } from '../domain/geofences/list-members.ts';
import { rightsEnded } from '../domain/history/rights-ending.ts';
import { accessChanged, appendLiveEvents } from '../domain/live/append-live-events.ts';
import type { Store } from '../domain/schema/tables.ts';
import type { AddressFollower } from '../domain/users/confirmations.ts';
import { timeNow } from '../platform/clock.ts';

/** Shares that wait for an address take effect once it is confirmed. */
export const grantsClaimer =
  (followers: ShareFollowers): AddressFollower =>
  async (tx, user, now) => {
    await claimGrants(tx, followers, user, now);
    await claimGroupGrants(tx, followers, user, now);
    await claimListGrants(tx, user);
  };

/** The last of what follows: live events are appended as the transaction ends. */
const appendAccess: ShareFollower = (tx, deviceId, userId, now) =>
  appendLiveEvents(tx, [accessChanged(deviceId, userId)], now);
const endRights: ShareFollower = (tx, deviceId, userId, now) => rightsEnded(tx, { deviceId, userId }, now);

/** What else changes when a device starts or stops being shared with a user. */
export const shareFollowers: ShareFollowers = {
  began: [rulesChanged, appendAccess],
  ended: [endRights, appendAccess],
  async many(tx, deviceIds, userId, now) {
    for (const deviceId of [...deviceIds].sort((a, b) => a - b)) await rulesChanged(tx, deviceId);
    await rightsEnded(tx, { userId }, now);
  },
};

/** Gives what waited for addresses that were confirmed while no server ran. */
export async function claimWaiting(store: Store): Promise<void> {
  await claimWaitingGrants(store, shareFollowers, timeNow());
  await claimWaitingGroupGrants(store, shareFollowers, timeNow());
  await claimWaitingListGrants(store);
}
