import type { OperationName } from '@trackway/contract/operations.ts';

/**
 * The permissions of section 3 of the contract, written by hand: nothing here is derived from the operations, because
 * the test could not find errors in them then.
 *
 * Rows are the target of the call. "own" is the owner's device, which is shared with the viewer and the manager; under
 * /users/{id} it is the caller's own account. "foreign" belongs to an outsider. "foreign child" is a child of the
 * outsider's under the path of an own parent.
 */

export const CALLERS = ['nobody', 'owner', 'viewer', 'manager', 'stranger', 'admin', 'expired', 'revoked'] as const;
export type Caller = (typeof CALLERS)[number];

export const TARGETS = ['own', 'foreign', 'absent', 'foreign child', 'absent child'] as const;
export type Target = (typeof TARGETS)[number];

export const OUTCOMES = {
  ok: { status: 200 },
  /** No token, or an unknown one. */
  auth: { status: 401, code: 'AUTHORIZATION_REQUIRED' },
  expired: { status: 401, code: 'INVALID_TOKEN' },
  denied: { status: 403, code: 'ACCESS_DENIED' },
  /** The object does not exist, or the caller may not see it. */
  hidden: { status: 404, code: 'MODEL_NOT_FOUND' },
  /** The child does not exist, or belongs to another parent. */
  'no child': { status: 404, code: undefined },
  /** The caller may call it, but what the body asks for cannot be done here. */
  invalid: { status: 422, code: undefined },
  /** A link that was never mailed, or no longer works. */
  ended: { status: 403, code: 'LINK_ENDED' },
  /** The servers of this test send no mail. */
  'no mail': { status: 400, code: 'MAIL_NOT_CONFIGURED' },
} as const;
export type Outcome = keyof typeof OUTCOMES;

export type Expectations = Readonly<Partial<Record<Target, Readonly<Record<Caller, Outcome>>>>>;

/** Users who may see the device. */
const VIEW = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    no child  no child  no child  hidden    no child  expired  auth
  absent child    auth    no child  no child  no child  hidden    no child  expired  auth
`);

/**
 * Triggers of other users are invisible, except to the owner of the device: the viewer, who cannot have any, finds none.
 * What an owner may do with those of others: `visibility.test.ts`. What ends with a right: `ended-rights.ts`.
 */
const OWN_TRIGGER = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        no child  ok        hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    no child  no child  no child  hidden    no child  expired  auth
  absent child    auth    no child  no child  no child  hidden    no child  expired  auth
`);

/** Configuration, messages, own triggers, forwarders, and readings of the device. */
const MANAGE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        denied    ok        hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    no child  denied    no child  hidden    no child  expired  auth
  absent child    auth    no child  denied    no child  hidden    no child  expired  auth
`);

/** A tag that is not there is made. */
const SET_TAG = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        denied    ok        hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    ok        denied    ok        hidden    ok        expired  auth
  absent child    auth    ok        denied    ok        hidden    ok        expired  auth
`);

/** Delete, share, key, plan. */
const OWN = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        denied    denied    hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    no child  denied    denied    hidden    no child  expired  auth
  absent child    auth    no child  denied    denied    hidden    no child  expired  auth
`);

/** A deleted device is hidden from everyone except admins, even from its owner. */
const RESTORE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    hidden    hidden    hidden    hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
`);

/** For admins only, on a device that others see. */
const APPROVE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    denied    denied    denied    hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
`);

/** Under /users/{id}: the user or an admin. The answer does not reveal whether another user exists. */
const SELF = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    denied    denied    denied    denied    ok        expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
  foreign child   auth    no child  no child  no child  no child  no child  expired  auth
  absent child    auth    no child  no child  no child  no child  no child  expired  auth
`);

/** Data that not even an admin may see of another user. */
const SELF_ALONE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    denied    denied    denied    denied    denied    expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
  foreign child   auth    no child  no child  no child  no child  no child  expired  auth
  absent child    auth    no child  no child  no child  no child  no child  expired  auth
`);

/** Users cannot buy credits unless the operator allows it; an admin allocates them. */
const CREDITS = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    denied    denied    denied    denied    ok        expired  auth
  foreign         auth    denied    denied    denied    denied    ok        expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
`);

/** Operations on users and plans for admins only. */
const ADMIN = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    denied    denied    denied    denied    ok        expired  auth
  foreign         auth    denied    denied    denied    denied    ok        expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
`);

/** Any signed-in user; a plan of the catalogue is visible to everyone. */
const SIGNED_IN = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    ok        ok        ok        ok        ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
`);

/** Every signed-in user may prove a queue, but this server reaches none. */
const NO_QUEUES = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    invalid   invalid   invalid   invalid   invalid   expired  auth
`);

/** A personal token belongs to the user who created it; not even an admin can reach it. */
const OWN_TOKEN = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    no child  no child  no child  no child  no child  expired  auth
  absent          auth    no child  no child  no child  no child  no child  expired  auth
`);

/** No token is needed, and a given one is ignored. */
const ANYONE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             ok      ok        ok        ok        ok        ok        ok       ok
`);

/** The first admin already exists. */
const SET_UP = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             denied  denied    denied    denied    denied    denied    denied   denied
`);

/** Whoever has a link may use it, signed in or not. */
const BY_LINK = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             ended   ended     ended     ended     ended     ended     ended    ended
`);

const FORGOTTEN = table(`
                  nobody   owner    viewer    manager   stranger  admin     expired  revoked
  own             no mail  no mail  no mail   no mail   no mail   no mail   no mail  no mail
`);

const INVITE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    denied    denied    denied    denied    no mail   expired  auth
`);

/** Without mail there are no invitations, and no unknown tracker. */
const ABSENT_ONLY = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    denied    denied    denied    denied    hidden    expired  auth
  foreign         auth    denied    denied    denied    denied    hidden    expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
`);

/** Only the user whom a notification is for can see it; for others it does not exist. */
const NOTIFICATION = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
`);

export const EXPECTED: Readonly<Record<OperationName, Expectations>> = {
  login: ANYONE,
  loginV2: ANYONE,
  refreshToken: ANYONE,
  setUp: SET_UP,
  logout: SIGNED_IN,
  logoutV2: SIGNED_IN,
  changePassword: SIGNED_IN,
  listPersonalAccessTokens: SIGNED_IN,
  createPersonalAccessToken: SIGNED_IN,
  deletePersonalAccessToken: OWN_TOKEN,
  getMqttCredentials: SELF,
  listSessions: SELF,
  endSession: SELF,
  endSessions: SELF,

  getSecondFactor: SIGNED_IN,
  beginAuthenticator: SIGNED_IN,
  confirmAuthenticator: SIGNED_IN,
  confirmSignIn: SIGNED_IN,
  removeAuthenticator: SIGNED_IN,
  createRecoveryCodes: SIGNED_IN,
  resetSecondFactor: ADMIN,
  listPasskeys: SIGNED_IN,
  beginPasskey: SIGNED_IN,
  createPasskey: SIGNED_IN,
  updatePasskey: OWN_TOKEN,
  deletePasskey: OWN_TOKEN,

  createServiceAccount: ADMIN,
  listServiceTokens: ADMIN,
  createServiceToken: ADMIN,
  deleteServiceToken: ADMIN,

  listUsers: ADMIN,
  countUsers: ADMIN,
  createUser: ADMIN,
  getUser: SELF,
  updateUser: SELF,
  deleteUser: ADMIN,
  exportUserData: SELF,
  exportDeviceData: OWN,
  eraseUser: SELF,
  eraseDevice: OWN,
  listErasures: ADMIN,

  requestPasswordReset: FORGOTTEN,
  resetPassword: BY_LINK,
  confirmEmail: BY_LINK,
  answerMailRequest: BY_LINK,
  acceptInvitation: BY_LINK,
  sendConfirmation: SELF,
  listInvitations: ADMIN,
  countInvitations: ADMIN,
  createInvitation: INVITE,
  resendInvitation: ABSENT_ONLY,
  deleteInvitation: ABSENT_ONLY,

  listDevices: SIGNED_IN,
  countDevices: SIGNED_IN,
  createDevice: SIGNED_IN,
  addTrackers: SIGNED_IN,
  listDeletedDevices: ADMIN,
  getDevice: VIEW,
  getDeviceAccess: VIEW,
  getDeviceAbilities: VIEW,
  updateDevice: MANAGE,
  deleteDevice: OWN,
  restoreDevice: RESTORE,
  approveDeviceIdentity: APPROVE,
  rotateDeviceKey: OWN,
  revokeDeviceKey: OWN,
  releaseCommandChannel: OWN,
  getDeviceSecret: OWN,
  setDeviceSecret: OWN,
  removeDeviceSecret: OWN,
  listUserDevices: SELF,
  countUserDevices: SELF,
  createUserDevice: SELF,

  setMetaItem: MANAGE,
  setMetaItemByPost: MANAGE,
  deactivateDevice: OWN,
  deactivateDeviceByPost: OWN,
  // The device stands in the body.
  changeTags: MANAGE,
  listTags: VIEW,
  getTag: VIEW,
  setTag: SET_TAG,
  removeTag: MANAGE,

  listShares: OWN,
  countShares: OWN,
  createShare: OWN,
  getShare: OWN,
  updateShare: OWN,
  // The owner can end any share, everyone else their own.
  deleteShare: VIEW,
  deleteShares: OWN,

  listDeviceGroups: SELF,
  countDeviceGroups: SELF,
  createDeviceGroup: SELF,
  getDeviceGroup: SELF,
  updateDeviceGroup: SELF,
  deleteDeviceGroup: SELF,
  restoreDeviceGroup: SELF,
  listDeviceGroupDevices: SELF,
  listGroupMembers: SELF,
  addDeviceGroupDevices: SELF,
  removeDeviceGroupDevices: SELF,
  listDeviceGroupShares: SELF,
  createDeviceGroupShare: SELF,
  updateDeviceGroupShare: SELF,
  deleteDeviceGroupShare: SELF,

  listRules: SELF,
  countRules: SELF,
  createRule: SELF,
  getRule: SELF,
  updateRule: SELF,
  deleteRule: SELF,

  getDeviceConfig: VIEW,
  updateDeviceConfig: MANAGE,
  getCurrentFirmware: VIEW,
  getFirmwareUpdate: VIEW,
  requestFirmwareUpdate: MANAGE,
  cancelFirmwareUpdate: MANAGE,

  listGatewayReadings: VIEW,
  countGatewayReadings: VIEW,
  createGatewayReading: MANAGE,
  getGatewayReading: VIEW,
  updateGatewayReading: MANAGE,
  deleteGatewayReading: OWN,
  deleteGatewayReadings: OWN,

  listTrips: VIEW,
  listStops: VIEW,
  summarizeDays: VIEW,
  exportTrack: VIEW,
  vehicleSummary: VIEW,
  vehicleActivity: VIEW,
  fleetReport: SIGNED_IN,
  fleetReportFile: SIGNED_IN,
  getTimeline: VIEW,
  listQuarantine: VIEW,
  countQuarantine: VIEW,
  summarizeDeviceQuarantine: VIEW,
  releaseDeviceQuarantine: MANAGE,
  discardDeviceQuarantine: MANAGE,
  listAllQuarantine: ADMIN,
  summarizeQuarantine: ADMIN,
  releaseQuarantine: ADMIN,
  discardQuarantine: ADMIN,

  identifyTracker: SIGNED_IN,
  listUnknownTrackers: ADMIN,
  addUnknownTracker: ABSENT_ONLY,
  deleteUnknownTracker: ABSENT_ONLY,
  listUndecodedFrames: ADMIN,

  getUnreadNotifications: SELF,
  readNotifications: SELF,
  acknowledgeNotification: NOTIFICATION,
  listNotifications: SELF,
  countNotifications: SELF,
  listDeviceNotifications: VIEW,
  countDeviceNotifications: VIEW,
  explainNotification: NOTIFICATION,
  listNotificationDeliveries: NOTIFICATION,
  tryTrigger: MANAGE,

  listReadings: VIEW,
  countReadings: VIEW,
  createReading: MANAGE,
  getReading: VIEW,
  updateReading: MANAGE,
  deleteReading: OWN,
  deleteReadings: OWN,

  listPoints: VIEW,
  countPoints: VIEW,
  createPoint: MANAGE,
  getPoint: VIEW,
  listPointsV2: VIEW,
  getPointV2: VIEW,
  explainPoint: VIEW,
  updatePoint: MANAGE,
  deletePoint: OWN,
  deletePoints: OWN,

  listNotificationTriggers: VIEW,
  listUserTriggers: SELF,
  countNotificationTriggers: VIEW,
  createNotificationTrigger: MANAGE,
  getNotificationTrigger: OWN_TRIGGER,
  updateNotificationTrigger: MANAGE,
  deleteNotificationTrigger: MANAGE,
  deleteNotificationTriggers: MANAGE,

  listMessages: VIEW,
  countMessages: VIEW,
  createMessage: MANAGE,
  getMessage: VIEW,
  updateMessage: MANAGE,
  deleteMessage: MANAGE,
  deleteMessages: MANAGE,
  sendCommand: MANAGE,

  flightMode: MANAGE,
  flightModeByPost: MANAGE,
  sleepDevice: MANAGE,
  sleepDeviceByPost: MANAGE,
  wakeUpDevice: MANAGE,
  wakeUpDeviceByPost: MANAGE,
  listTransients: VIEW,
  countTransients: VIEW,
  getTransient: VIEW,
  updateTransient: MANAGE,
  deleteTransient: MANAGE,

  getRtkStatus: VIEW,
  getRecentRtkLogs: VIEW,
  getRtkCommand: VIEW,
  queueRtkUpdateRate: MANAGE,
  queueRtkUpdateRateByPost: MANAGE,
  queueRtkAlert: MANAGE,
  queueRtkAlertByPost: MANAGE,
  queueRtkPrompt: MANAGE,
  queueRtkPromptByPost: MANAGE,
  queueRtkReboot: MANAGE,
  queueRtkRebootByPost: MANAGE,
  queueRtkBufferSize: MANAGE,
  queueRtkBufferSizeByPost: MANAGE,
  updateRtkBaseStatus: MANAGE,
  updateRtkBaseStatusByPost: MANAGE,
  setNtripSettings: MANAGE,
  setNtripSettingsByPost: MANAGE,

  listGeofences: SELF,
  countGeofences: SELF,
  createGeofence: SELF,
  getGeofence: SELF,
  updateGeofence: SELF,
  deleteGeofence: SELF,
  deleteGeofences: SELF,
  listDevicesInside: SELF,
  setSafeZone: MANAGE,
  getSafeZone: VIEW,
  // What members of a list may do: `geofence-lists.test.ts`.
  listGeofencesV2: SELF,
  createGeofenceV2: SELF,
  getGeofenceV2: SELF,
  updateGeofenceV2: SELF,
  deleteGeofenceV2: SELF,
  putGeofenceOnList: SELF,
  takeGeofenceOffList: SELF,
  listGeofenceLists: SELF,
  createGeofenceList: SELF,
  getGeofenceList: SELF,
  updateGeofenceList: SELF,
  deleteGeofenceList: SELF,
  listGeofenceListShares: SELF,
  shareGeofenceList: SELF,
  unshareGeofenceList: SELF,
  addGeofenceListUser: SELF,
  removeGeofenceListUser: SELF,

  getDeviceSummary: SELF,
  getDevicesInZone: SELF,
  getDevicesByTag: SELF,
  listDevicesV2: SIGNED_IN,
  getRecentActivity: SELF,
  nearbyDevices: VIEW,
  nearbyDeviceData: VIEW,

  setupSqsForwarding: MANAGE,
  setupSqsForwardingByPost: MANAGE,
  listForwarders: MANAGE,
  countForwarders: MANAGE,
  createForwarder: MANAGE,
  getForwarder: MANAGE,
  updateForwarder: MANAGE,
  deleteForwarder: MANAGE,
  requestQueueProof: NO_QUEUES,
  proveQueue: NO_QUEUES,
  listQueues: ADMIN,
  updateQueue: ADMIN,

  listDeliveries: SELF,
  countDeliveries: SELF,
  resendDelivery: SELF,
  resendDeliveries: SELF,
  cancelDelivery: SELF,
  listDestinations: SELF,
  getDestination: SELF,
  reopenDestination: SELF,
  testDelivery: SELF,
  testChannels: SELF,
  getWebhookSecret: SELF_ALONE,
  rotateWebhookSecret: SELF_ALONE,
  listAllDestinations: ADMIN,
  reopenAnyDestination: ADMIN,

  listLinks: MANAGE,
  countLinks: MANAGE,
  createLink: MANAGE,
  getLink: MANAGE,
  updateLink: MANAGE,
  deleteLink: MANAGE,
  listUserLinks: SELF,
  listGroupLinks: SELF,
  countGroupLinks: SELF,
  createGroupLink: SELF,
  getGroupLink: SELF,
  updateGroupLink: SELF,
  deleteGroupLink: SELF,
  openLink: BY_LINK,
  listHistoryImports: VIEW,
  getHistoryImport: VIEW,
  createHistoryImport: MANAGE,
  addImportedPoints: MANAGE,
  endHistoryImport: MANAGE,

  listSavedReports: SELF,
  getSavedReport: SELF,
  createSavedReport: SELF,
  updateSavedReport: SELF,
  deleteSavedReport: SELF,
  sendSavedReport: SELF,
  listReportRecipients: SELF,
  heatMap: SELF,
  listDrivers: SELF,
  createDriver: SELF,
  getDriver: SELF,
  updateDriver: SELF,
  deleteDriver: SELF,
  listDeviceDrivers: MANAGE,
  getDeviceDriver: VIEW,
  signOnDriver: MANAGE,
  signOffDriver: MANAGE,
  listShifts: VIEW,

  getVehicle: VIEW,
  updateVehicle: MANAGE,
  getVehiclePhoto: VIEW,
  listMaintenanceTasks: VIEW,
  createMaintenanceTask: MANAGE,
  getMaintenanceTask: VIEW,
  updateMaintenanceTask: MANAGE,
  deleteMaintenanceTask: MANAGE,
  completeMaintenanceTask: MANAGE,
  listMaintenanceRecords: VIEW,
  listFleetMaintenance: SELF,

  listSavedViews: SELF,
  getSavedView: SELF,
  createSavedView: SELF,
  updateSavedView: SELF,
  deleteSavedView: SELF,

  listPushSubscriptions: SELF,
  createPushSubscription: SELF,
  deletePushSubscription: SELF,

  listPlans: SIGNED_IN,
  countPlans: SIGNED_IN,
  createPlan: ADMIN,
  getPlan: SIGNED_IN,
  updatePlan: ADMIN,
  deletePlan: ADMIN,
  summarizePlans: SELF,
  summarizeOwnPlans: SIGNED_IN,
  listPlanCredits: SELF,
  countPlanCredits: SELF,
  createPlanCredit: CREDITS,
  listOwnOrderPlans: SIGNED_IN,
  listOrderPlans: SELF,
  listPlansForDevices: SIGNED_IN,
  getPlanOfDevice: VIEW,
  claimDevice: SIGNED_IN,
  putPlanOfDevice: OWN,
  removePlanOfDevice: OWN,
  putPlanOfDevices: SIGNED_IN,
  buyPlans: ADMIN,
  getDevicePlan: VIEW,
  setDevicePlan: OWN,
  endDevicePlan: OWN,

  listWhereabouts: SELF,
  listTrails: SELF,
  listAuditEntries: SIGNED_IN,
  countAuditEntries: SIGNED_IN,
  exportAuditEntries: SIGNED_IN,
  getServerInfo: ANYONE,
  getMaps: SIGNED_IN,
  chooseMap: ADMIN,
  listChannels: ADMIN,
  setUpChannel: ADMIN,
  testChannel: ADMIN,
  getReach: SIGNED_IN,
  setNetworkAccess: ADMIN,
  namePlace: SIGNED_IN,
  searchPlaces: SIGNED_IN,
  getHealth: ADMIN,
  listNodes: ADMIN,
  previewRetention: ADMIN,
};

/** Columns are separated by two or more spaces, because some words contain one. */
function table(text: string): Expectations {
  const [heads, ...rows] = text
    .trim()
    .split('\n')
    .map((line) => line.trim().split(/\s{2,}/));
  const expectations: Partial<Record<Target, Record<Caller, Outcome>>> = {};
  for (const [target, ...cells] of rows) {
    if (cells.length !== CALLERS.length || heads!.join() !== CALLERS.join() || !TARGETS.includes(target as Target))
      throw new Error(`A table of expectations is crooked at "${target}"`);
    expectations[target as Target] = Object.fromEntries(
      CALLERS.map((caller, index) => [caller, outcomeNamed(cells[index]!)]),
    ) as Record<Caller, Outcome>;
  }
  return expectations;
}

function outcomeNamed(name: string): Outcome {
  if (Object.hasOwn(OUTCOMES, name)) return name as Outcome;
  throw new Error(`"${name}" is no outcome`);
}
