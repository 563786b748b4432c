import type { Placement, Placements } from '../../platform/storage/placement.ts';
import type { Tables } from './tables.ts';

/**
 * Where each table is on a PostgreSQL of several servers (Citus). The rows of a device are together, and a reading is with
 * the device that reported it. Plain PostgreSQL has the same keys, so that nothing has to be made anew when a database is
 * distributed. By foreign keys rows of a device refer to each other and to reference tables: what else depends on a row is
 * deleted by hand, in `dependants.ts`. Ids come from sequences of the coordinator, and stay below 2^53.
 */
const byDevice: Placement = { place: 'distributed', by: 'deviceId' };
/** Of devices, each stored with the device that reported it. */
const byKeeper: Placement = { place: 'distributed', by: 'reporterId' };
/** The live log, by the key of a slot. */
const bySlot: Placement = { place: 'distributed', by: 'slot' };
/** Read often, together with tables of devices, and written seldom. */
const reference: Placement = { place: 'reference' };
/** Written often, or never read together with tables of devices. */
const local: Placement = { place: 'local' };

/** Views are where their tables are. */
type Views = 'points' | 'auditTrail' | 'deliveries' | 'destinationStates' | 'forwarderStates';

export const PLACEMENTS = {
  devices: { place: 'distributed', by: 'id' },
  deviceStates: byDevice,
  deviceConfigs: byDevice,
  checkpoints: byDevice,
  trips: byDevice,
  stops: byDevice,
  ignitionChanges: byDevice,
  notificationTriggers: byDevice,
  triggerVersions: byDevice,
  notifications: byDevice,
  escalations: byDevice,
  messages: byDevice,
  commandChannels: byDevice,
  transients: byDevice,
  rtkStates: byDevice,
  rtkCommands: byDevice,
  rtkLogs: byDevice,
  deviceEvents: byDevice,
  quarantine: byDevice,
  receivedItems: byDevice,
  historyImports: byDevice,
  placeQueue: byDevice,
  shares: byDevice,
  shareGrants: byDevice,
  vehicles: byDevice,
  maintenanceTasks: byDevice,
  maintenanceRecords: byDevice,
  driverSignOns: byDevice,
  liveEvents: bySlot,
  positions: byDevice,
  positionSegments: byDevice,
  outboxRelay: byDevice,
  geofenceChecks: byDevice,
  readingRelay: byDevice,
  gatewayReadings: byKeeper,
  readingSegments: byKeeper,
  slots: bySlot,

  migrations: reference,
  settings: reference,
  users: reference,
  plans: reference,
  subscriptions: reference,
  geofences: reference,
  geofenceVersions: reference,
  geofenceRevisions: reference,
  geofenceLists: reference,
  grants: reference,
  deviceGroups: reference,
  rules: reference,
  drivers: reference,
  deviceKeys: reference,
  reportDevices: reference,
  forwarders: reference,
  deviceGroupMembers: reference,

  outbox: local,
  ruleQueue: local,
  nodes: local,
  rateCounts: local,
  slotTimers: local,
  destinations: local,
  pushSubscriptions: local,
  queueHolders: local,
  queueProofs: local,
  tokens: local,
  spentRefreshTokens: local,
  authenticators: local,
  recoveryCodes: local,
  passkeys: local,
  signInChallenges: local,
  signInAddresses: local,
  openidAccounts: local,
  passwordFailures: local,
  idempotencyKeys: local,
  auditEntries: local,
  mailLinks: local,
  invitations: local,
  mailRecipients: local,
  mailRefusals: local,
  accountMails: local,
  planCredits: local,
  creditNumbers: local,
  savedViews: local,
  savedReports: local,
  links: local,
  erasures: local,
  dataCopies: local,
  unknownTrackers: local,
  undecodedFrames: local,
  firedOccasions: local,
  proximities: local,
} as const satisfies Placements & { readonly [Table in Exclude<keyof Tables, Views>]: Placement };
