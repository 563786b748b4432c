import type { TokenAccess, TokenFamily } from './families.ts';
import type { Operation } from './operation.ts';
import { CHAPTERS, OPERATIONS, type OperationName } from './operations.ts';

/** Limits of a token. */
export interface TokenScope {
  readonly access: TokenAccess;
  /** Absent: all devices of the user. */
  readonly deviceIds?: readonly number[];
  /** Absent: all families. */
  readonly families?: readonly TokenFamily[];
}

/** Operations, and the live stream, which is not an operation of the contract. */
export type Reached = OperationName | 'live';

/** The family of each chapter. Chapters that are not listed are out of reach of every limited token. */
const CHAPTER_FAMILIES: Readonly<Record<string, TokenFamily>> = {
  Devices: 'devices',
  'Device groups': 'devices',
  'Device configuration': 'configuration',
  Readings: 'readings',
  Positions: 'positions',
  'Trips, stops and tracks': 'trips',
  'Fleet reports': 'trips',
  Timelines: 'devices',
  Quarantine: 'trips',
  Triggers: 'triggers',
  Rules: 'triggers',
  Notifications: 'notifications',
  Deliveries: 'deliveries',
  Messages: 'messages',
  'Device modes': 'messages',
  'RTK receivers': 'messages',
  Geofences: 'geofences',
  Forwarding: 'forwarding',
  'Push subscriptions': 'pushSubscriptions',
  Links: 'shares',
  Plans: 'plans',
  Maintenance: 'trips',
  Drivers: 'trips',
  'Last known positions': 'whereabouts',
  Server: 'server',
};

/** Granting rights or keys gives away more than the device, so these operations have their own families. */
const OWN_FAMILY: Readonly<Partial<Record<Reached, TokenFamily>>> = {
  listShares: 'shares',
  countShares: 'shares',
  createShare: 'shares',
  getShare: 'shares',
  updateShare: 'shares',
  deleteShare: 'shares',
  deleteShares: 'shares',
  listDeviceGroupShares: 'shares',
  createDeviceGroupShare: 'shares',
  updateDeviceGroupShare: 'shares',
  deleteDeviceGroupShare: 'shares',
  listGeofenceListShares: 'shares',
  shareGeofenceList: 'shares',
  unshareGeofenceList: 'shares',
  addGeofenceListUser: 'shares',
  removeGeofenceListUser: 'shares',
  approveDeviceIdentity: 'deviceKeys',
  rotateDeviceKey: 'deviceKeys',
  revokeDeviceKey: 'deviceKeys',
  releaseCommandChannel: 'deviceKeys',
  getDeviceSecret: 'deviceKeys',
  setDeviceSecret: 'deviceKeys',
  removeDeviceSecret: 'deviceKeys',
  live: 'live',
};

/** A token can always read its user and end itself. */
const ALWAYS: ReadonlySet<Reached> = new Set(['getUser', 'logout', 'logoutV2']);

/** Reads whose response allows acting as a device or as this server. */
const REVEALING: ReadonlySet<Reached> = new Set(['getDeviceSecret', 'getWebhookSecret']);

/** Reads by POST, because the query is in the body. */
const ASKING: ReadonlySet<Reached> = new Set(['vehicleSummary', 'vehicleActivity', 'fleetReport', 'fleetReportFile']);

/** Operations that a token for reporting may call. */
const REPORTING: ReadonlySet<Reached> = new Set(['createPoint', 'createReading', 'createGatewayReading']);

/** Operations without a device in the path that return only the devices of the token. */
const NARROWED: ReadonlySet<Reached> = new Set([
  'listDevices',
  'countDevices',
  'listUserDevices',
  'changeTags',
  'listDevicesV2',
  'getDeviceSummary',
  'getDevicesByTag',
  'getRecentActivity',
  'countUserDevices',
  'listWhereabouts',
  'listTrails',
  'listNotifications',
  'countNotifications',
  'explainNotification',
  'getUnreadNotifications',
  'readNotifications',
  'acknowledgeNotification',
  'listDeliveries',
  'countDeliveries',
  'listNotificationDeliveries',
  'vehicleSummary',
  'vehicleActivity',
  'fleetReport',
  'fleetReportFile',
  'listFleetMaintenance',
  'heatMap',
  'live',
]);

const FAMILY_OF: ReadonlyMap<Reached, TokenFamily | undefined> = new Map([
  ...Object.entries(CHAPTERS).flatMap(([chapter, operations]) =>
    (Object.keys(operations) as OperationName[]).map((name) => [name, CHAPTER_FAMILIES[chapter]] as const),
  ),
  ...(Object.entries(OWN_FAMILY) as [Reached, TokenFamily][]),
]);

export const familyOf = (name: Reached): TokenFamily | undefined => FAMILY_OF.get(name);

/** Whether a limited token may call an operation. Operations that are not explicitly allowed are rejected. */
export function isWithinScope(scope: TokenScope, name: Reached): boolean {
  if (ALWAYS.has(name)) return true;
  const family = familyOf(name);
  if (family === undefined) return false;
  if (scope.families !== undefined && !scope.families.includes(family)) return false;
  if (scope.access === 'read' && (!isRead(name) || REVEALING.has(name))) return false;
  if (scope.access === 'ingest' && !REPORTING.has(name)) return false;
  return scope.deviceIds === undefined || namesDevice(name) || NARROWED.has(name);
}

/** Whether a limited token may report for its devices. */
export const mayReport = (scope: TokenScope): boolean => [...REPORTING].every((name) => isWithinScope(scope, name));

function isRead(name: Reached): boolean {
  if (name === 'live') return true;
  if (ASKING.has(name)) return true;
  const { method, changes }: Operation = OPERATIONS[name];
  return method === 'GET' && !changes;
}

/** Whether the path contains a device, so that the caller's right on it is checked. */
function namesDevice(name: Reached): boolean {
  if (name === 'live') return false;
  const { access }: Operation = OPERATIONS[name];
  return access === 'view' || access === 'manage' || access === 'own';
}
