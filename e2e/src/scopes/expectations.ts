import type { TokenFamily } from '@trackway/contract/families.ts';
import type { Reached } from '@trackway/contract/scopes.ts';

/**
 * What limited tokens reach, written by hand: nothing here is derived from the contract, because the test could not find
 * errors in it then.
 */
export interface Reach {
  /** Undefined: out of reach of every limited token. "always": within reach of every one. */
  readonly family: TokenFamily | 'always' | undefined;
  /** A token that only reads. */
  readonly read: boolean;
  /** A token that only reports. */
  readonly ingest: boolean;
  /** A token of certain devices. */
  readonly devices: boolean;
}

const NEVER: Reach = { family: undefined, read: false, ingest: false, devices: false };
const ALWAYS: Reach = { family: 'always', read: true, ingest: true, devices: true };
/** Reads and changes of one device. */
const read = (family: TokenFamily): Reach => ({ family, read: true, ingest: false, devices: true });
const change = (family: TokenFamily): Reach => ({ family, read: false, ingest: false, devices: true });
const report = (family: TokenFamily): Reach => ({ family, read: false, ingest: true, devices: true });
/** The same for things of the user or the server, which have no device. */
const readOfUser = (family: TokenFamily): Reach => ({ family, read: true, ingest: false, devices: false });
const changeOfUser = (family: TokenFamily): Reach => ({ family, read: false, ingest: false, devices: false });

/** Operations without a token are open to everybody, so no token limits them. */
export const WITHOUT_TOKEN = [
  'login',
  'loginV2',
  'refreshToken',
  'setUp',
  'getServerInfo',
  'requestPasswordReset',
  'resetPassword',
  'confirmEmail',
  'answerMailRequest',
  'acceptInvitation',
] as const;

export const EXPECTED: Readonly<Record<Exclude<Reached, (typeof WITHOUT_TOKEN)[number]>, Reach>> = {
  logout: ALWAYS,
  logoutV2: ALWAYS,
  getUser: ALWAYS,

  listPersonalAccessTokens: NEVER,
  createPersonalAccessToken: NEVER,
  deletePersonalAccessToken: NEVER,
  listSessions: NEVER,
  endSession: NEVER,
  endSessions: NEVER,
  changePassword: NEVER,
  getSecondFactor: NEVER,
  beginAuthenticator: NEVER,
  confirmAuthenticator: NEVER,
  removeAuthenticator: NEVER,
  createRecoveryCodes: NEVER,
  resetSecondFactor: NEVER,
  listPasskeys: NEVER,
  beginPasskey: NEVER,
  createPasskey: NEVER,
  updatePasskey: NEVER,
  deletePasskey: NEVER,
  createServiceAccount: NEVER,
  listServiceTokens: NEVER,
  createServiceToken: NEVER,
  deleteServiceToken: NEVER,
  listAuditEntries: NEVER,
  countAuditEntries: NEVER,
  exportAuditEntries: NEVER,
  listUsers: NEVER,
  countUsers: NEVER,
  createUser: NEVER,
  updateUser: NEVER,
  deleteUser: NEVER,
  sendConfirmation: NEVER,
  listInvitations: NEVER,
  countInvitations: NEVER,
  createInvitation: NEVER,
  resendInvitation: NEVER,
  deleteInvitation: NEVER,

  listDevices: read('devices'),
  countDevices: read('devices'),
  listDeletedDevices: readOfUser('devices'),
  createDevice: changeOfUser('devices'),
  getDevice: read('devices'),
  getDeviceAccess: read('devices'),
  updateDevice: change('devices'),
  deleteDevice: change('devices'),
  restoreDevice: changeOfUser('devices'),
  listUserDevices: read('devices'),
  countUserDevices: read('devices'),
  createUserDevice: changeOfUser('devices'),

  rotateDeviceKey: change('deviceKeys'),
  revokeDeviceKey: change('deviceKeys'),
  // Whoever reads the secret can report as the device.
  getDeviceSecret: change('deviceKeys'),
  setDeviceSecret: change('deviceKeys'),
  removeDeviceSecret: change('deviceKeys'),

  listShares: read('shares'),
  countShares: read('shares'),
  getShare: read('shares'),
  createShare: change('shares'),
  updateShare: change('shares'),
  deleteShare: change('shares'),
  deleteShares: change('shares'),

  getDeviceConfig: read('configuration'),
  updateDeviceConfig: change('configuration'),

  listGatewayReadings: read('readings'),
  countGatewayReadings: read('readings'),
  createGatewayReading: report('readings'),
  getGatewayReading: read('readings'),
  updateGatewayReading: change('readings'),
  deleteGatewayReading: change('readings'),
  deleteGatewayReadings: change('readings'),
  listReadings: read('readings'),
  countReadings: read('readings'),
  createReading: report('readings'),
  getReading: read('readings'),
  updateReading: change('readings'),
  deleteReading: change('readings'),
  deleteReadings: change('readings'),

  listPoints: read('positions'),
  countPoints: read('positions'),
  createPoint: report('positions'),
  getPoint: read('positions'),
  updatePoint: change('positions'),
  deletePoint: change('positions'),
  deletePoints: change('positions'),

  listTrips: read('trips'),
  listStops: read('trips'),
  summarizeDays: read('trips'),
  exportTrack: read('trips'),
  vehicleSummary: read('trips'),
  vehicleActivity: read('trips'),
  getTimeline: read('devices'),
  listQuarantine: read('trips'),
  countQuarantine: read('trips'),
  summarizeDeviceQuarantine: read('trips'),
  releaseDeviceQuarantine: change('trips'),
  discardDeviceQuarantine: change('trips'),
  listAllQuarantine: readOfUser('trips'),
  summarizeQuarantine: readOfUser('trips'),
  releaseQuarantine: changeOfUser('trips'),
  discardQuarantine: changeOfUser('trips'),

  listNotificationTriggers: read('triggers'),
  countNotificationTriggers: read('triggers'),
  createNotificationTrigger: change('triggers'),
  getNotificationTrigger: read('triggers'),
  updateNotificationTrigger: change('triggers'),
  deleteNotificationTrigger: change('triggers'),
  deleteNotificationTriggers: change('triggers'),

  listNotifications: read('notifications'),
  countNotifications: read('notifications'),
  listDeviceNotifications: read('notifications'),
  countDeviceNotifications: read('notifications'),
  explainNotification: read('notifications'),
  tryTrigger: change('notifications'),

  listDeliveries: read('deliveries'),
  countDeliveries: read('deliveries'),
  listNotificationDeliveries: read('deliveries'),
  resendDelivery: changeOfUser('deliveries'),
  resendDeliveries: changeOfUser('deliveries'),
  cancelDelivery: changeOfUser('deliveries'),
  listDestinations: readOfUser('deliveries'),
  getDestination: readOfUser('deliveries'),
  reopenDestination: changeOfUser('deliveries'),
  testDelivery: changeOfUser('deliveries'),
  // Whoever reads the secret can pass as this server.
  getWebhookSecret: changeOfUser('deliveries'),
  rotateWebhookSecret: changeOfUser('deliveries'),
  listAllDestinations: readOfUser('deliveries'),
  reopenAnyDestination: changeOfUser('deliveries'),

  listMessages: read('messages'),
  countMessages: read('messages'),
  createMessage: change('messages'),
  getMessage: read('messages'),
  updateMessage: change('messages'),
  deleteMessage: change('messages'),
  deleteMessages: change('messages'),

  // Fences show places of the user, not of a device.
  listGeofences: readOfUser('geofences'),
  countGeofences: readOfUser('geofences'),
  createGeofence: changeOfUser('geofences'),
  getGeofence: readOfUser('geofences'),
  updateGeofence: changeOfUser('geofences'),
  deleteGeofence: changeOfUser('geofences'),
  deleteGeofences: changeOfUser('geofences'),
  listDevicesInside: readOfUser('geofences'),
  setSafeZone: change('geofences'),
  getSafeZone: read('geofences'),
  listGeofencesV2: readOfUser('geofences'),
  createGeofenceV2: changeOfUser('geofences'),
  getGeofenceV2: readOfUser('geofences'),
  updateGeofenceV2: changeOfUser('geofences'),
  deleteGeofenceV2: changeOfUser('geofences'),
  putGeofenceOnList: changeOfUser('geofences'),
  takeGeofenceOffList: changeOfUser('geofences'),
  listGeofenceLists: readOfUser('geofences'),
  createGeofenceList: changeOfUser('geofences'),
  getGeofenceList: readOfUser('geofences'),
  deleteGeofenceList: changeOfUser('geofences'),
  shareGeofenceList: changeOfUser('shares'),
  unshareGeofenceList: changeOfUser('shares'),
  addGeofenceListUser: changeOfUser('shares'),
  removeGeofenceListUser: changeOfUser('shares'),

  // A GET that changes something.
  setupSqsForwarding: change('forwarding'),
  setupSqsForwardingByPost: change('forwarding'),
  listForwarders: read('forwarding'),
  countForwarders: read('forwarding'),
  createForwarder: change('forwarding'),
  getForwarder: read('forwarding'),
  updateForwarder: change('forwarding'),
  deleteForwarder: change('forwarding'),
  listQueues: readOfUser('forwarding'),
  updateQueue: changeOfUser('forwarding'),
  requestQueueProof: changeOfUser('forwarding'),
  proveQueue: changeOfUser('forwarding'),

  listPushSubscriptions: readOfUser('pushSubscriptions'),
  createPushSubscription: changeOfUser('pushSubscriptions'),
  deletePushSubscription: changeOfUser('pushSubscriptions'),

  listPlans: readOfUser('plans'),
  countPlans: readOfUser('plans'),
  createPlan: changeOfUser('plans'),
  getPlan: readOfUser('plans'),
  updatePlan: changeOfUser('plans'),
  deletePlan: changeOfUser('plans'),
  summarizePlans: readOfUser('plans'),
  summarizeOwnPlans: readOfUser('plans'),
  listPlanCredits: readOfUser('plans'),
  countPlanCredits: readOfUser('plans'),
  createPlanCredit: changeOfUser('plans'),
  getDevicePlan: read('plans'),
  setDevicePlan: change('plans'),
  endDevicePlan: change('plans'),

  listWhereabouts: read('whereabouts'),
  live: read('live'),
  getHealth: readOfUser('server'),
};
