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

type Writer = Pick<Kysely<Tables>, 'insertInto'>;

/** Appends to the audit trail, in the transaction that does what the entry tells. */
export async function recordAudit(on: Writer, entry: AuditEntry, now: number): Promise<void> {
  await on.insertInto('auditEntries').values(auditRow(entry, now)).execute();
}

export const auditRow = (entry: AuditEntry, now: number) => ({
  at: now,
  action: entry.action,
  actorId: entry.actorId ?? null,
  actor: entry.actor?.slice(0, 200) ?? null,
  tokenId: entry.tokenId ?? null,
  address: entry.address ?? null,
  userId: entry.userId ?? null,
  deviceId: entry.deviceId ?? null,
  detail: entry.detail === undefined ? null : JSON.stringify(entry.detail),
});

/** Who calls, as an entry says it. */
export const byCaller = ({ caller, address }: Pick<Call, 'caller' | 'address'>) => ({
  // Operations for anyone have no caller.
  ...((caller as typeof caller | undefined) && { actorId: caller.userId, tokenId: caller.tokenId }),
  address,
});

/** The same about a device: the entry concerns its owner. */
export async function recordDeviceAudit(
  on: Writer & Pick<Kysely<Tables>, 'selectFrom'>,
  call: Pick<Call, 'caller' | 'address' | 'now'>,
  entry: Pick<AuditEntry, 'action' | 'detail'> & { readonly deviceId: number; readonly userId?: number },
): Promise<void> {
  const device = await on.selectFrom('devices').select('ownerId').where('id', '=', entry.deviceId).executeTakeFirst();
  await recordAudit(on, { userId: device?.ownerId, ...byCaller(call), ...entry }, call.now);
}

/** Somebody ended what another user had made on a device. */
export const endedBy = (
  { caller, address, deviceId }: Pick<Call, 'caller' | 'address' | 'deviceId'>,
  action: AuditAction,
  userId: number,
  detail: Readonly<Record<string, unknown>>,
): AuditEntry => ({ action, actorId: caller.userId, tokenId: caller.tokenId, address, userId, deviceId, detail });
