import type { AuditAction } from '@trackway/contract/audit.ts';
import type { TokenAccess } from '@trackway/contract/families.ts';
import type { Language } from '@trackway/contract/wording/languages.ts';
import type { Generated } from 'kysely';
import type { Identified } from './device-rows.ts';

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
  /** The language of texts for the user; English if unset. */
  language: Language | null;
  /** As JSON; metric where unset. */
  units: string | null;
  /** When it was proven that mail to the address reaches the user, or an admin vouched for it. */
  emailConfirmedAt: number | null;
  /** The address that the user wants to change to, until its confirmation. */
  newEmail: string | null;
  /** A `service` is an account for programs: it has tokens, but no password and no mail. */
  kind: 'person' | 'service';
  /** 1 if the user has an authenticator app or a passkey. Changed in the transaction that changes those. */
  hasSecondFactor: number;
  /** The account that invited it by a share, or that in turn was invited by: all of them share one quota. */
  invitedBy: number | null;
}

/** An authenticator app. It counts once it is confirmed by a code. */
export interface AuthenticatorRow {
  userId: number;
  /** Encrypted. */
  secret: string;
  created: number;
  confirmedAt: number | null;
  /** The last time step whose code was used: a code works once. */
  lastStep: number;
}

export interface SavedViewRow extends Identified {
  userId: number;
  page: string;
  name: string;
  settings: string;
  created: number;
}

export interface RecoveryCodeRow extends Identified {
  userId: number;
  hash: string;
}

export interface PasskeyRow extends Identified {
  userId: number;
  name: string;
  credentialId: string;
  /** COSE, base64url. */
  publicKey: string;
  counter: number;
  transports: string | null;
  created: number;
  lastUsedAt: number | null;
}

/** What a passkey has to sign, once. */
export interface SignInChallengeRow {
  challenge: string;
  userId: number | null;
  expiresAt: number;
}

/** Who a user is to a provider of OpenID Connect. */
export interface OpenidAccountRow extends Identified {
  issuer: string;
  subject: string;
  userId: number;
  created: number;
}

export interface TokenRow extends Identified {
  userId: number;
  hash: string;
  /**
   * login (an ordinary session), personal (long-lived, listed and ended by hand), browser (the cookie of a browser,
   * which calls nothing itself), tab (a short token that a tab got for that cookie) or mqtt (a password for the broker).
   */
  kind: 'login' | 'personal' | 'browser' | 'tab' | 'mqtt';
  /** The browser of a tab. */
  parentId: number | null;
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
  /** The name that an unknown person gave. */
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

/** The response to a create, for a repetition with the same key. */
export interface IdempotencyKeyRow extends Identified {
  userId: number;
  /** The fingerprint of method, address and key. */
  requestHash: string;
  /** The fingerprint of the body. */
  bodyHash: string;
  status: number;
  response: string | null;
  created: number;
}

export interface PasswordFailureRow extends Identified {
  /** `user:` and the id, or `name:` and the fingerprint of an unknown name. */
  account: string;
  address: string;
  at: number;
  /** 1 while it is not known yet whether it was wrong. */
  isUnderWay: Generated<number>;
}

export interface PlanRow extends Identified {
  name: string;
  displayName: string | null;
  days: number;
  sku: string | null;
  prices: string | null;
  sleepLimit: number | null;
  wakeLimit: number | null;
  /** Retention of the history of devices on it in days, if shorter than on the server. */
  keepDays: Generated<number | null>;
}

export interface PlanCreditRow extends Identified {
  userId: number;
  planId: number;
  count: number;
  origin: 'bought' | 'allocated';
  created: number;
  /** It owns this number and the following ones, one for each credit. */
  firstNumber: number;
}

/** One row: the number that the next credit gets. */
export interface CreditNumberRow {
  id: number;
  next: number;
}

export interface SubscriptionRow extends Identified {
  deviceId: number;
  userId: number;
  planId: number;
  start: number;
  end: number;
  /** The number of the credit that it used. */
  creditNumber: number | null;
  /** When it was ended before its time. */
  removedAt: number | null;
  /** At this moment the device is deactivated. */
  renewUntil: number | null;
  /** 1 if the next credit is used when it ends. */
  renews: Generated<number>;
}

/** A refresh token that was used. */
export interface SpentRefreshTokenRow {
  hash: string;
  tokenId: number;
  /** The token that it was used with. Null for those used before this was noted, as the next two. */
  accessHash: string | null;
  /** What the tokens that it was answered with were made of, besides itself. */
  salt: string | null;
  spentAt: number | null;
}

/** A public page for a time. */
interface PageRow extends Identified {
  /** Who made it, and whose right it rests on. */
  userId: number;
  handle: string;
  /** The hash of the secret. */
  secret: string;
  name: string | null;
  expiresAt: number;
  trail: number;
  destinationLat: number | null;
  destinationLng: number | null;
  destinationName: string | null;
  /** JSON: the sites that may show it in a frame. */
  origins: string | null;
  views: Generated<number>;
  lastViewedAt: number | null;
  created: number;
}

/** Of a device, or of a group. */
export type LinkRow = PageRow & { deviceId: number | null; groupId: number | null };
export type DeviceLinkRow = PageRow & { deviceId: number };
export type GroupLinkRow = PageRow & { groupId: number };

/** A link in a mail, usable once. */
export interface MailLinkRow extends Identified {
  /**
   * confirm: the address of an account. change: the new address of an account. reset: a new password. invite: a new
   * account. recipient: whether an address may be mailed notifications of a user.
   */
  kind: 'confirm' | 'change' | 'reset' | 'invite' | 'recipient';
  hash: string;
  userId: number | null;
  /** The link is good for this address alone. */
  address: string;
  /** The invitation or the recipient. */
  subjectId: number | null;
  created: number;
  expiresAt: number;
}

export interface InvitationRow extends Identified {
  email: string;
  name: string | null;
  admin: Generated<number>;
  /** share: made because a device was shared with the address, and ends with that. */
  origin: 'admin' | 'share';
  invitedBy: number | null;
  created: number;
  sent: number | null;
  expires: number;
}

/** An address that a user wants notifications or reports to be mailed to. */
export interface MailRecipientRow extends Identified {
  userId: number;
  address: string;
  confirmed: number | null;
  /** When its reader stopped the reports of the user by a link in one of them. */
  reportsStoppedAt: number | null;
  created: number;
}

/** An address whose reader wants no mail of this server, but for what concerns their own account. */
export interface MailRefusalRow extends Identified {
  address: string;
  created: number;
}

/** A mail that a user caused to an address, for the limits. */
export interface AccountMailRow extends Identified {
  kind: 'share' | 'shareMail' | 'confirm' | 'reset' | 'invite' | 'recipient';
  userId: number | null;
  address: string;
  sentAt: number;
}

/** A device or a person whose data was erased, or is being. */
export interface ErasureRow extends Identified {
  kind: 'device' | 'user';
  subjectId: number;
  /** Since when there was data: older copies hold none of it. */
  since: number;
  requestedAt: number;
  /** Null for the operator of the server. */
  requestedBy: number | null;
  completedAt: number | null;
  /** How many rows of each table. */
  rows: string | null;
  /** The devices that were erased with a person. */
  deviceIds: string | null;
  /** What was done, as the text that is signed. */
  record: string | null;
  signature: string | null;
}

/** An archive or a backup that was made of this database. */
export interface DataCopyRow extends Identified {
  kind: 'archive' | 'backup';
  place: string;
  machine: string;
  created: number;
  updated: number;
}
