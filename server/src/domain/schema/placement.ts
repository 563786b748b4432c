import type { Placement, Placements } from '../../platform/storage/placement.ts';
import type { Tables } from './tables.ts';

/**
 * Where each table is on a PostgreSQL of several servers (Citus). On plain PostgreSQL the tables of devices have slots
 * too, so that nothing has to be made anew when a database is spread; SQLite has none.
 *
 * The slot of a row is that of its device, and of a reading that of the device that told it. It is the first part of the primary key and of whatever must be unique, and
 * nothing refers to these tables by a foreign key: what depends on a row is deleted by hand, in `dependants.ts`. Their ids
 * come from sequences, of which each server can take a share, and stay below 2^53.
 */
const byDevice: Placement = { place: 'distributed', by: 'deviceId' };
/** Of devices, each kept with the device that told it. */
const byKeeper: Placement = { place: 'distributed', by: 'keptBy', alsoBy: 'gatewayId' };
/** With slots, but read across all devices all the time: by destination, or by when they are due. */
const queue: Placement = { place: 'local', by: 'deviceId' };
/** Read often, together with tables of devices, and written seldom. */
const reference: Placement = { place: 'reference' };
/** The same with slots: of devices, but read together with what is at one place, or followed from group to group. */
const referenceOfDevices: Placement = { place: 'reference', by: 'deviceId' };
/** Written often, or never read together with tables of devices. */
const local: Placement = { place: 'local' };

/** Views that show the slot of their table, and by which column a row is of a device. */
export const SLOT_VIEWS = { points: 'deviceId' } as const;

/** Views are where their tables are. */
type Views = keyof typeof SLOT_VIEWS | 'auditTrail' | 'deliveries' | 'destinationStates' | 'forwarderStates';

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
  transients: byDevice,
  rtkStates: byDevice,
  rtkCommands: byDevice,
  rtkLogs: byDevice,
  deviceEvents: byDevice,
  quarantine: byDevice,
  receivedItems: byDevice,
  historyImports: byDevice,
  placesDue: byDevice,
  shares: byDevice,
  shareGrants: byDevice,
  maintenanceTasks: byDevice,
  maintenanceRecords: byDevice,
  driverSignOns: byDevice,
  liveEvents: byDevice,
  positions: byDevice,
  segments: byDevice,
  outgoing: byDevice,
  fenceChecks: byDevice,
  gatewayReadings: byKeeper,
  readingSegments: byKeeper,
  slots: { place: 'distributed', by: 'slot' },

  /** What is about no device has the slot 0. */
  outbox: queue,
  ruleDue: queue,

  forwarders: referenceOfDevices,
  deviceGroupMembers: referenceOfDevices,

  migrations: reference,
  settings: reference,
  users: reference,
  plans: reference,
  subscriptions: reference,
  geofences: reference,
  fenceVersions: reference,
  userFences: reference,
  geofenceLists: reference,
  geofenceListUsers: reference,
  geofenceListGrants: reference,
  deviceGroups: reference,
  deviceGroupGrants: reference,
  rules: reference,
  drivers: reference,
  deviceKeys: reference,
  reportDevices: reference,

  /** There until they are carried over: a database is spread afterwards. */
  oldPoints: local,
  nodes: local,
  rateCounts: local,
  slotClocks: local,
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
  mailings: local,
  planCredits: local,
  creditNumbers: local,
  savedViews: local,
  savedReports: local,
  links: local,
  groupLinks: local,
  erasures: local,
  dataCopies: local,
  knocks: local,
  undecodedFrames: local,
  firedOccasions: local,
  proximities: local,
  maintenanceTold: local,
} as const satisfies Placements & { readonly [Table in Exclude<keyof Tables, Views>]: Placement };
