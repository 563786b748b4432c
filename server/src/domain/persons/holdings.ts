import type { Tables } from '../schema/tables.ts';

/**
 * Where the database holds what is about a device or a person: every column that names one. Whoever adds a table with
 * such a column says here what is exported of it and what an erasure does with it; a test walks the schema and asks.
 */
export interface Holding {
  readonly table: keyof Tables;
  /** The column that names the device or the user. */
  readonly column: string;
  /** What an erasure does: delete the rows, or only clear the column, where the rest is about others. */
  readonly erase: 'delete' | 'clear';
  /** The file of an export; absent where the rows are what the program works out, or a secret. */
  readonly file?: string;
  /** Columns that are left out of it: secrets, and what others may not learn. */
  readonly hides?: readonly string[];
  /** The column of time by which the rows are read in order, where there may be many. */
  readonly time?: string;
  /** Whether only the rows of the owner are exported, of those that several users have about a device. */
  readonly ofOwner?: true;
}

/** What the program needs to know its own positions again. */
const HEARD = ['slot', 'isHeard', 'reportedHash'];

/** Those that refer to others come first. */
export const DEVICE_HOLDINGS: readonly Holding[] = [
  { table: 'points', column: 'deviceId', erase: 'delete', file: 'positions', time: 'timestamp', hides: HEARD },
  { table: 'positions', column: 'deviceId', erase: 'delete' },
  { table: 'segments', column: 'deviceId', erase: 'delete' },
  {
    table: 'gatewayReadings',
    column: 'gatewayId',
    erase: 'delete',
    file: 'readings',
    time: 'timestamp',
    hides: ['hash'],
  },
  // What gateways of others heard is theirs, but not of whom.
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
  { table: 'transients', column: 'deviceId', erase: 'delete', file: 'modes' },
  { table: 'messages', column: 'deviceId', erase: 'delete', file: 'messages' },
  { table: 'quarantine', column: 'deviceId', erase: 'delete', file: 'quarantine' },
  { table: 'undecodedFrames', column: 'deviceId', erase: 'delete', file: 'undecoded-frames' },
  { table: 'deviceEvents', column: 'deviceId', erase: 'delete', file: 'events' },
  { table: 'historyImports', column: 'deviceId', erase: 'delete', file: 'imports', hides: ['userId'] },
  { table: 'maintenanceRecords', column: 'deviceId', erase: 'delete', file: 'maintenance-history' },
  { table: 'maintenanceTasks', column: 'deviceId', erase: 'delete', file: 'maintenance-tasks' },
  { table: 'driverSignOns', column: 'deviceId', erase: 'delete', file: 'driver-shifts' },
  { table: 'receivedItems', column: 'deviceId', erase: 'delete' },
  { table: 'placesDue', column: 'deviceId', erase: 'delete' },
  { table: 'checkpoints', column: 'deviceId', erase: 'delete' },
  { table: 'ruleDue', column: 'deviceId', erase: 'delete' },
  { table: 'reportDevices', column: 'deviceId', erase: 'delete' },
  { table: 'outgoing', column: 'deviceId', erase: 'delete' },
  { table: 'fenceChecks', column: 'deviceId', erase: 'delete' },
  { table: 'outbox', column: 'deviceId', erase: 'delete' },
  { table: 'outbox', column: 'otherDeviceId', erase: 'delete' },
  { table: 'liveEvents', column: 'deviceId', erase: 'delete' },
  { table: 'liveEvents', column: 'otherDeviceId', erase: 'delete' },
  { table: 'proximities', column: 'otherDeviceId', erase: 'delete' },
  { table: 'forwarders', column: 'deviceId', erase: 'delete', file: 'forwarders', ofOwner: true },
  { table: 'links', column: 'deviceId', erase: 'delete', file: 'links', hides: ['secret', 'handle'], ofOwner: true },
  { table: 'triggerVersions', column: 'deviceId', erase: 'delete' },
  { table: 'notificationTriggers', column: 'deviceId', erase: 'delete', file: 'triggers', ofOwner: true },
  { table: 'fenceVersions', column: 'deviceId', erase: 'delete' },
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
  { table: 'outgoing', column: 'userId', erase: 'delete' },
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
  { table: 'groupLinks', column: 'userId', erase: 'delete', file: 'group-links', hides: ['secret', 'handle'] },
  { table: 'links', column: 'userId', erase: 'delete', file: 'links', hides: ['secret', 'handle'] },
  { table: 'triggerVersions', column: 'userId', erase: 'delete' },
  { table: 'notificationTriggers', column: 'userId', erase: 'delete', file: 'triggers' },
  { table: 'rules', column: 'userId', erase: 'delete', file: 'rules' },
  { table: 'fenceVersions', column: 'userId', erase: 'delete' },
  { table: 'userFences', column: 'userId', erase: 'delete' },
  { table: 'geofences', column: 'userId', erase: 'delete', file: 'geofences' },
  { table: 'geofenceListGrants', column: 'givenBy', erase: 'clear' },
  { table: 'geofenceListGrants', column: 'holderId', erase: 'delete' },
  { table: 'geofenceListUsers', column: 'userId', erase: 'delete', file: 'geofence-lists-shared-with-me' },
  { table: 'geofenceLists', column: 'ownerId', erase: 'delete', file: 'geofence-lists' },
  { table: 'deviceGroupGrants', column: 'userId', erase: 'delete' },
  { table: 'deviceGroupGrants', column: 'holderId', erase: 'delete' },
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
  { table: 'mailings', column: 'userId', erase: 'delete', file: 'mails' },
  { table: 'invitations', column: 'invitedBy', erase: 'clear', file: 'invitations' },
  { table: 'idempotencyKeys', column: 'userId', erase: 'delete' },
  { table: 'signInAddresses', column: 'userId', erase: 'delete', file: 'sign-in-addresses' },
  { table: 'signInChallenges', column: 'userId', erase: 'delete' },
  { table: 'authenticators', column: 'userId', erase: 'delete', file: 'authenticator', hides: ['secret', 'lastStep'] },
  { table: 'recoveryCodes', column: 'userId', erase: 'delete' },
  { table: 'passkeys', column: 'userId', erase: 'delete', file: 'passkeys', hides: ['publicKey', 'credentialId'] },
  { table: 'openidAccounts', column: 'userId', erase: 'delete', file: 'openid' },
  { table: 'tokens', column: 'userId', erase: 'delete', file: 'tokens-and-sessions', hides: ['hash', 'refreshHash'] },
  { table: 'users', column: 'id', erase: 'delete', file: 'account', hides: ['passwordHash', 'usernameClash'] },
];

/** Kept, as a trail is worth nothing from which entries can be taken; exported, though. */
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

/** Views, which show rows of tables that are listed. */
export const VIEWS: readonly (keyof Tables)[] = [
  'deliveries',
  'auditTrail',
  'destinationStates',
  'forwarderStates',
  // Erased by what it is shown as: the positions of earlier versions go with them.
  'positions',
];
