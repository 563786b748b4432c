import type { Channel, MachineChannel } from '@trackway/contract/channels.ts';
import type { Generated } from 'kysely';
import type { Identified } from './device-rows.ts';

export interface ForwarderRow extends Identified {
  deviceId: number;
  userId: number;
  kind: MachineChannel;
  target: string;
  types: string;
  status: string;
  /** setup: the one that operation setupSqsForwarding owns; api: made by createForwarder. */
  origin: 'setup' | 'api';
  created: number;
  /** Whether the message goes without its envelope. */
  raw: Generated<number>;
  /** Whether it gets corrections of retracted notifications. */
  corrections: Generated<number>;
  active: Generated<number>;
  destinationId: number | null;
}

/** Where things are sent, with a health of its own. The mail server and the broker are everyone's: they have no user. */
export interface DestinationRow extends Identified {
  kind: Channel;
  /** A delivery address of the channel, or the name of one of the operator's own servers. */
  target: string;
  userId: number | null;
  /** off: the destination said that it is gone; nothing is tried until someone switches it on again. */
  state: Generated<'up' | 'down' | 'off'>;
  failures: Generated<number>;
  nextTryAt: number | null;
  downSince: number | null;
  lastSuccess: number | null;
  lastError: string | null;
  /** `ReasonDetails` as JSON. */
  lastErrorDetails: Generated<string | null>;
  lastErrorAt: number | null;
  /** Of a webhook: [{secret, until}], the one in use first. */
  secrets: string | null;
  leaseOwner: string | null;
  leaseUntil: number | null;
  created: number;
}

export interface OutboxRow extends Identified {
  /** The same over all attempts. */
  messageId: string;
  /** Null only where there is no address: what is never sent. */
  destinationId: number | null;
  /** Whose it is. */
  userId: number;
  /** Order is kept per device. */
  deviceId: number | null;
  /** Another device that it speaks of. */
  otherDeviceId: Generated<number | null>;
  channel: Channel;
  /** The addressee at the destination: an e-mail address, a topic. */
  address: string | null;
  what: 'notification' | 'newLoc' | 'newReading' | 'newMsg' | 'correction' | 'digest' | 'test' | 'account' | 'report';
  notificationId: number | null;
  forwarderId: number | null;
  /** The digest it went out with. */
  digestId: number | null;
  /** What the channel sends: a Content of platform/outbox/channel.ts as JSON. */
  content: string;
  /**
   * queued → sending → sent | queued again | dead | cancelled. held: waits for the end of quiet hours or of a burst, then
   * goes out in a digest. suppressed: recorded so that there is an answer to why nothing came; never sent.
   */
  state: 'held' | 'queued' | 'sending' | 'sent' | 'dead' | 'cancelled' | 'suppressed';
  reason: string | null;
  /** `ReasonDetails` as JSON. */
  reasonDetails: Generated<string | null>;
  attempts: Generated<number>;
  /** [{at, reason}] of every attempt that failed. */
  attemptLog: string | null;
  created: number;
  /** Not before this. */
  nextAt: number;
  /** Not after this: what has not gone out by then is dead. */
  expires: number;
  /** When it was sent, died or was cancelled. */
  ended: number | null;
}

/** Waits to be moved to the outbox; only where rows are distributed over servers. */
export interface OutboxRelayRow extends Identified {
  deviceId: number;
  userId: number;
  /** A Posting of platform/outbox/post.ts as JSON, with its message id and its content. */
  posting: string;
  created: number;
}

export interface PushSubscriptionRow extends Identified {
  userId: number;
  endpoint: string;
  keys: string;
  agent: string | null;
  created: number;
}

/** The first account to use a queue holds it; `allowed` lists other users whom an admin let in. */
export interface QueueHolderRow extends Identified {
  arn: string;
  userId: number;
  allowed: string | null;
  created: number;
  /** When its user proved it, or an admin allowed it. */
  provenAt: number | null;
}

/** A code that was sent to a queue. */
export interface QueueProofRow extends Identified {
  arn: string;
  userId: number;
  hash: string;
  created: number;
}
