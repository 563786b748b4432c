import type { Severity } from '@trackway/contract/severities.ts';
import type { Generated } from 'kysely';
import type { Identified } from './device-rows.ts';

export interface GeofenceRow extends Identified {
  name: Generated<string | null>;
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

export interface NotificationTriggerRow extends Identified {
  name: string;
  type: string;
  muteFor: number;
  lastTriggered: number | null;
  parameters: string | null;
  delivery: string | null;
  deviceId: number;
  userId: number;
  /** The rule that made it; null for a trigger of a user. */
  ruleId: Generated<number | null>;
  ruleVersion: Generated<number | null>;
  meta: Generated<string | null>;
  severity: Generated<Severity>;
  paused: Generated<number>;
  snoozedUntil: Generated<number | null>;
  escalateAfter: Generated<number>;
  escalation: Generated<string | null>;
}

/** A trigger for many devices, which follows them as they come and go. */
export interface RuleRow extends Identified {
  userId: number;
  name: string;
  appliesTo: 'all' | 'group' | 'tag';
  groupId: number | null;
  tag: string | null;
  type: string;
  parameters: string | null;
  muteFor: number;
  delivery: string | null;
  severity: Severity;
  paused: number;
  snoozedUntil: number | null;
  escalateAfter: number;
  escalation: string | null;
  created: number;
  /** Counts the changes that its triggers have to follow. */
  version: number;
  /** Devices with an id above it have not followed the last change yet; null once all have. */
  appliedToId: number | null;
  deletedAt: number | null;
}

export interface DeviceGroupRow extends Identified {
  name: string;
  parentId: number | null;
  ownerId: number;
  created: number;
  /** The groups below it were deleted at the same moment, and are restored with it. */
  deletedAt: Generated<number | null>;
}

/** What was given of a group of devices or of a list of geofences: to a user, or to an address which may have no account. */
export interface GrantRow extends Identified {
  groupId: number | null;
  listId: number | null;
  userId: number | null;
  email: string | null;
  /** Who has access by it; null while no account has the address. Never shown. */
  holderId: number | null;
  /** On the devices of the group; null for a list. */
  rights: 'view' | 'manage' | null;
  /** Who shared a list with an address. */
  grantedBy: number | null;
  created: number;
}

export interface GeofenceVersionRow extends Identified {
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
  /** Whether people are notified, or machines only. */
  isForPeople: number;
  /** Whether it follows from the data in fix time; others are evaluated once and stay. */
  isOrdered: number;
  severity: Severity;
  unread: number;
  acknowledgedAt: number | null;
  acknowledgedBy: number | null;
  note: string | null;
  escalatedAt: number | null;
}
