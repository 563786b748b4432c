import type { OperationName } from '@trackway/contract/operations.ts';

/**
 * Who may do what, as section 3 of the contract has it, written down by hand: nothing here is read off the operations,
 * or the test could not find them wrong.
 *
 * Rows are what the call is aimed at. "own" is the owner's device, which is shared with the viewer and the manager; under
 * /users/{id} it is the caller's own account. "foreign" belongs to an outsider. "foreign child" is a child of the
 * outsider's under the path of an own parent.
 */

export const CALLERS = ['nobody', 'owner', 'viewer', 'manager', 'stranger', 'admin', 'expired', 'revoked'] as const;
export type Caller = (typeof CALLERS)[number];

export const TARGETS = ['own', 'foreign', 'absent', 'foreign child', 'absent child'] as const;
export type Target = (typeof TARGETS)[number];

export const OUTCOMES = {
  ok: { status: 200 },
  /** No token, or one that nobody knows. */
  auth: { status: 401, code: 'AUTHORIZATION_REQUIRED' },
  expired: { status: 401, code: 'INVALID_TOKEN' },
  denied: { status: 403, code: 'ACCESS_DENIED' },
  /** The thing itself is not there, or not to be seen. */
  hidden: { status: 404, code: 'MODEL_NOT_FOUND' },
  /** A child is not there, or under another parent. */
  'no child': { status: 404, code: undefined },
} as const;
export type Outcome = keyof typeof OUTCOMES;

export type Expectations = Readonly<Partial<Record<Target, Readonly<Record<Caller, Outcome>>>>>;

/** Whoever may see the device. */
const VIEW = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    no child  no child  no child  hidden    no child  expired  auth
  absent child    auth    no child  no child  no child  hidden    no child  expired  auth
`);

/** Other users' triggers are nobody's business: the viewer, who can't have any, finds none. */
const OWN_TRIGGER = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        no child  ok        hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    no child  no child  no child  hidden    no child  expired  auth
  absent child    auth    no child  no child  no child  hidden    no child  expired  auth
`);

/** Configuration, messages, own triggers, forwarders, and what the device measured. */
const MANAGE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        denied    ok        hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
  foreign child   auth    no child  denied    no child  hidden    no child  expired  auth
  absent child    auth    no child  denied    no child  hidden    no child  expired  auth
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

/** A deleted device is hidden from everyone but admins, its owner too. */
const RESTORE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    hidden    hidden    hidden    hidden    ok        expired  auth
  foreign         auth    hidden    hidden    hidden    hidden    ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
`);

/** Under /users/{id}: oneself, or an admin. Whether another user exists is not told. */
const SELF = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    denied    denied    denied    denied    ok        expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
  foreign child   auth    no child  no child  no child  no child  no child  expired  auth
  absent child    auth    no child  no child  no child  no child  no child  expired  auth
`);

/** What not even an admin sees of another. */
const SELF_ALONE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    denied    denied    denied    denied    denied    expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
  foreign child   auth    no child  no child  no child  no child  no child  expired  auth
  absent child    auth    no child  no child  no child  no child  no child  expired  auth
`);

/** Users buy nothing unless the operator allows it; an admin allocates. */
const CREDITS = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    denied    denied    denied    denied    ok        expired  auth
  foreign         auth    denied    denied    denied    denied    ok        expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
`);

/** What only admins do to users and plans. */
const ADMIN = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    denied    denied    denied    denied    ok        expired  auth
  foreign         auth    denied    denied    denied    denied    ok        expired  auth
  absent          auth    denied    denied    denied    denied    hidden    expired  auth
`);

/** Whoever is signed in; a plan of the catalogue is everyone's. */
const SIGNED_IN = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    ok        ok        ok        ok        ok        expired  auth
  absent          auth    hidden    hidden    hidden    hidden    hidden    expired  auth
`);

/** A personal token belongs to whoever made it; not even an admin's path leads to it. */
const OWN_TOKEN = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             auth    ok        ok        ok        ok        ok        expired  auth
  foreign         auth    no child  no child  no child  no child  no child  expired  auth
  absent          auth    no child  no child  no child  no child  no child  expired  auth
`);

/** No token is needed, and none is looked at. */
const ANYONE = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             ok      ok        ok        ok        ok        ok        ok       ok
`);

/** The first admin is there already. */
const SET_UP = table(`
                  nobody  owner     viewer    manager   stranger  admin     expired  revoked
  own             denied  denied    denied    denied    denied    denied    denied   denied
`);

/** A notification is nobody's business but of the user it tells: to others it is not there. */
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

  listUsers: ADMIN,
  countUsers: ADMIN,
  createUser: ADMIN,
  getUser: SELF,
  updateUser: SELF,
  deleteUser: ADMIN,

  listDevices: SIGNED_IN,
  countDevices: SIGNED_IN,
  createDevice: SIGNED_IN,
  listDeletedDevices: ADMIN,
  getDevice: VIEW,
  getDeviceAccess: VIEW,
  updateDevice: MANAGE,
  deleteDevice: OWN,
  restoreDevice: RESTORE,
  rotateDeviceKey: OWN,
  revokeDeviceKey: OWN,
  listUserDevices: SELF,
  countUserDevices: SELF,
  createUserDevice: SELF,

  listShares: OWN,
  countShares: OWN,
  createShare: OWN,
  getShare: OWN,
  updateShare: OWN,
  // The owner ends any share, everyone else their own.
  deleteShare: VIEW,
  deleteShares: OWN,

  getDeviceConfig: VIEW,
  updateDeviceConfig: MANAGE,

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
  listQuarantine: VIEW,
  countQuarantine: VIEW,

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
  updatePoint: MANAGE,
  deletePoint: OWN,
  deletePoints: OWN,

  listNotificationTriggers: VIEW,
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

  listGeofences: SELF,
  countGeofences: SELF,
  createGeofence: SELF,
  getGeofence: SELF,
  updateGeofence: SELF,
  deleteGeofence: SELF,
  deleteGeofences: SELF,
  listDevicesInside: SELF,

  setupSqsForwarding: MANAGE,
  setupSqsForwardingByPost: MANAGE,
  listForwarders: MANAGE,
  countForwarders: MANAGE,
  createForwarder: MANAGE,
  getForwarder: MANAGE,
  updateForwarder: MANAGE,
  deleteForwarder: MANAGE,
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
  getWebhookSecret: SELF_ALONE,
  rotateWebhookSecret: SELF_ALONE,
  listAllDestinations: ADMIN,
  reopenAnyDestination: ADMIN,

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
  getDevicePlan: VIEW,
  setDevicePlan: OWN,
  endDevicePlan: OWN,

  listWhereabouts: SELF,
  getServerInfo: ANYONE,
  getHealth: ADMIN,
};

/** Columns are set apart by two blanks or more, since some words hold one. */
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
