import type { AuditAction } from '@trackway/contract/audit.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { Store } from '../schema/tables.ts';
import { auditRow } from './record.ts';

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Maximum number of separate entries per minute and per day and process; further ones share one entry per hour. */
const PER_MINUTE = 20;
const PER_DAY = 2000;
const HOUR_MS = 60 * MINUTE_MS;

export interface PasswordFailure {
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
