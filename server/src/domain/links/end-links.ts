import { LINK_PATH, MOST_LINK_DAYS, MOST_LINKS } from '@trackway/contract/resources/link.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { invalidField } from '../../refusals.ts';
import { type EndedRights, uncovered } from '../rights.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { managersOfGroup } from '../triggers/rule-applies.ts';

/** How long the creator of an ended link still sees it, and how often it was opened. */
const KEPT_MS = 30 * 86_400_000;

/** Ends the links of users who may no longer manage the device. */
export async function endUncoveredLinks(tx: Tx, { userId, deviceId, isGivenAway }: EndedRights): Promise<number> {
  let made = tx
    .selectFrom('links')
    .select(['id', 'userId', 'deviceId'])
    .where('deviceId', 'is not', null)
    .$narrowType<{ deviceId: number }>();
  if (userId !== undefined) made = made.where('userId', '=', userId);
  if (deviceId !== undefined) made = made.where('deviceId', '=', deviceId);
  const links = await made.execute();
  const ids = (isGivenAway ? links : await uncovered(tx, links)).map(({ id }) => id);
  if (ids.length > 0) await tx.deleteFrom('links').where('id', 'in', ids).execute();
  return ids.length;
}

/**
 * Ends the links of users who may no longer manage the group. A deleted group may be restored, and its links with it.
 */
export async function endUncoveredGroupLinks(tx: Tx, { userId, isGivenAway }: EndedRights): Promise<number> {
  // The previous owner of a device keeps the groups; the device is no longer in any of them.
  if (isGivenAway) return 0;
  let made = tx
    .selectFrom('links as l')
    .innerJoin('deviceGroups as g', 'g.id', 'l.groupId')
    .select(['l.id', 'g.id as groupId', 'l.userId'])
    .where('g.deletedAt', 'is', null)
    .whereRef('g.ownerId', '!=', 'l.userId');
  if (userId !== undefined) made = made.where('l.userId', '=', userId);
  const ids: number[] = [];
  for (const link of await made.execute())
    if (!(await managersOfGroup(tx, link.groupId)).has(link.userId)) ids.push(link.id);
  if (ids.length > 0) await tx.deleteFrom('links').where('id', 'in', ids).execute();
  return ids.length;
}

/** Deletes links that ended long ago. */
export async function forgetEndedLinks(store: Store, now: number): Promise<void> {
  await forgetOld(store, 'links', 'expiresAt', now - KEPT_MS);
}

/** Common parts of creating and changing links of devices and of groups. */

const DAY_MS = 86_400_000;
const HANDLE_LENGTH = 12;
/** More than 180 bits, which cannot be guessed. */
const SECRET_LENGTH = 32;

/** A new address, and its stored form. */
export function newAddress(publicUrl: string) {
  const [handle, secret] = [randomSecret(HANDLE_LENGTH), randomSecret(SECRET_LENGTH)];
  return {
    handle,
    hash: fingerprint(secret),
    url: `${publicUrl.replace(/\/$/, '')}${LINK_PATH}${handle}#${secret}`,
  };
}

/** The expiry, if it is valid. */
export function endOf(context: string, expiresAt: string | null | undefined, now: number): number {
  const end = expiresAt === undefined || expiresAt === null ? now + DAY_MS : new Date(expiresAt).getTime();
  if (end <= now) throw invalidField(context, 'expiresAt', 'past', 'must be in the future');
  if (end > now + MOST_LINK_DAYS * DAY_MS)
    throw invalidField(context, 'expiresAt', 'tooLate', `must be at most ${MOST_LINK_DAYS} days from now`);
  return end;
}

export function requireFewLinks(context: string, field: string, count: number): void {
  if (count >= MOST_LINKS)
    throw invalidField(context, field, 'tooMany', `already has ${MOST_LINKS} links: revoke one first`);
}
