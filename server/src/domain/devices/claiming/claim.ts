import type { Kysely } from 'kysely';
import type { Call } from '../../../calls.ts';
import { badRequest } from '../../../platform/errors.ts';
import { byCaller, recordAudit } from '../../audit/record.ts';
import { accessChanged, appendLiveEvents } from '../../live/append-live-events.ts';
import { endSubscription } from '../../plans/subscriptions.ts';
import type { RightsEnded } from '../../rights.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { attemptGuess } from '../../users/password-guard.ts';
import type { Quotas } from '../../users/quotas.ts';
import { requireDeviceRoom } from '../create.ts';
import { recordDeviceEvent } from '../device-events.ts';
import type { ShareFollowers } from '../grants.ts';
import { leaveGroups } from '../groups/members.ts';
import { rulesDue } from '../groups/rules-due.ts';
import { rulesChanged } from '../rules-changed.ts';
import { endGrants } from '../shares.ts';
import { forgetHistory, thinHistory } from './history.ts';

export interface ClaimParts {
  readonly store: Store;
  readonly followers: ShareFollowers;
  readonly rightsEnded: RightsEnded;
  readonly quotas: Quotas;
}

/** A device that waits for whoever knows its serial number. */
interface Claimable {
  readonly id: number;
  readonly formerId: number;
  readonly claimable: 'yes' | 'keepHistory';
}

/** One sentence for every reason, so that nothing can be learned by trying. */
const refused = () => badRequest('No device with this serial number can be claimed');

/** The id of the device, which is the caller's now. The one way in which a device gets another owner. */
export async function claimDevice(parts: ClaimParts, call: Call, serial: string): Promise<number> {
  const { store } = parts;
  const { userId } = call.caller;
  let deviceId: number | undefined;
  const attempt = { userId, name: '', address: call.address, now: call.now };
  await attemptGuess(store, 'claim', attempt, async () => {
    deviceId = (await ownDevice(store.query, serial, userId)) ?? (await claimed(parts, call, serial));
    return deviceId !== undefined;
  });
  if (deviceId === undefined) throw refused();
  return deviceId;
}

async function ownDevice(on: Kysely<Tables>, serial: string, userId: number): Promise<number | undefined> {
  const own = await on
    .selectFrom('devices')
    .select('id')
    .where('serial', '=', serial)
    .where('ownerId', '=', userId)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  return own?.id;
}

/** What can be claimed belongs to an admin, who offered it. */
async function claimableOf(on: Kysely<Tables>, serial: string): Promise<Claimable | undefined> {
  const found = await on
    .selectFrom('devices as d')
    .innerJoin('users as u', 'u.id', 'd.ownerId')
    .select(['d.id', 'd.ownerId as formerId', 'd.claimable'])
    .where('d.serial', '=', serial)
    .where('d.deletedAt', 'is', null)
    .where('u.admin', '=', 1)
    .executeTakeFirst();
  return found === undefined || found.claimable === 'no' ? undefined : (found as Claimable);
}

async function claimed(parts: ClaimParts, call: Call, serial: string): Promise<number | undefined> {
  const { store } = parts;
  const offered = await claimableOf(store.query, serial);
  if (offered === undefined) return undefined;
  if (offered.claimable === 'yes') {
    // Before the device has another owner, so that nobody ever sees another's tracks; nor are they lost for nothing.
    await store.transaction((tx) => requireDeviceRoom(tx, store.storeKind, parts.quotas, call.caller));
    const isStill = async () => (await claimableOf(store.query, serial))?.claimable === 'yes';
    await thinHistory(store, offered.id, isStill);
  }
  const isClaimed = await store.transaction((tx) => moved(tx, parts, call, offered));
  // Where somebody was quicker, it may have been the same user.
  return isClaimed ? offered.id : ownDevice(store.query, serial, call.caller.userId);
}

/** Gives the device to the caller, unless it was claimed or withdrawn meanwhile. */
async function moved(
  tx: Kysely<Tables>,
  { store, followers, rightsEnded, quotas }: ClaimParts,
  call: Call,
  { id: deviceId, formerId, claimable }: Claimable,
): Promise<boolean> {
  const { caller, now } = call;
  // First, since it waits for whoever is judging the device, and for others who claim it.
  await rulesChanged(tx, deviceId);
  const offered = await tx
    .selectFrom('devices')
    .select('id')
    .where('id', '=', deviceId)
    .where('ownerId', '=', formerId)
    .where('claimable', '=', claimable)
    .where('deletedAt', 'is', null)
    .executeTakeFirst();
  if (offered === undefined) return false;
  await requireDeviceRoom(tx, store.storeKind, quotas, caller);

  await endGrants(tx, followers, { ...call, deviceId });
  await leaveGroups(tx, followers, deviceId, now);
  await endSubscription(tx, deviceId, now);
  if (claimable === 'yes') await forgetHistory(tx, store.storeKind, deviceId, now);
  await tx
    .updateTable('devices')
    .set({ ownerId: caller.userId, claimable: 'no', expires: null })
    .where('id', '=', deviceId)
    .execute();
  await rulesDue(tx, [deviceId], now);
  await rightsEnded(tx, { userId: formerId, deviceId, isGivenAway: true }, now);
  const about = { action: 'device.claimed', ...byCaller(call), deviceId } as const;
  await recordAudit(tx, { ...about, userId: caller.userId }, now);
  await recordAudit(tx, { ...about, userId: formerId }, now);
  await recordDeviceEvent(tx, { deviceId, type: 'activation/claimed', description: 'Claimed by its new owner' }, now);
  await appendLiveEvents(tx, store.storeKind, [accessChanged(deviceId)], now);
  return true;
}
