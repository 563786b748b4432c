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
  deviceId: number;
  safeZoneId: number | null;
  modified: number | null;
}

export interface GeofenceRow extends Identified {
  userId: number;
  deviceId: number | null;
  configId: number | null;
}

export interface GatewayReadingRow extends Identified {
  gatewayId: number | null;
  deviceId: number | null;
  timestamp: number;
}

export interface PointRow extends Identified {
  deviceId: number;
  timestamp: number;
}

export interface NotificationTriggerRow extends Identified {
  type: string;
  parameters: string | null;
  deviceId: number;
  userId: number;
}

export interface MessageRow extends Identified {
  config: string | null;
  message: string | null;
  sent: number | null;
  deviceId: number;
}

export interface ForwarderRow extends Identified {
  deviceId: number;
  userId: number;
  kind: 'sqs';
  target: string;
  types: string;
  status: string;
  /** setup: the one that operation setupSqsForwarding owns. */
  origin: 'setup';
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
  plans: PlanRow;
  planCredits: PlanCreditRow;
  subscriptions: SubscriptionRow;
}

export type Store = Database<Tables>;
