import type { AuditAction } from '@trackway/contract/audit.ts';
import type { Kysely } from 'kysely';
import type { Call } from '../../calls.ts';
import type { Tables } from '../schema/tables.ts';

export interface AuditEntry {
  readonly action: AuditAction;
  /** Who did it; absent where nobody is signed in. */
  readonly actorId?: number;
  /** The name that somebody gave who is not known, such as that of a failed sign-in. */
  readonly actor?: string;
  readonly tokenId?: number;
  readonly address?: string;
  /** The user whom it concerns: the account that was changed, or the owner of the device. */
  readonly userId?: number;
  readonly deviceId?: number;
  /** What was changed. Never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

/** Appends to the audit trail, in the transaction that does what the entry tells. */
export async function recordAudit(
  on: Pick<Kysely<Tables>, 'insertInto'>,
  entry: AuditEntry,
  now: number,
): Promise<void> {
  await on
    .insertInto('auditEntries')
    .values({
      at: now,
      action: entry.action,
      actorId: entry.actorId ?? null,
      actor: entry.actor?.slice(0, 200) ?? null,
      tokenId: entry.tokenId ?? null,
      address: entry.address ?? null,
      userId: entry.userId ?? null,
      deviceId: entry.deviceId ?? null,
      detail: entry.detail === undefined ? null : JSON.stringify(entry.detail),
    })
    .execute();
}

/** Somebody ended what another user had made on a device. */
export const endedBy = (
  { caller, address, deviceId }: Pick<Call, 'caller' | 'address' | 'deviceId'>,
  action: AuditAction,
  userId: number,
  detail: Readonly<Record<string, unknown>>,
): AuditEntry => ({ action, actorId: caller.userId, tokenId: caller.tokenId, address, userId, deviceId, detail });
