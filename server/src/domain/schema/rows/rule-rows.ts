import type { Generated } from 'kysely';
import type { Identified } from './identified.ts';

export interface GeofenceRow extends Identified {
  type: Generated<string | null>;
  outline: Generated<string | null>;
  centerLat: Generated<number | null>;
  centerLng: Generated<number | null>;
  radius: Generated<number | null>;
  wasInside: number;
  lastChecked: number | null;
  modified: number;
  userId: number;
  deviceId: number | null;
  configId: number | null;
  listId: number | null;
}

export interface GeofenceListRow extends Identified {
  name: string;
  color: string;
  ownerId: number;
  created: number;
}

/** A user who sees a list besides its owner. */
export interface GeofenceListUserRow extends Identified {
  listId: number;
  userId: number;
  /** Whether they were named by their id. Whoever was named by an address alone is not to be found by id. */
  byId: number;
  created: number;
}

/** What a member gave to an address, which may have no account. */
export interface GeofenceListGrantRow extends Identified {
  listId: number;
  email: string;
  /** Who became a member by it; null while no account has the address. Never shown. */
  holderId: number | null;
  givenBy: number | null;
  created: number;
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
