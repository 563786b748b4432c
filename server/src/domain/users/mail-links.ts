import { Refusal } from '../../platform/errors.ts';
import { fingerprint, randomSecret } from '../../platform/secrets.ts';
import { findRow } from '../rows.ts';
import type { MailLinkRow } from '../schema/rows/account-rows.ts';
import type { Tx } from '../schema/tables.ts';

/** Links in mails: secret, stored as a hash, bound to one address, and good for a time. */

type LinkKind = MailLinkRow['kind'];

const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

export const LINK_LIFE_MS: Readonly<Record<LinkKind, number>> = {
  confirm: 2 * DAY_MS,
  change: 2 * DAY_MS,
  reset: HOUR_MS,
  invite: 7 * DAY_MS,
  // Longer than an answer needs: a recipient who agreed can withdraw with the same mail.
  recipient: 365 * DAY_MS,
};

interface NewLink {
  readonly kind: LinkKind;
  readonly address: string;
  readonly userId?: number;
  readonly subjectId?: number;
}

/** Answers the token of a new link. Older ones of the same kind for the same account or thing stop working. */
export async function issueLink(tx: Tx, link: NewLink, now: number): Promise<string> {
  await endLinks(tx, link);
  const token = randomSecret(43);
  await tx
    .insertInto('mailLinks')
    .values({
      kind: link.kind,
      hash: fingerprint(token),
      userId: link.userId ?? null,
      address: link.address,
      subjectId: link.subjectId ?? null,
      created: now,
      expiresAt: now + LINK_LIFE_MS[link.kind],
    })
    .execute();
  return token;
}

export async function endLinks(
  tx: Tx,
  { kind, userId, subjectId }: Pick<NewLink, 'kind' | 'userId' | 'subjectId'>,
): Promise<void> {
  if (subjectId !== undefined)
    await tx.deleteFrom('mailLinks').where('kind', '=', kind).where('subjectId', '=', subjectId).execute();
  else if (userId !== undefined)
    await tx.deleteFrom('mailLinks').where('kind', '=', kind).where('userId', '=', userId).execute();
}

/**
 * A person who knew the old password may have requested these: they end with it, and so does a pending change of the
 * address.
 */
export async function endLinksOfPassword(tx: Tx, userId: number): Promise<void> {
  for (const kind of ['change', 'reset'] as const) await endLinks(tx, { kind, userId });
  await tx.updateTable('users').set({ newEmail: null }).where('id', '=', userId).execute();
}

interface TakenLink {
  readonly kind: LinkKind;
  readonly userId: number | null;
  readonly address: string;
  readonly subjectId: number | null;
}

/** The link of a token, which works no more after that. Of two uses at once, one finds it gone. */
export async function takeLink(tx: Tx, kinds: readonly LinkKind[], token: string, now: number): Promise<TakenLink> {
  const taken = await tx
    .deleteFrom('mailLinks')
    .where('hash', '=', fingerprint(token))
    .where('kind', 'in', [...kinds])
    .returning(['kind', 'userId', 'address', 'subjectId', 'expiresAt'])
    .executeTakeFirst();
  if (taken === undefined || taken.expiresAt <= now) throw linkEnded();
  return taken;
}

/** The link of a token that can be used again. */
export async function readLink(tx: Tx, kind: LinkKind, token: string, now: number): Promise<TakenLink> {
  const found = await findRow(tx, 'mailLinks', { hash: fingerprint(token), kind }, [
    'kind',
    'userId',
    'address',
    'subjectId',
    'expiresAt',
  ]);
  if (found === undefined || found.expiresAt <= now) throw linkEnded();
  return found;
}

export const linkEnded = () =>
  new Refusal(
    403,
    'This link is no longer valid: it was used, replaced by a newer one, or has expired. Ask for a new one.',
    {
      code: 'LINK_ENDED',
    },
  );

export async function forgetOldLinks(on: Pick<Tx, 'deleteFrom' | 'updateTable'>, now: number): Promise<void> {
  const ended = await on.deleteFrom('mailLinks').where('expiresAt', '<=', now).returning(['kind', 'userId']).execute();
  const changes = ended.flatMap(({ kind, userId }) => (kind === 'change' && userId !== null ? [userId] : []));
  if (changes.length > 0) await on.updateTable('users').set({ newEmail: null }).where('id', 'in', changes).execute();
  await on
    .deleteFrom('invitations')
    .where('expires', '<=', now - 30 * DAY_MS)
    .execute();
}
