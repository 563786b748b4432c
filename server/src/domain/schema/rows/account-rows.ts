import type { AuditAction } from '@trackway/contract/audit.ts';
import type { TokenAccess } from '@trackway/contract/families.ts';
import type { Generated } from 'kysely';
import type { Identified } from './identified.ts';

export interface UserRow extends Identified {
  username: string | null;
  email: string;
  name: string | null;
  admin: number;
  meta: string | null;
  passwordHash: string;
  created: number;
  /** An IANA name; UTC where unset. */
  timeZone: string | null;
  quietHours: string | null;
}

export interface TokenRow extends Identified {
  userId: number;
  hash: string;
  /** login (an ordinary session) or personal (long-lived, listed and ended by hand). */
  kind: 'login' | 'personal';
  description: string | null;
  ttl: number;
  created: number;
  expiresAt: number;
  refreshHash: string | null;
  refreshUntil: number | null;
  /** When its bearer last proved who they are; null for personal tokens. */
  signedInAt: number | null;
  /** As of some minutes ago. */
  lastUsed: number | null;
  lastAddress: string | null;
  /** The program that signed in, such as "Firefox on Linux". */
  agent: string | null;
  access: Generated<TokenAccess>;
  /** JSON lists of what the token is limited to; null where it is not. */
  deviceIds: string | null;
  families: string | null;
}

export interface AuditEntryRow extends Identified {
  at: number;
  action: AuditAction;
  actorId: number | null;
  /** The name that somebody gave who is not known. */
  actor: string | null;
  tokenId: number | null;
  address: string | null;
  userId: number | null;
  deviceId: number | null;
  detail: string | null;
  /** How often it happened: failures of one account and address within a minute share an entry. */
  count: Generated<number>;
  /** What such failures share; null for entries of their own. */
  occasion: string | null;
}

/** What a create answered, for a caller that asks again with the same key. */
export interface IdempotencyKeyRow extends Identified {
  userId: number;
  /** The fingerprint of method, address and key. */
  request: string;
  /** The fingerprint of the body. */
  body: string;
  status: number;
  answer: string | null;
  created: number;
}

export interface PasswordFailureRow extends Identified {
  /** `user:` and the id, or `name:` and the fingerprint of a name that nobody has. */
  account: string;
  address: string;
  at: number;
}

export interface PlanRow extends Identified {
  name: string;
  days: number;
}

export interface PlanCreditRow extends Identified {
  userId: number;
  planId: number;
  count: number;
  origin: 'bought' | 'allocated';
  created: number;
}

export interface SubscriptionRow extends Identified {
  deviceId: number;
  userId: number;
  planId: number;
  start: number;
  end: number;
}
