import { LINK_PATH, MOST_LINK_DAYS, MOST_LINKS } from '@trackway/contract/resources/link.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { invalidField } from '../../refusals.ts';

/** What a link of a device and one of a group have alike when they are made or changed. */

const DAY_MS = 86_400_000;
const HANDLE_LENGTH = 12;
/** More than 180 bits: nobody guesses it. */
const SECRET_LENGTH = 32;

/** A new address, and what is stored of it. */
export function newAddress(publicUrl: string) {
  const [handle, secret] = [randomSecret(HANDLE_LENGTH), randomSecret(SECRET_LENGTH)];
  return {
    handle,
    hash: fingerprint(secret),
    url: `${publicUrl.replace(/\/$/, '')}${LINK_PATH}${handle}#${secret}`,
  };
}

/** When it ends, if that may be. */
export function endOf(context: string, expiresAt: string | null | undefined, now: number): number {
  const end = expiresAt === undefined || expiresAt === null ? now + DAY_MS : new Date(expiresAt).getTime();
  if (end <= now) throw invalidField(context, 'expiresAt', 'past', 'must be in the future');
  if (end > now + MOST_LINK_DAYS * DAY_MS)
    throw invalidField(context, 'expiresAt', 'tooLate', `must be at most ${MOST_LINK_DAYS} days from now`);
  return end;
}

export function requireFewLinks(context: string, field: string, count: number): void {
  if (count >= MOST_LINKS)
    throw invalidField(context, field, 'tooMany', `has ${MOST_LINKS} links already: revoke one first`);
}
