import type { AuditAction } from '@trackway/contract/audit.ts';
import type { Call } from '../../calls.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { findRow } from '../rows.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store, Tx } from '../schema/tables.ts';

export interface AuditEntry {
  readonly action: AuditAction;
  /** The acting user; absent without a session. */
  readonly actorId?: number;
  /** The name given by an unknown user, such as in a failed sign-in. */
  readonly actor?: string;
  readonly tokenId?: number;
  readonly address?: string;
  /** The affected user: the changed account, or the owner of the device. */
  readonly userId?: number;
  readonly deviceId?: number;
  /** The changes. Never a secret. */
  readonly detail?: Readonly<Record<string, unknown>>;
}

type Writer = Pick<Tx, 'insertInto'>;

/** Appends to the audit trail, in the transaction of the recorded action. */
export async function recordAudit(on: Writer, entry: AuditEntry, now: number): Promise<void> {
  await on.insertInto('auditEntries').values(auditRow(entry, now)).execute();
}

const auditRow = (entry: AuditEntry, now: number) => ({
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

/** The caller's fields of an entry. */
export const byCaller = ({ caller, address }: Pick<Call, 'caller' | 'address'>) => ({
  // Public operations have no caller.
  ...((caller as typeof caller | undefined) && { actorId: caller.userId, tokenId: caller.tokenId }),
  address,
});

/** The same for a device: the entry concerns its owner. */
export async function recordDeviceAudit(
  on: Writer & Pick<Tx, 'selectFrom'>,
  call: Pick<Call, 'caller' | 'address' | 'now'>,
  entry: Pick<AuditEntry, 'action' | 'detail'> & { readonly deviceId: number; readonly userId?: number },
): Promise<void> {
  const device = await findRow(on, 'devices', { id: entry.deviceId }, ['ownerId']);
  await recordAudit(on, { userId: device?.ownerId, ...byCaller(call), ...entry }, call.now);
}

/** Manual deletion of a device's data: which, or all. */
export const recordDeletedData = (
  on: Parameters<typeof recordDeviceAudit>[0],
  call: Pick<Call, 'caller' | 'address' | 'now' | 'deviceId'>,
  detail: Readonly<Record<string, readonly number[] | 'all'>>,
): Promise<void> => recordDeviceAudit(on, call, { action: 'data.deleted', deviceId: call.deviceId, detail });

/** A user ended something that another user had created on a device: the entry concerns that user. */
export const endedBy = (
  call: Pick<Call, 'caller' | 'address' | 'deviceId'>,
  action: AuditAction,
  userId: number,
  detail: Readonly<Record<string, unknown>>,
): AuditEntry => ({ action, ...byCaller(call), userId, deviceId: call.deviceId, detail });

export const forgetOldAudit = (store: Store, before: number) => forgetOld(store, 'auditEntries', 'at', before);

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Maximum number of separate entries per minute and per day and process; further ones share one entry per hour. */
const PER_MINUTE = 20;
const PER_DAY = 2000;
const HOUR_MS = 60 * MINUTE_MS;

interface PasswordFailure {
  readonly action: Extract<AuditAction, 'session.failed' | 'user.passwordFailed'>;
  readonly address: string;
  /** The account whose password was tried, if it exists. */
  readonly userId?: number;
  /** The given name. Stored only if it is an e-mail address: people also type passwords into this field. */
  readonly name?: string;
}

/**
 * Records wrong passwords without letting attackers fill the disk: failures of one account and address within a minute
 * are one entry with a count, all unknown accounts are one, and there is a global limit.
 */
export function failureRecorder(store: Store): (failure: PasswordFailure, now: number) => Promise<void> {
  let minute = 0;
  let day = 0;
  let inDay = 0;
  const inMinute = new Set<string>();

  function occasionOf({ action, address, userId }: PasswordFailure, now: number): string {
    if (Math.floor(now / MINUTE_MS) !== minute) {
      minute = Math.floor(now / MINUTE_MS);
      inMinute.clear();
    }
    if (Math.floor(now / DAY_MS) !== day) {
      day = Math.floor(now / DAY_MS);
      inDay = 0;
    }
    const occasion = fingerprint(`${action} ${userId ?? 'unknown'} ${networkOf(address)} ${minute}`);
    if (inMinute.has(occasion)) return occasion;
    if (inMinute.size >= PER_MINUTE || inDay >= PER_DAY) return `${action} ${Math.floor(now / HOUR_MS)}`;
    inMinute.add(occasion);
    inDay++;
    return occasion;
  }

  return async (failure, now) => {
    const { action, address, userId, name } = failure;
    const occasion = occasionOf(failure, now);
    const isCrowd = occasion.startsWith(action);
    const actor = userId === undefined && name !== undefined && /^[^\s@]+@[^\s@]+$/.test(name) ? name : undefined;
    await store.query
      .insertInto('auditEntries')
      .values({ ...auditRow(isCrowd ? { action } : { action, address, userId, actor }, now), occasion })
      .onConflict((on) =>
        on.column('occasion').doUpdateSet((of) => ({ count: of('auditEntries.count', '+', 1), at: now })),
      )
      .execute();
  };
}

/** The owner of an IPv6 network has 2^64 addresses. */
const networkOf = (address: string) =>
  address.includes(':') && !address.startsWith('::ffff:') ? address.split(':').slice(0, 4).join(':') : address;
