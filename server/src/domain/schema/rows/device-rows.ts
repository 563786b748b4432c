import type { Generated } from 'kysely';

export interface DeviceRow extends Identified {
  active: Generated<number>;
  allowKeyless: Generated<number>;
  /** Whether its IMEI or serial number is a claim that waits for an admin. */
  identityPending: Generated<number>;
  tags: string | null;
  meta: string | null;
  /** The app of a phone, if the app also shows other phones. */
  phoneApp: string | null;
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
  /** Retention of its history in days, if shorter than on the server. */
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
  /** JSON texts such as `gt06 tcp`: only such connections receive its commands. */
  commandProtocols: Generated<string | null>;
  commandsFrom: Generated<string | null>;
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
  /** The answer of the device. */
  replyId: number | null;
  /** The command, if it is not contained in the text. */
  command: string | null;
}

type MessageState = 'queued' | 'written' | 'confirmed' | 'failed' | 'expired';

export interface QuarantineRow extends Identified {
  deviceId: number;
  list: string;
  report: string;
  reason: string;
  reasonCode: Generated<string | null>;
  created: number;
  /** The item's own time, where it has one that can be read. */
  timestamp: number | null;
}

/** Events of a device other than its reports. */
export interface DeviceEventRow extends Identified {
  deviceId: number;
  /** When it was recorded, by the clock of the transaction. */
  recordedAt: number;
  /** When it happened. */
  at: number;
  type: string;
  description: string;
  meta: string;
}

/** A received item that its own row does not identify: it is not accepted again until then. */
export interface ReceivedItemRow {
  deviceId: number;
  hash: string;
  forgetAt: number;
}

/** An unknown tracker that connected to a listener. */
export interface UnknownTrackerRow extends Identified {
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

/** The node whose connection receives the commands of a tracker. */
export interface CommandChannelRow {
  deviceId: number;
  node: string;
  /** From then on another node may take it. */
  heldUntil: number;
  /** While a connection at another node names the same device. */
  contestedUntil: number | null;
  /** What another node last asked of the one that holds it. */
  asked: 'send' | 'release' | 'probe' | null;
  askedAt: number | null;
}

/** A mode that was sent to a device for a time. */
export interface TransientRow extends Identified {
  deviceId: number;
  type: number;
  /** Minutes. */
  duration: number;
  triggeredAt: number;
  sent: number | null;
  end: number | null;
  sms: number;
  /** The message to the device; null if it was deleted. */
  messageId: number | null;
}

/** What is known of a device with a receiver of centimetre accuracy. */
export interface RtkStateRow {
  deviceId: number;
  /** As the device reported it. */
  status: string | null;
  base: string | null;
  /** Without the password. */
  ntrip: string | null;
  ntripPassword: string | null;
  /** The message that brings the settings to the device. */
  ntripMessageId: number | null;
}

export interface RtkCommandRow extends Identified {
  deviceId: number;
  messageId: number;
  commandType: number;
  created: number;
  sent: number | null;
  receivedAck: number | null;
  payload: string | null;
  response: string | null;
  /** The message that brings it to the device; null where it was deleted. */
  queuedMessageId: number | null;
}

export interface RtkLogRow extends Identified {
  deviceId: number;
  timestamp: number;
  msgType: string | null;
  baseStationId: number | null;
  locationType: string | null;
  accuracy: number | null;
  lat: number | null;
  lng: number | null;
  linkQuality: number | null;
  toAddress: string | null;
  fromAddress: string | null;
  info: string | null;
  /** Identifies a repeated line; null for a line without its own time. */
  hash: string | null;
}

/** Rows are the same on both engines: times are epoch milliseconds, flags 0 or 1, JSON is text. */
export interface Identified {
  id: Generated<number>;
}
