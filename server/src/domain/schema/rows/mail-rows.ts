import type { Generated } from 'kysely';
import type { Identified } from './identified.ts';

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
  about: number | null;
  created: number;
  expires: number;
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

/** An address other than their own that a user wants notifications to be mailed to. */
export interface MailRecipientRow extends Identified {
  userId: number;
  address: string;
  confirmed: number | null;
  created: number;
}

/** An address whose reader wants no mail of this server, but for what concerns their own account. */
export interface MailRefusalRow extends Identified {
  address: string;
  created: number;
}

/** That somebody caused a mail to an address, for the limits. */
export interface MailingRow extends Identified {
  what: 'share' | 'shareMail' | 'confirm' | 'reset' | 'invite' | 'recipient';
  userId: number | null;
  address: string;
  at: number;
}
