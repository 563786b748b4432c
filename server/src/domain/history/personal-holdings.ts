import type { Tables } from '../schema/tables.ts';

/**
 * All columns of the database that refer to a device or a person. A new table with such a column needs an entry for
 * exports and erasures; a test compares this list with the schema.
 */
export interface Holding {
  readonly table: keyof Tables;
  /** The column with the device or the user. */
  readonly column: string;
  /** Whether an erasure deletes the rows, or only clears the column because the other columns are about others. */
  readonly erase: 'delete' | 'clear';
  /** The file of an export; absent for derived data and secrets. */
  readonly file?: string;
  /** Columns that are left out: secrets, and data that others may not see. */
  readonly hides?: readonly string[];
  /** The time column for reading large tables in order. */
  readonly time?: string;
  /** Whether only the rows of the owner are exported, if several users have rows about a device. */
  readonly ofOwner?: true;
}

/** Internal columns for matching positions. */
const SIGHTING_COLUMNS = ['isLocatedByGateways', 'reportedHash'];

/** Referring tables come first. */
export const DEVICE_HOLDINGS: readonly Holding[] = [
  {
    table: 'points',
    column: 'deviceId',
    erase: 'delete',
    file: 'positions',
    time: 'timestamp',
    hides: SIGHTING_COLUMNS,
  },
  { table: 'positions', column: 'deviceId', erase: 'delete' },
  { table: 'positionSegments', column: 'deviceId', erase: 'delete' },
  {
    table: 'gatewayReadings',
    column: 'gatewayId',
    erase: 'delete',
    file: 'readings',
    time: 'timestamp',
    hides: ['hash'],
  },
  // Sightings of other users' gateways belong to them, but not the sighted device.
  {
    table: 'gatewayReadings',
    column: 'deviceId',
    erase: 'clear',
    file: 'heard-by',
    time: 'timestamp',
    hides: ['hash'],
  },
  { table: 'readingSegments', column: 'gatewayId', erase: 'delete' },
  { table: 'readingSegments', column: 'deviceId', erase: 'clear' },
  { table: 'escalations', column: 'deviceId', erase: 'delete' },
  { table: 'notifications', column: 'deviceId', erase: 'delete', file: 'notifications', ofOwner: true },
  { table: 'trips', column: 'deviceId', erase: 'delete', file: 'trips', hides: ['track'] },
  { table: 'stops', column: 'deviceId', erase: 'delete', file: 'stops' },
  { table: 'ignitionChanges', column: 'deviceId', erase: 'delete', file: 'ignition' },
  { table: 'rtkLogs', column: 'deviceId', erase: 'delete', file: 'rtk-logs', hides: ['hash'] },
  { table: 'rtkCommands', column: 'deviceId', erase: 'delete', file: 'rtk-commands' },
  { table: 'rtkStates', column: 'deviceId', erase: 'delete', file: 'rtk', hides: ['ntripPassword'] },
  { table: 'commandChannels', column: 'deviceId', erase: 'delete' },
  { table: 'transients', column: 'deviceId', erase: 'delete', file: 'modes' },
  { table: 'messages', column: 'deviceId', erase: 'delete', file: 'messages' },
  { table: 'quarantine', column: 'deviceId', erase: 'delete', file: 'quarantine' },
  { table: 'undecodedFrames', column: 'deviceId', erase: 'delete', file: 'undecoded-frames' },
  { table: 'deviceEvents', column: 'deviceId', erase: 'delete', file: 'events' },
  { table: 'historyImports', column: 'deviceId', erase: 'delete', file: 'imports', hides: ['userId'] },
  { table: 'vehicles', column: 'deviceId', erase: 'delete', file: 'vehicle' },
  { table: 'maintenanceRecords', column: 'deviceId', erase: 'delete', file: 'maintenance-history' },
  { table: 'maintenanceTasks', column: 'deviceId', erase: 'delete', file: 'maintenance-tasks' },
  { table: 'driverSignOns', column: 'deviceId', erase: 'delete', file: 'driver-shifts' },
  { table: 'receivedItems', column: 'deviceId', erase: 'delete' },
  { table: 'placeQueue', column: 'deviceId', erase: 'delete' },
  { table: 'checkpoints', column: 'deviceId', erase: 'delete' },
  { table: 'ruleQueue', column: 'deviceId', erase: 'delete' },
  { table: 'reportDevices', column: 'deviceId', erase: 'delete' },
  { table: 'outboxRelay', column: 'deviceId', erase: 'delete' },
  { table: 'geofenceChecks', column: 'deviceId', erase: 'delete' },
  { table: 'readingRelay', column: 'deviceId', erase: 'delete' },
  { table: 'readingRelay', column: 'otherDeviceId', erase: 'delete' },
  { table: 'outbox', column: 'deviceId', erase: 'delete' },
  { table: 'outbox', column: 'otherDeviceId', erase: 'delete' },
  { table: 'liveEvents', column: 'deviceId', erase: 'delete' },
  { table: 'liveEvents', column: 'otherDeviceId', erase: 'delete' },
  { table: 'proximities', column: 'otherDeviceId', erase: 'delete' },
  { table: 'forwarders', column: 'deviceId', erase: 'delete', file: 'forwarders', ofOwner: true },
  { table: 'links', column: 'deviceId', erase: 'delete', file: 'links', hides: ['secret', 'handle'], ofOwner: true },
  { table: 'triggerVersions', column: 'deviceId', erase: 'delete' },
  { table: 'notificationTriggers', column: 'deviceId', erase: 'delete', file: 'triggers', ofOwner: true },
  { table: 'geofenceVersions', column: 'deviceId', erase: 'delete' },
  { table: 'geofences', column: 'deviceId', erase: 'delete', file: 'safe-zones' },
  { table: 'deviceConfigs', column: 'deviceId', erase: 'delete', file: 'configuration' },
  { table: 'deviceGroupMembers', column: 'deviceId', erase: 'delete', file: 'groups' },
  { table: 'shareGrants', column: 'deviceId', erase: 'delete', file: 'shares', hides: ['holderId'] },
  { table: 'shares', column: 'deviceId', erase: 'delete' },
  { table: 'subscriptions', column: 'deviceId', erase: 'delete', file: 'plans' },
  { table: 'deviceStates', column: 'deviceId', erase: 'delete' },
  { table: 'devices', column: 'id', erase: 'delete', file: 'device', hides: ['keyHash', 'secret', 'btPasskey'] },
];

export const USER_HOLDINGS: readonly Holding[] = [
  { table: 'notifications', column: 'userId', erase: 'delete', file: 'notifications' },
  { table: 'notifications', column: 'acknowledgedBy', erase: 'clear' },
  { table: 'messages', column: 'userId', erase: 'clear', file: 'messages' },
  { table: 'maintenanceRecords', column: 'userId', erase: 'clear' },
  { table: 'driverSignOns', column: 'userId', erase: 'clear' },
  { table: 'historyImports', column: 'userId', erase: 'clear', file: 'imports' },
  { table: 'outboxRelay', column: 'userId', erase: 'delete' },
  { table: 'outbox', column: 'userId', erase: 'delete' },
  { table: 'deliveries', column: 'userId', erase: 'delete', file: 'deliveries', hides: ['address'] },
  { table: 'liveEvents', column: 'userId', erase: 'delete' },
  { table: 'forwarders', column: 'userId', erase: 'delete', file: 'forwarders' },
  {
    table: 'destinations',
    column: 'userId',
    erase: 'delete',
    file: 'destinations',
    hides: ['secrets', 'leaseOwner', 'leaseUntil'],
  },
  { table: 'links', column: 'userId', erase: 'delete', file: 'links', hides: ['secret', 'handle'] },
  { table: 'triggerVersions', column: 'userId', erase: 'delete' },
  { table: 'notificationTriggers', column: 'userId', erase: 'delete', file: 'triggers' },
  { table: 'rules', column: 'userId', erase: 'delete', file: 'rules' },
  { table: 'geofenceVersions', column: 'userId', erase: 'delete' },
  { table: 'geofenceRevisions', column: 'userId', erase: 'delete' },
  { table: 'geofences', column: 'userId', erase: 'delete', file: 'geofences' },
  { table: 'grants', column: 'grantedBy', erase: 'clear' },
  { table: 'grants', column: 'userId', erase: 'delete' },
  {
    table: 'grants',
    column: 'holderId',
    erase: 'delete',
    file: 'groups-and-geofence-lists-shared-with-me',
    hides: ['grantedBy'],
  },
  { table: 'geofenceLists', column: 'ownerId', erase: 'delete', file: 'geofence-lists' },
  { table: 'deviceGroups', column: 'ownerId', erase: 'delete', file: 'groups' },
  { table: 'shareGrants', column: 'userId', erase: 'delete' },
  { table: 'shareGrants', column: 'holderId', erase: 'delete' },
  { table: 'shares', column: 'userId', erase: 'delete', file: 'devices-shared-with-me' },
  { table: 'drivers', column: 'userId', erase: 'delete', file: 'drivers' },
  { table: 'savedReports', column: 'userId', erase: 'delete', file: 'saved-reports' },
  { table: 'savedViews', column: 'userId', erase: 'delete', file: 'saved-views' },
  { table: 'subscriptions', column: 'userId', erase: 'delete', file: 'plans' },
  { table: 'planCredits', column: 'userId', erase: 'delete', file: 'plan-credits' },
  { table: 'pushSubscriptions', column: 'userId', erase: 'delete', file: 'browsers', hides: ['keys', 'endpoint'] },
  { table: 'queueHolders', column: 'userId', erase: 'delete', file: 'queues', hides: ['allowed'] },
  { table: 'queueProofs', column: 'userId', erase: 'delete' },
  { table: 'mailRecipients', column: 'userId', erase: 'delete', file: 'mail-recipients' },
  { table: 'mailLinks', column: 'userId', erase: 'delete' },
  { table: 'accountMails', column: 'userId', erase: 'delete', file: 'mails' },
  { table: 'users', column: 'invitedBy', erase: 'clear' },
  { table: 'invitations', column: 'invitedBy', erase: 'clear', file: 'invitations' },
  { table: 'idempotencyKeys', column: 'userId', erase: 'delete' },
  { table: 'signInAddresses', column: 'userId', erase: 'delete', file: 'sign-in-addresses' },
  { table: 'signInChallenges', column: 'userId', erase: 'delete' },
  { table: 'authenticators', column: 'userId', erase: 'delete', file: 'authenticator', hides: ['secret', 'lastStep'] },
  { table: 'recoveryCodes', column: 'userId', erase: 'delete' },
  { table: 'passkeys', column: 'userId', erase: 'delete', file: 'passkeys', hides: ['publicKey', 'credentialId'] },
  { table: 'openidAccounts', column: 'userId', erase: 'delete', file: 'openid' },
  { table: 'tokens', column: 'userId', erase: 'delete', file: 'tokens-and-sessions', hides: ['hash', 'refreshHash'] },
  { table: 'users', column: 'id', erase: 'delete', file: 'account', hides: ['passwordHash'] },
];

/** Kept, because a trail with removable entries would be worthless; but exported. */
export const AUDIT_HOLDINGS: readonly Holding[] = [
  { table: 'auditEntries', column: 'actorId', erase: 'clear', file: 'audit-by-me', hides: ['tokenId', 'occasion'] },
  {
    table: 'auditEntries',
    column: 'userId',
    erase: 'clear',
    file: 'audit-about-me',
    hides: ['tokenId', 'address', 'occasion'],
  },
];

/** Views of listed tables. */
export const VIEWS: readonly (keyof Tables)[] = [
  'deliveries',
  'auditTrail',
  'destinationStates',
  'forwarderStates',
  // Erased through its view, together with positions of earlier versions.
  'positions',
];
