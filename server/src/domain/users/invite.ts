import { sql } from 'kysely';
import { findRow } from '../rows.ts';
import type { Tx } from '../schema/tables.ts';
import { endLinks, issueLink, LINK_LIFE_MS } from './mail-links.ts';

interface NewInvitation {
  readonly email: string;
  readonly name?: string | null;
  readonly admin?: boolean;
  readonly origin: 'admin' | 'share';
  readonly invitedBy: number;
}

export interface Invited {
  readonly id: number;
  /** Of the link, which is not stored. */
  readonly token: string;
}

const timesFrom = (now: number) => ({ sent: now, expires: now + LINK_LIFE_MS.invite });

/**
 * Invites an address. What an admin decides replaces what was there; a share only renews it, and does not restore the
 * admin right of an expired invitation.
 */
export async function invite(tx: Tx, invitation: NewInvitation, now: number): Promise<Invited> {
  const { email, name = null, admin = false, origin, invitedBy } = invitation;
  const decided = { name, admin: admin ? 1 : 0, origin, invitedBy };
  const times = timesFrom(now);
  const { id } = await tx
    .insertInto('invitations')
    .values({ email, ...decided, created: now, ...times })
    .onConflict((on) =>
      on.column('email').doUpdateSet(
        origin === 'admin'
          ? { ...decided, ...times }
          : {
              ...times,
              admin: sql<number>`CASE WHEN "invitations"."expires" > ${now} THEN "invitations"."admin" ELSE 0 END`,
            },
      ),
    )
    .returning('id')
    .executeTakeFirstOrThrow();
  return { id, token: await issueLink(tx, { kind: 'invite', address: email, subjectId: id }, now) };
}

/** A new link, for another seven days. */
export async function renewInvitation(tx: Tx, id: number, email: string, now: number): Promise<Invited> {
  await tx.updateTable('invitations').set(timesFrom(now)).where('id', '=', id).execute();
  return { id, token: await issueLink(tx, { kind: 'invite', address: email, subjectId: id }, now) };
}

export async function endInvitation(tx: Tx, id: number): Promise<void> {
  await endLinks(tx, { kind: 'invite', subjectId: id });
  await tx.deleteFrom('invitations').where('id', '=', id).execute();
}

/** The invitations of a former admin end, because a link may create another admin. */
export async function endInvitationsOf(tx: Tx, userId: number): Promise<void> {
  const sent = await tx
    .selectFrom('invitations')
    .select('id')
    .where('invitedBy', '=', userId)
    .where('origin', '=', 'admin')
    .execute();
  for (const { id } of sent) await endInvitation(tx, id);
}

/** An invitation that was made for a share ends with the last of them. */
export async function endUnusedInvitation(tx: Tx, email: string): Promise<void> {
  for (const table of ['shareGrants', 'grants'] as const) {
    const waiting = await tx
      .selectFrom(table)
      .select('id')
      .where('email', '=', email)
      .where('holderId', 'is', null)
      .executeTakeFirst();
    if (waiting !== undefined) return;
  }
  const unused = await findRow(tx, 'invitations', { email, origin: 'share' }, ['id']);
  if (unused !== undefined) await endInvitation(tx, unused.id);
}
