import type { Channel, MachineChannel } from '@trackway/contract/channels.ts';
import type { LOCATION_TYPES } from '@trackway/contract/resources/point.ts';
import type { Generated } from 'kysely';
import type { Database } from '../../platform/storage/database.ts';

/** The rows as both engines keep them: times are epoch milliseconds, flags 0 or 1, JSON is text. */

interface Identified {
  id: Generated<number>;
}

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
}

export interface DeviceRow extends Identified {
  allowKeyless: Generated<number>;
  batteryPct: number | null;
  batteryVoltage: number | null;
  currentMode: number | null;
  name: string | null;
  imei: string | null;
  serial: string | null;
  btMac: number | null;
  btMacAddress: string | null;
  ownerId: number;
  firstSeen: number;
  lastConnection: number | null;
  expires: number | null;
  keyHash: string | null;
  /** What the phone encrypts its reports with, as it must be known to decrypt them. */
  secret: string | null;
  deletedAt: number | null;
}

export interface ShareRow extends Identified {
  deviceId: number;
  userId: number;
  email: string | null;
  rights: 'view' | 'manage';
  created: number;
}

export interface DeviceConfigRow extends Identified {
  currentFW: string | null;
  receivedAt: number | null;
  reset: number | null;
  command: number | null;
  deviceId: number;
  safeZoneId: number | null;
  modified: number | null;
}

export interface GeofenceRow extends Identified {
  wasInside: number;
  lastChecked: number | null;
  modified: number;
  userId: number;
  deviceId: number | null;
  configId: number | null;
}

export interface GatewayReadingRow extends Identified {
  gatewayId: number | null;
  deviceId: number | null;
  timestamp: number;
  type: string;
  value: string;
  hash: string | null;
}

export interface PointRow extends Identified {
  deviceId: number;
  timestamp: number;
  locationLat: number | null;
  locationLng: number | null;
  speed: number | null;
  altitude: number | null;
  course: number | null;
  accuracy: number | null;
  locationType: (typeof LOCATION_TYPES)[number];
  batteryPct: number | null;
  batteryVoltage: number | null;
  mode: number | null;
  alertType: number | null;
  /** The same fix said again has the same. */
  hash: string | null;
  /** Null as it should be; implausible, or tooOld to be judged. */
  judged: 'implausible' | 'tooOld' | null;
}

export interface NotificationTriggerRow extends Identified {
  name: string;
  type: string;
  muteFor: number;
  lastTriggered: number | null;
  parameters: string | null;
  delivery: string | null;
  deviceId: number;
  userId: number;
}

export interface MessageRow extends Identified {
  config: string | null;
  message: string | null;
  mobileTerminated: number;
  created: number;
  sent: number | null;
  deviceId: number;
  userId: number | null;
}

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
  /** Whether it is told of notifications that turn out not to have happened. */
  corrections: Generated<number>;
  active: Generated<number>;
  destinationId: number | null;
}

/** Where things are sent, with a health of its own. The mail server and the broker are everyone's: they have no user. */
export interface DestinationRow extends Identified {
  kind: Channel;
  /** An address at which the channel delivers, or the name of one of the operator's own servers. */
  target: string;
  userId: number | null;
  /** off: the destination said that it is gone; nothing is tried until someone switches it on again. */
  state: Generated<'up' | 'down' | 'off'>;
  failures: Generated<number>;
  nextTryAt: number | null;
  downSince: number | null;
  lastSuccess: number | null;
  lastError: string | null;
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
  channel: Channel;
  /** To whom at the destination: an e-mail address, a topic. */
  address: string | null;
  what: 'notification' | 'newLoc' | 'newReading' | 'newMsg' | 'correction' | 'digest' | 'test';
  notificationId: number | null;
  forwarderId: number | null;
  /** The digest it went out with. */
  digestId: number | null;
  /** What the channel sends: a Content of platform/outbox/channel.ts as JSON. */
  content: string;
  /**
   * queued → sending → sent | queued again | dead | cancelled. held: waits for the end of quiet hours or of a storm, then
   * goes out in a digest. suppressed: recorded so that there is an answer to why nothing came; never sent.
   */
  state: 'held' | 'queued' | 'sending' | 'sent' | 'dead' | 'cancelled' | 'suppressed';
  reason: string | null;
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

export interface QuarantineRow extends Identified {
  deviceId: number;
  list: string;
  report: string;
  reason: string;
  created: number;
}

export interface DeviceStateRow {
  deviceId: number;
  /** The form of the state; 0 before anything was heard. */
  form: Generated<number>;
  state: string;
  /** The newest fix time that was appended. */
  newest: number | null;
  checkpointAt: number | null;
  sinceCheckpoint: Generated<number>;
  /** From when on the inputs must be judged again: the work that waits. */
  lateFrom: number | null;
  /** From when on a replay is judging: it has taken this over from `lateFrom`, where only what comes meanwhile is noted. */
  replayFrom: Generated<number | null>;
  /** Which replay that is, and until when nobody else begins one. */
  replayBy: Generated<string | null>;
  replayUntil: Generated<number | null>;
  /** Another number whenever something was appended or the row was written. */
  writes: Generated<number>;
  /** When the clock is to look: it alone changes something then, or will not be contradicted any more. */
  dueAt: number | null;
  /** Changes with the triggers of the device and with whom it is shared. */
  rules: Generated<number>;
  heardAt: number | null;
}

export interface CheckpointRow {
  deviceId: number;
  at: number;
  form: number;
  state: string;
}

export interface FenceVersionRow extends Identified {
  fenceId: number;
  userId: number;
  deviceId: number | null;
  validFrom: number;
  validTo: number | null;
  /** Since when the shape is what it is. */
  shapedAt: number;
  fence: string;
}

export interface TriggerVersionRow extends Identified {
  triggerId: number;
  deviceId: number;
  userId: number;
  validFrom: number;
  validTo: number | null;
  trigger: string;
}

export interface TripRow extends Identified {
  deviceId: number;
  start: number;
  end: number;
  distance: number;
  duration: number;
  idle: number;
  maxSpeed: number;
  averageSpeed: number;
  startLocationLat: number;
  startLocationLng: number;
  endLocationLat: number;
  endLocationLng: number;
  startPointId: number;
  endPointId: number;
  decidedAt: number;
}

export interface StopRow extends Identified {
  deviceId: number;
  start: number;
  end: number;
  duration: number;
  locationLat: number;
  locationLng: number;
  decidedAt: number;
}

export interface NotificationRow extends Identified {
  created: number;
  timestamp: number;
  decidedAt: number;
  params: string;
  explanation: string;
  deviceId: number;
  userId: number;
  triggerId: number;
  triggerVersion: number;
  zoneId: number | null;
  kind: string;
  pointId: number | null;
  readingId: number | null;
  messageId: number | null;
  status: 'valid' | 'suppressed' | 'retracted';
  reason: string | null;
  late: number;
  /** Whether people are told, or machines only. */
  people: number;
  /** Whether it follows from the data in fix time; others are judged once and stay. */
  ordered: number;
}

export interface LiveEventRow extends Identified {
  created: number;
  deviceId: number;
  otherDeviceId: number | null;
  userId: number | null;
  kind: 'heard' | 'message' | 'notification' | 'retraction' | 'access';
  event: string;
}

export interface Tables {
  settings: { name: string; value: string };
  users: UserRow;
  tokens: TokenRow;
  devices: DeviceRow;
  shares: ShareRow;
  deviceConfigs: DeviceConfigRow;
  geofences: GeofenceRow;
  gatewayReadings: GatewayReadingRow;
  points: PointRow;
  notificationTriggers: NotificationTriggerRow;
  messages: MessageRow;
  forwarders: ForwarderRow;
  /** A view: forwarders with what became of them. */
  forwarderStates: ForwarderRow;
  destinations: DestinationRow;
  destinationStates: DestinationRow;
  outbox: OutboxRow;
  deliveries: OutboxRow;
  pushSubscriptions: PushSubscriptionRow;
  queueHolders: QueueHolderRow;
  quarantine: QuarantineRow;
  deviceStates: DeviceStateRow;
  checkpoints: CheckpointRow;
  /** The triggers whose devices are near each other now. */
  firedOccasions: { triggerId: number; occasion: number };
  proximities: { triggerId: number; otherDeviceId: number; since: number };
  fenceVersions: FenceVersionRow;
  userFences: { userId: number; changes: number };
  triggerVersions: TriggerVersionRow;
  trips: TripRow;
  stops: StopRow;
  notifications: NotificationRow;
  liveEvents: LiveEventRow;
  plans: PlanRow;
  planCredits: PlanCreditRow;
  subscriptions: SubscriptionRow;
}

export type Store = Database<Tables>;
