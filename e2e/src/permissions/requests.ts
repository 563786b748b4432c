import type { Operation } from '@trackway/contract/operation.ts';
import { OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { logIn, makePerson, PASSWORD } from '../harness/people.ts';
import type { Caller, Outcome, Target } from './expectations.ts';
import { isAboutLists, listRequest } from './list-requests.ts';
import { isAboutSigningIn, signingInRequest } from './signing-in-requests.ts';
import { ABSENT, makeForeignDevice, makeOwnDevice, type World } from './world.ts';

/** A call that succeeds for a caller with the right. */
export interface Request {
  readonly path: string;
  readonly token: string | undefined;
  readonly body: object | undefined;
  readonly headers?: Record<string, string>;
  /** The ids in the path: errors name one of them. */
  readonly parent: number | undefined;
  readonly child: number | string | undefined;
}

const READING = { type: 'temp', value: 21.5 };
const TRIGGER = { type: 'newLoc' };
const FORWARDER = { kind: 'mqtt' };
const LINK = { trail: true };
const BROWSER = {
  endpoint: 'https://push.example.com/a-browser',
  keys: { p256dh: Buffer.alloc(65, 4).toString('base64url'), auth: Buffer.alloc(16, 1).toString('base64url') },
};

const TASK = { name: 'Oil change', everyKm: 15_000 };
const VIEW = { page: 'devices', name: 'Low batteries', settings: { battery: 'low' } };

const ZONE = {
  data: [
    { lat: 1, lng: 1 },
    { lat: 1, lng: 2 },
    { lat: 2, lng: 2 },
  ],
};

/** Collections under a parent, and the body that creates a member. */
const CHILDREN: Record<string, object> = {
  gatewayReadings: READING,
  readings: READING,
  points: { location: { lat: 1, lng: 2 } },
  messages: { message: 'hello' },
  notificationTriggers: TRIGGER,
  geofences: { name: 'home' },
  forwarders: FORWARDER,
  pushSubscriptions: BROWSER,
  groups: { name: 'fleet' },
  rules: { ...TRIGGER, appliesTo: 'tag', tag: 'none' },
  links: LINK,
  savedViews: VIEW,
  savedReports: { name: 'Week', kind: 'days', period: 'lastWeek' },
  maintenanceTasks: TASK,
  drivers: { name: 'Jo' },
  imports: { format: 'gpx' },
};

/** Bodies of the calls that need one and can be sent twice. */
const BODIES: Partial<Record<OperationName, object>> = {
  updateUser: { name: 'renamed' },
  createPersonalAccessToken: { description: 'for a test' },
  setUp: { token: 'a guess', email: 'intruder@example.org', password: PASSWORD },
  createDevice: { name: 'new' },
  addTrackers: { identifiers: ['new-tracker'] },
  createUserDevice: { name: 'new' },
  updateDevice: { name: 'renamed' },
  updateShare: { rights: 'manage' },
  updateDeviceConfig: { interval: 77 },
  createGatewayReading: READING,
  updateGatewayReading: { value: 99 },
  createReading: READING,
  updateReading: { value: 99 },
  createPoint: { location: { lat: 3, lng: 4 } },
  updatePoint: { speed: 99 },
  createNotificationTrigger: TRIGGER,
  tryTrigger: TRIGGER,
  updateNotificationTrigger: { name: 'renamed' },
  createRule: { ...TRIGGER, appliesTo: 'tag', tag: 'none' },
  updateRule: { name: 'renamed' },
  createDeviceGroup: { name: 'new' },
  updateDeviceGroup: { name: 'renamed' },
  updateDeviceGroupShare: { rights: 'manage' },
  readNotifications: { upTo: 1 },
  acknowledgeNotification: { note: 'seen to' },
  createMessage: { message: 'new' },
  updateMessage: { message: 'changed' },
  sendCommand: { command: 'position' },
  identifyTracker: { data: '7878' },
  addUnknownTracker: {},
  createGeofence: { name: 'new' },
  updateGeofence: { name: 'renamed' },
  setSafeZone: ZONE,
  createForwarder: FORWARDER,
  updateForwarder: { types: ['newMsg'] },
  updateQueue: { allowed: [] },
  requestQueueProof: { arn: 'arn:aws:sqs:eu-west-1:123456789012:to-prove' },
  proveQueue: { arn: 'arn:aws:sqs:eu-west-1:123456789012:to-prove', code: 'a guess' },
  createPushSubscription: BROWSER,
  fleetReport: { kind: 'summary', from: '2026-01-01', to: '2026-01-02' },
  fleetReportFile: { kind: 'summary', from: '2026-01-01', to: '2026-01-02' },
  createLink: LINK,
  updateLink: { trail: false },
  updateGroupLink: { trail: false },
  openLink: { handle: 'a guess', secret: 'a guess' },
  createSavedView: VIEW,
  createSavedReport: { name: 'Week', kind: 'days', period: 'lastWeek' },
  updateSavedReport: { name: 'renamed' },
  createDriver: { name: 'Jo' },
  updateDriver: { name: 'renamed' },
  updateVehicle: { plate: 'B-TW 1' },
  createMaintenanceTask: TASK,
  updateMaintenanceTask: { name: 'renamed' },
  completeMaintenanceTask: { note: 'done' },
  createHistoryImport: { format: 'gpx' },
  addImportedPoints: { first: 0, points: [[Date.UTC(2020, 0, 1), 1, 2]] },
  updateSavedView: { name: 'renamed' },
  setMetaItemByPost: { key: 'color', value: 'red' },
  setTag: { value: 'north' },
  requestFirmwareUpdate: { build: '12' },
  flightModeByPost: { duration: 5 },
  sleepDeviceByPost: {},
  wakeUpDeviceByPost: {},
  updateTransient: { duration: 7 },
  queueRtkUpdateRateByPost: { intervalMs: 100 },
  queueRtkAlertByPost: { alertValue: 1 },
  queueRtkPromptByPost: { alertValue: 1, prompt: 'Stop?' },
  queueRtkRebootByPost: {},
  queueRtkBufferSizeByPost: { maxPoints: 10 },
  updateRtkBaseStatusByPost: { online: false },
  setNtripSettingsByPost: { settings: { hostname: 'caster.example.com', portNum: 2101, mountpoint: 'M' } },
  testChannels: { delivery: { email: true } },
  resendDeliveries: { from: '2026-01-01', to: '2026-01-02' },
  updatePlan: { displayName: 'renamed' },
  setDeviceSecret: { secret: 's3cret' },
  requestPasswordReset: { email: 'nobody@example.org' },
  resetPassword: { token: 'a guess', newPassword: PASSWORD },
  confirmEmail: { token: 'a guess' },
  answerMailRequest: { token: 'a guess', allow: true },
  acceptInvitation: { token: 'a guess', password: PASSWORD },
  createInvitation: { email: 'invited@example.org' },
  createServiceToken: { description: 'Script' },
  chooseMap: { choice: 'world' },
  setUpChannel: { channel: 'telegram', values: {} },
  testChannel: { channel: 'email' },
  setNetworkAccess: { isOpen: false },
};

const EVER = `dateRange=${encodeURIComponent('[null,null]')}`;

/** Queries of the calls that need one. */
const QUERIES: Partial<Record<OperationName, string>> = {
  setMetaItem: 'key=color&value=red',
  flightMode: 'duration=5',
  queueRtkUpdateRate: 'intervalMs=100',
  queueRtkAlert: 'alertValue=1',
  queueRtkPrompt: 'alertValue=1&prompt=Stop',
  queueRtkBufferSize: 'maxPoints=10',
  updateRtkBaseStatus: 'online=false',
  setNtripSettings: `settings=${encodeURIComponent('{"hostname":"caster.example.com","portNum":2101,"mountpoint":"M"}')}`,
  heatMap: 'from=2026-01-01&to=2026-01-02&west=0&south=0&east=1&north=1',
  getDevicesInZone: 'zoneType=safe',
  namePlace: 'lat=52.5&lng=13.4',
  searchPlaces: 'text=Newtown',
  getDevicesByTag: 'tag=%25',
  listTrails: 'deviceIds=1',
  getRecentActivity: EVER,
  nearbyDeviceData: `nearbyId=7&${EVER}`,
};

/** A new queue for each call, because a queue belongs to the user who used it first. */
const newQueue = () => `arn:aws:sqs:eu-west-1:123456789012:${unique('queue')}`;

let made = 0;
function unique(word: string): string {
  made += 1;
  return `${word}-${made}`;
}

/** Builds a call. A call that must succeed gets its own objects, so that no call affects another. */
export async function requestFor(
  world: World,
  name: OperationName,
  caller: Caller,
  target: Target,
  outcome: Outcome,
): Promise<Request> {
  const operation: Operation = OPERATIONS[name];
  if (outcome === 'ok' && isAboutSigningIn(name)) return signingInRequest(world, name, caller);
  if (isAboutLists(name)) return listRequest(world, name, caller, target);
  const parent = await parentOf(world, name, operation, caller, target, outcome);
  const hasChild = /\{(fk|name)\}/.test(operation.path);
  const child = hasChild ? await childOf(world, operation, caller, target, parent) : undefined;
  if (name === 'getSafeZone' && outcome === 'ok') await world.asAdmin('POST', `/devices/${parent}/setSafeZone`, ZONE);
  const query = await queryFor(world, name, parent, outcome);
  return {
    path:
      pathOf(operation, parent, child).replace(
        '{shareid}',
        String(outcome === 'ok' ? await groupShareOf(world, name, parent, child) : ABSENT),
      ) + query,
    token:
      ((name === 'endSessions' || name === 'eraseUser') && signedOut.get(parent!)) ||
      (await tokenFor(world, name, caller, outcome)),
    body: isOfOneDevice(operation) ? reportOn(parent) : await bodyFor(world, name, outcome, parent),
    parent,
    child,
  };
}

/** Whether it is a report on the one device that its body names. */
export const isOfOneDevice = ({ path }: Operation) =>
  path.startsWith('/reports/') && !path.startsWith('/reports/fleet');

const reportOn = (deviceId: number | undefined) => ({ deviceId, dateRange: ['2026-01-01', '2026-01-02'] });

const pathOf = ({ path }: Operation, parent: number | undefined, child: number | string | undefined) =>
  path
    .replace(/\{(id|userid)\}/, String(parent))
    .replace(/\{(fk|name)\}/, String(child))
    .replace('timeline/{type}', 'timeline/datapoint');

async function queryFor(world: World, name: OperationName, parent: number | undefined, outcome: Outcome) {
  if (name === 'setupSqsForwarding') return `?sqsArn=${newQueue()}`;
  if (name === 'getRtkCommand') return `?messageId=${outcome === 'ok' ? await rtkCommandOf(world, parent!) : 1}`;
  const query = QUERIES[name];
  return query === undefined ? '' : `?${query}`;
}

const rtkCommandOf = async (world: World, device: number): Promise<number> =>
  (await world.asAdmin('POST', `/devices/${device}/queueRtkCmd_RebootRtk`, {})).body.messageId;

async function parentOf(
  world: World,
  name: OperationName,
  { path, method, changes }: Operation,
  caller: Caller,
  target: Target,
  outcome: Outcome,
): Promise<number | undefined> {
  const isReport = isOfOneDevice(OPERATIONS[name]);
  if (!path.includes('{') && !isReport && name !== 'changeTags') return undefined;
  if (target === 'absent') return ABSENT;
  const foreign = target === 'foreign';
  if (isReport) return foreign ? world.foreignDevice : world.device;
  if (path.startsWith('/devices/')) {
    if (name === 'restoreDevice') return deletedDevice(world, foreign);
    const spoils = outcome === 'ok' && (method !== 'GET' || changes === true);
    if (spoils) return foreign ? makeForeignDevice(world) : makeOwnDevice(world);
    return foreign ? world.foreignDevice : world.device;
  }
  if (path.startsWith('/notifications/')) return notificationOf(world, foreign ? 'outsider' : caller, outcome);
  if (path.startsWith('/invitations/') || path.startsWith('/unknownTrackers/')) return ABSENT;
  if (path.startsWith('/queues/')) return queueOf(world, outcome);
  if (path.startsWith('/destinations/')) return outcome === 'ok' ? destinationOf(world, world.people.owner.id) : ABSENT;
  if (path.startsWith('/plans/')) return name === 'deletePlan' && outcome === 'ok' ? newPlan(world) : world.planId;
  if (path.startsWith('/users/personalAccessTokens/')) return personalToken(world, foreign ? 'outsider' : caller);
  if ((name === 'endSessions' || name === 'eraseUser') && outcome === 'ok')
    return personToSignOut(world, caller, foreign);
  if (name === 'deleteUser' && outcome === 'ok') return (await makePerson(world.api, world.people.admin, 'gone')).id;
  return foreign ? world.people.outsider.id : world.personOf(caller).id;
}

/** Of these a device may have a few only. */
const LIMITED = ['forwarders', 'links', 'imports', 'maintenanceTasks'];

async function childOf(
  world: World,
  operation: Operation,
  caller: Caller,
  target: Target,
  parent: number | undefined,
): Promise<number | string> {
  if (operation.path.includes('{name}')) return tagOf(world, target, parent!);
  if (target === 'absent' || target === 'absent child') return ABSENT;
  const [, kind, , collection] = operation.path.split('/') as [string, string, string, string];
  const { outsider } = world.people;
  const foreign = target === 'foreign child';
  const under = !foreign ? parent! : kind === 'users' ? outsider.id : world.foreignDevice;
  if (collection === 'transients') {
    // One of the same mode that waits would be replaced.
    const mode = foreign ? 'sleep' : 'wakeUp';
    return (await world.asAdmin('POST', `/devices/${under}/${mode}`, { duration: 5 })).body.id;
  }
  if (collection === 'shares') return shareOf(world, under, caller);
  if (collection === 'sessions') return sessionOf(world, under);
  if (collection === 'destinations') return destinationOf(world, under);
  if (collection === 'deliveries') return deliveryOf(world, under);
  // A manager sees only their own triggers, forwarders and links.
  const isOwned = ['notificationTriggers', 'forwarders', 'links'].includes(collection);
  const makes = isOwned && !foreign && caller === 'manager' ? 'manager' : 'owner';
  const token = target === 'own' && isOwned ? world.people[makes].token : world.people.admin.token;
  const path = `/api/${kind}/${under}/${collection}`;
  const isFew = LIMITED.includes(collection);
  const [known] = isFew ? (await world.api('GET', path, { token })).body : [];
  if (known) return known.id;
  const body = collection === 'groupLinks' ? { groupId: await groupOf(world, under) } : CHILDREN[collection];
  const made = await world.api('POST', path, { token, body });
  if (operation.path.endsWith('/groups/{fk}/restore'))
    await world.asAdmin('DELETE', `/users/${under}/groups/${made.body.id}`);
  return made.body.id;
}

/** A group of a user. */
const groupOf = async (world: World, user: number): Promise<number> =>
  (await world.asAdmin('POST', `/users/${user}/groups`, CHILDREN.groups)).body.id;

/** A driver of the owner of a device. */
async function driverOf(world: World, device: number): Promise<number> {
  const { ownerId } = (await world.asAdmin('GET', `/devices/${device}`)).body;
  return (await world.asAdmin('POST', `/users/${ownerId}/drivers`, { name: 'Jo' })).body.id;
}

/** The name of a tag that the device of the target has. */
async function tagOf(world: World, target: Target, device: number): Promise<string> {
  if (target === 'absent' || target === 'absent child') return 'absent';
  const under = target === 'foreign child' ? world.foreignDevice : device;
  const name = target === 'foreign child' ? 'elsewhere' : 'depot';
  await world.api('PUT', `/v2/devices/${under}/tags/${name}?value=south`, { token: world.people.admin.token });
  return name;
}

/** A share of the group that the path names, where it is to be changed or ended. */
async function groupShareOf(world: World, name: OperationName, parent: number | undefined, child: unknown) {
  if (name !== 'updateDeviceGroupShare' && name !== 'deleteDeviceGroupShare') return ABSENT;
  const body = { email: `${unique('sharee')}@example.org` };
  return (await world.asAdmin('POST', `/users/${parent}/groups/${child}/shares`, body)).body.id ?? ABSENT;
}

/** Viewer and manager have one share each; for other callers the viewer's is used. */
async function shareOf(world: World, device: number, caller: Caller): Promise<number> {
  const { body } = await world.asAdmin('GET', `/devices/${device}/shares`);
  const own = body.find((share: { userId: number }) => share.userId === world.personOf(caller).id);
  return (own ?? body[0]).id;
}

/** The tokens of people who are signed out everywhere else, by their ids: nobody whom other calls need. */
const signedOut = new Map<number, string>();

async function personToSignOut(world: World, caller: Caller, foreign: boolean): Promise<number> {
  const person = await makePerson(world.api, world.people.admin, 'leaves', { admin: caller === 'admin' && !foreign });
  if (!foreign) signedOut.set(person.id, person.token);
  return person.id;
}

/** One more session of this user. */
async function sessionOf(world: World, userId: number): Promise<number> {
  const { email, password } = Object.values(world.people).find(({ id }) => id === userId)!;
  await logIn(world.api, email, password);
  return (await world.asAdmin('GET', `/users/${userId}/sessions`)).body[0].id;
}

async function deletedDevice(world: World, foreign: boolean): Promise<number> {
  const id = await (foreign ? makeForeignDevice(world) : makeOwnDevice(world));
  await world.asAdmin('DELETE', `/devices/${id}`);
  return id;
}

/** Presses the button on a device of this user; the notification is recorded soon after the point is stored. */
async function notificationOf(world: World, whose: Caller | 'outsider', outcome: Outcome): Promise<number> {
  if (outcome === 'auth' || outcome === 'expired') return ABSENT;
  const { id: userId, token } = whose === 'outsider' ? world.people.outsider : world.personOf(whose);
  const { id } = (await world.api('POST', '/api/devices', { token, body: { name: 'pressed' } })).body;
  await world.api('POST', `/api/devices/${id}/notificationTriggers`, { token, body: { type: 'button' } });
  await world.api('POST', `/api/devices/${id}/points`, { token, body: { alertType: 8 } });
  const { body } = await eventually(
    'the button is recorded',
    () => world.api('GET', `/api/devices/${id}/notifications`, { token }),
    (seen) => seen.body[0]?.userId === userId,
  );
  return body[0].id;
}

/** A webhook of this user at an address that cannot exist. */
async function destinationOf(world: World, userId: number): Promise<number> {
  const first = async () => (await world.asAdmin('GET', `/users/${userId}/destinations`)).body[0];
  const known = await first();
  if (known) return known.id;
  const { token } = Object.values(world.people).find(({ id }) => id === userId)!;
  const { id } = (await world.api('POST', '/api/devices', { token, body: { name: 'forwarded' } })).body;
  const body = { kind: 'http', target: 'https://nowhere.invalid/hook' };
  await world.api('POST', `/api/devices/${id}/forwarders`, { token, body });
  return (await first()).id;
}

/** A delivery that stays queued behind another, because its destination is down. */
async function deliveryOf(world: World, userId: number): Promise<number> {
  const path = `/users/${userId}/destinations/${await destinationOf(world, userId)}`;
  const test = async () => (await world.asAdmin('POST', `${path}/test`)).body.id;
  const destination = async () => (await world.asAdmin('GET', path)).body;
  if ((await destination()).waiting === 0) await test();
  await eventually('the destination is down', destination, ({ state }) => state === 'down');
  return test();
}

/** A queue that the owner uses. */
async function queueOf(world: World, outcome: Outcome): Promise<number> {
  if (outcome !== 'ok') return ABSENT;
  const { token } = world.people.owner;
  const sqsArn = newQueue();
  await world.api('POST', `/api/devices/${await makeOwnDevice(world)}/setupSqsForwarding`, { token, body: { sqsArn } });
  const { body } = await world.asAdmin('GET', '/queues');
  return body.find((queue: { arn: string }) => queue.arn === sqsArn).id;
}

async function newPlan(world: World): Promise<number> {
  return (await world.asAdmin('POST', '/plans', { name: unique('plan') })).body.id;
}

async function personalToken(world: World, whose: Caller | 'outsider'): Promise<number> {
  const { token } = whose === 'outsider' ? world.people.outsider : world.personOf(whose);
  const body = { description: 'for a test' };
  return (await world.api('POST', '/v2/users/personalAccessTokens', { token, body })).body.id;
}

/** A logout or password change uses a session, or an account, that no other call needs. */
async function tokenFor(world: World, name: OperationName, caller: Caller, outcome: Outcome) {
  if (outcome !== 'ok') return world.tokenOf(caller);
  const { api, people } = world;
  if (name === 'logout' || name === 'logoutV2') {
    const { email, password } = world.personOf(caller);
    return logIn(api, email, password);
  }
  if (name === 'changePassword')
    return (await makePerson(api, people.admin, 'changes', { admin: caller === 'admin' })).token;
  return world.tokenOf(caller);
}

async function bodyFor(
  world: World,
  name: OperationName,
  outcome: Outcome,
  parent: number | undefined,
): Promise<object | undefined> {
  const { guest, admin, outsider } = world.people;
  const credentials = { username: outsider.email, password: PASSWORD };
  switch (name) {
    case 'login':
    case 'loginV2':
      return credentials;
    case 'refreshToken': {
      const { body } = await world.api('POST', '/v2/users/login', { body: { ...credentials, refreshable: 60 } });
      return { accessToken: body.token, refreshToken: body.refreshToken, refreshable: 60 };
    }
    case 'changePassword':
      return { oldPassword: PASSWORD, newPassword: 'another password for tests' };
    case 'approveDeviceIdentity': {
      const identifier = unique('serial');
      if (outcome === 'ok') await world.asAdmin('PUT', `/devices/${parent}`, { serial: identifier });
      return { identifier };
    }
    case 'eraseDevice':
      return {
        name: outcome === 'ok' ? (await world.asAdmin('GET', `/devices/${parent}`)).body.name || String(parent) : 'x',
      };
    case 'eraseUser': {
      const email = outcome === 'ok' ? (await world.asAdmin('GET', `/users/${parent}`)).body.email : 'x@example.org';
      return { email, password: PASSWORD };
    }
    case 'createUser':
      return { email: `${unique('made')}@example.org`, password: PASSWORD };
    case 'addDeviceGroupDevices':
    case 'removeDeviceGroupDevices':
      return { ids: [outcome === 'ok' ? (await world.asAdmin('POST', `/users/${parent}/devices`, {})).body.id : 1] };
    case 'createGroupLink':
      return { groupId: outcome === 'ok' ? await groupOf(world, parent!) : 1 };
    case 'createDeviceGroupShare':
    case 'createShare':
      return { email: outcome === 'ok' ? (await makePerson(world.api, admin, 'friend')).email : guest.email };
    case 'signOnDriver':
      return { driverId: outcome === 'ok' ? await driverOf(world, parent!) : 1 };
    case 'setupSqsForwardingByPost':
      return { sqsArn: newQueue() };
    case 'changeTags':
      return { ids: [parent], tagEdits: [{ tag: 'depot:north' }] };
    case 'createPlan':
      return { name: unique('plan') };
    case 'putPlanOfDevices':
      return { deviceIdentifiers: ['no such device'], planId: world.planId };
    case 'claimDevice': {
      const serial = unique('serial');
      if (outcome === 'ok') await world.asAdmin('POST', '/devices', { serial, claimable: 'yes' });
      return { serial };
    }
    case 'buyPlans':
      return { currency: 'eur', products: { [world.sku]: 1 } };
    case 'createPlanCredit':
    case 'setDevicePlan':
    case 'putPlanOfDevice':
      return { planId: world.planId };
    default:
      return BODIES[name];
  }
}
