import type { Generated } from 'kysely';
import type { Identified } from './identified.ts';

export interface DeviceRow extends Identified {
  active: Generated<number>;
  allowKeyless: Generated<number>;
  tags: string | null;
  meta: string | null;
  batteryPct: number | null;
  batteryVoltage: number | null;
  currentMode: number | null;
  name: string | null;
  imei: string | null;
  serial: string | null;
  btMac: number | null;
  btMacAddress: string | null;
  ownerId: number;
  claimable: Generated<'no' | 'yes' | 'keepHistory'>;
  /** Days for which its history is stored, where that is shorter than the server says. */
  keepDays: Generated<number | null>;
  firstSeen: number;
  lastConnection: number | null;
  expires: number | null;
  keyHash: string | null;
  /** What the phone encrypts its reports with, as it must be known to decrypt them. */
  secret: string | null;
  deletedAt: number | null;
  /** Of the protocol it last spoke: names of commands. */
  supportedCommands: string | null;
}

/** The right of a user on a device: the highest of their grants. One row for each user and device. */
export interface ShareRow extends Identified {
  deviceId: number;
  userId: number;
  rights: 'view' | 'manage';
  created: number;
}

/** What the owner of a device gave, as they gave it: to a user, or to an address that may have no account. */
export interface ShareGrantRow extends Identified {
  deviceId: number;
  /** As the owner sent it. */
  userId: number | null;
  email: string | null;
  rights: 'view' | 'manage';
  created: number;
  /** Who has the share; null while no account has the address. Never shown to the owner. */
  holderId: number | null;
}

export interface DeviceConfigRow extends Identified {
  currentFW: string | null;
  otaFW: string | null;
  fwChannel: string | null;
  forceFw: number | null;
  updateAvailibility: number | null;
  flashTryCount: number | null;
  receivedAt: number | null;
  reset: number | null;
  command: number | null;
  deviceId: number;
  safeZoneId: number | null;
  interval: number;
  sleepInterval: number;
  modified: number | null;
}

export interface MessageRow extends Identified {
  config: string | null;
  message: string | null;
  mobileTerminated: number;
  created: number;
  sent: number | null;
  deviceId: number;
  userId: number | null;
  /** Null for a message from the device. */
  state: Generated<MessageState | null>;
  expires: number | null;
  /** Why it did not reach the device, or what the device said against it. */
  failure: string | null;
  /** The message with which the device answered. */
  replyId: number | null;
  /** What is to be done, where it is not the text that says so. */
  command: string | null;
}

export type MessageState = 'queued' | 'written' | 'confirmed' | 'failed' | 'expired';

export interface QuarantineRow extends Identified {
  deviceId: number;
  list: string;
  report: string;
  reason: string;
  created: number;
  /** The item's own time, where it has one that can be read. */
  timestamp: number | null;
}

/** What happened to a device beside its reports. */
export interface DeviceEventRow extends Identified {
  deviceId: number;
  /** When it was recorded, by the clock of the transaction. */
  recorded: number;
  /** When it happened. */
  at: number;
  type: string;
  description: string;
  meta: string;
}

/** An item that was received, where its own row does not tell: it is not received again until then. */
export interface ReceivedItemRow {
  deviceId: number;
  hash: string;
  until: number;
}

/** Somebody who spoke to the listeners of trackers and is not known. */
export interface KnockRow extends Identified {
  protocol: string;
  identity: string;
  otherNames: string;
  address: string;
  firstAt: number;
  lastAt: number;
  count: number;
}

/** What a tracker sent and could not be read: the last of it, and how often. */
export interface UndecodedFrameRow extends Identified {
  protocol: string;
  /** Its device, or else how it names itself, or else its address. */
  sender: string;
  problem: string;
  deviceId: number | null;
  address: string;
  firstAt: number;
  lastAt: number;
  count: number;
  /** Hexadecimal. */
  bytes: string;
}
