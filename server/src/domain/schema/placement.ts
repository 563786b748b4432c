import type { Dialect } from '../../platform/storage/dialect.ts';
import type { Placement, Placements } from '../../platform/storage/placement.ts';
import { slotOf } from './owned-devices.ts';
import type { Tables } from './tables.ts';

/**
 * Where each table is on a PostgreSQL of several servers (Citus). On plain PostgreSQL the tables of devices have slots
 * too, so that nothing has to be made anew when a database is spread; SQLite has none.
 *
 * The slot of a row is that of its device, and of a reading that of the device that reported it. It is the first
 * part of the primary key and of all unique keys. By foreign keys rows of a device refer to each other alone: what else
 * depends on a row is deleted by hand, in `dependants.ts`. Their ids come from sequences of the coordinator, and stay
 * below 2^53.
 */
const byDevice: Placement = { place: 'distributed', by: 'deviceId' };
/** Of devices, each stored with the device that reported it. */
const byKeeper: Placement = { place: 'distributed', by: 'reporterId', alsoBy: 'gatewayId' };
/** With slots, but read across all devices all the time: by destination, or by when they are due. */
const queue: Placement = { place: 'local', by: 'deviceId' };
/** Read often, together with tables of devices, and written seldom. */
const reference: Placement = { place: 'reference' };
/** The same with slots: of devices, but read together with what is at one place, or followed from group to group. */
const referenceOfDevices: Placement = { place: 'reference', by: 'deviceId' };
/** Written often, or never read together with tables of devices. */
const local: Placement = { place: 'local' };

/** Columns that only say where a row is. */
export const PLACEMENT_COLUMNS: readonly string[] = ['slot'];

/** The condition that places the rows of a device, for a statement whose parameters are not bound. */
export const placeText = ({ hasSlots }: Dialect, deviceId: number): string[] =>
  hasSlots ? [`"slot" = ${slotOf(deviceId)}`] : [];

/** Views that show the slot of their table, with the column that names the device. */
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
  liveEvents: byDevice,
  positions: byDevice,
  positionSegments: byDevice,
  outboxRelay: byDevice,
  geofenceChecks: byDevice,
  readingRelay: byDevice,
  gatewayReadings: byKeeper,
  readingSegments: byKeeper,
  slots: { place: 'distributed', by: 'slot' },

  /** What is about no device has the slot 0. */
  outbox: queue,
  ruleQueue: queue,

  forwarders: referenceOfDevices,
  deviceGroupMembers: referenceOfDevices,

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
