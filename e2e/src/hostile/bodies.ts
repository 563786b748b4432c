import assert from 'node:assert/strict';
import type { OperationName } from '@trackway/contract/operations.ts';
import type { Api } from '../harness/api.ts';
import { makePerson, PASSWORD, type Person } from '../harness/people.ts';
import { SoftPasskey } from '../harness/soft-passkey.ts';
import type { Station, Voice } from '../harness/station.ts';

/** A valid call of an operation with a body, before one field of the body is made invalid. */
export interface Call {
  readonly path: string;
  readonly token?: string;
  readonly body?: object;
  /** Where to read the object afterwards; it must exist, and no refused call may have changed it. */
  readonly seenAt?: string;
  /** There is no such object: what is read of the body is all that is tried. */
  readonly isAbsent?: true;
}

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';
const READING = { type: 'temp', value: 1 };
const reportOn = (deviceId: number) => ({
  deviceId,
  dateRange: ['2026-01-01', '2026-01-02'],
  parameters: { tz: 'UTC' },
});
const TRIGGER = { type: 'speed', parameters: { limit: 80 } };

async function passkeyOf(api: Api, { token }: Person): Promise<number> {
  const headers = { origin: 'http://localhost:1' };
  const options = (await api('POST', '/api/users/passkeys/options', { token, headers, body: {} })).body;
  const body = { name: 'Phone', response: new SoftPasskey().create(options, headers.origin) };
  return (await api('POST', '/api/users/passkeys', { token, headers, body })).body.id;
}

/** The device says something, of which its owner is notified. */
async function notificationOf(api: Api, owner: Voice, device: number): Promise<number> {
  await owner.make(`/devices/${device}/notificationTriggers`, { type: 'newMsg' });
  const { deviceKey } = await owner.make(`/devices/${device}/key`);
  const said = await api('POST', '/ingest/reports', { token: deviceKey, body: { messages: [{ message: 'hello' }] } });
  assert.equal(said.status, 200, said.text);
  const [notification] = (await owner.get(`/users/${owner.id}/notifications`)).body;
  return notification.id;
}

/** One call for each operation with a body; the test compares the list with the contract's. */
export async function callsWithBodies(api: Api, station: Station): Promise<Partial<Record<OperationName, Call>>> {
  const { admin, owner, device } = station;
  const scratch = await makePerson(api, admin, 'scratch');
  const friend = await makePerson(api, admin, 'friend');
  const service = await admin.make('/serviceAccounts', { name: 'hostile' });
  const plan = await admin.make('/plans', { name: 'hostile', sku: 'hostile' });
  await admin.make(`/users/${owner.id}/plans`, { planId: plan.id, count: 100_000 });
  const under = (who: Voice, collection: string, body: object) => ({
    create: { path: `/api${collection}`, token: who.token, body },
    async update(): Promise<Call> {
      const { id } = await who.make(collection, body);
      const path = `/api${collection}/${id}`;
      return { path, token: who.token, seenAt: path };
    },
  });
  const sightings = under(owner, `/devices/${device}/gatewayReadings`, READING);
  const sensed = under(owner, `/devices/${device}/readings`, READING);
  const points = under(owner, `/devices/${device}/points`, { location: { lat: 1, lng: 2 } });
  const triggers = under(owner, `/devices/${device}/notificationTriggers`, TRIGGER);
  const messages = under(owner, `/devices/${device}/messages`, { message: 'hello' });
  const fences = under(owner, `/users/${owner.id}/geofences`, { center: { lat: 1, lng: 2 }, radius: 5 });
  const shares = under(owner, `/devices/${device}/shares`, { email: friend.email });
  const groups = under(owner, `/users/${owner.id}/groups`, { name: 'Fleet' });
  const group = (await groups.update()).path;
  const groupShares = under(owner, `${group.replace('/api', '')}/shares`, { email: friend.email });
  const groupId = Number(group.split('/').at(-1));
  const groupLinks = under(owner, `/users/${owner.id}/groupLinks`, { groupId });
  const rules = under(owner, `/users/${owner.id}/rules`, { ...TRIGGER, appliesTo: 'tag', tag: 'none' });
  const imports = under(owner, `/devices/${device}/imports`, { name: 'track.gpx', format: 'gpx' });
  const kept = under(owner, `/users/${owner.id}/savedReports`, { name: 'Week', kind: 'days', period: 'lastWeek' });
  const drivers = under(owner, `/users/${owner.id}/drivers`, { name: 'Jo', tags: ['A1'] });
  const { id: driver } = await owner.make(`/users/${owner.id}/drivers`, { name: 'Jane' });
  const tasks = under(owner, `/devices/${device}/maintenanceTasks`, { name: 'Oil', everyKm: 10 });
  const { id: task } = await owner.make(`/devices/${device}/maintenanceTasks`, { name: 'Oil', everyKm: 10 });
  const views = under(owner, `/users/${owner.id}/savedViews`, { page: 'devices', name: 'Low', settings: {} });
  const forwarders = under(owner, `/devices/${device}/forwarders`, { kind: 'mqtt' });
  const links = under(owner, `/devices/${device}/links`, { expiresAt: 'never' });
  const { id: linked } = await owner.make(`/devices/${device}/links`, {});
  await owner.post(`/devices/${device}/setupSqsForwarding`, { sqsArn: ARN });
  const [queue] = (await admin.get('/queues')).body;
  const commanded = `/api/devices/${device}`;
  // Of a device that no other call gives another mode.
  const { id: resting } = await owner.make('/devices', { name: 'resting' });
  const { id: mode } = await owner.make(`/devices/${resting}/sleep`, {});
  const transient = `/api/devices/${resting}/transients/${mode}`;
  const ntrip = { hostname: 'caster.example.com', portNum: 2101, mountpoint: 'M' };
  await owner.make(`/devices/${device}/setMetaItem`, { key: 'rtk', value: true });
  const plans = under(admin, '/plans', {});
  const own = { token: owner.token };
  const config = `/api/devices/${device}/config`;
  const fenceV2 = (await fences.update()).path.replace('/api/', '/v2/');
  const list = (await api('PUT', '/v2/users/0/geofenceLists', { ...own, body: { name: 'Depots', color: 'red' } })).body;
  return {
    login: { path: '/api/users/login', body: { email: 'no one', password: PASSWORD } },
    loginV2: { path: '/v2/users/login', body: { username: 'no one', password: PASSWORD } },
    refreshToken: {
      path: '/v2/users/refreshToken',
      body: { accessToken: 'a', refreshToken: 'b', refreshable: 0 },
    },
    setUp: { path: '/api/setup', body: { token: 'guess', email: 'a@example.org', password: PASSWORD } },
    eraseDevice: { path: `/api/devices/${device}/erase`, token: owner.token, body: { name: 'not its name' } },
    eraseUser: {
      path: `/api/users/${scratch.id}/erase`,
      token: scratch.token,
      body: { email: 'not-its-address@example.org' },
    },
    changePassword: {
      path: '/api/users/change-password',
      token: scratch.token,
      body: { oldPassword: PASSWORD, newPassword: PASSWORD },
    },
    beginAuthenticator: { path: '/api/users/second-factor/authenticator', token: scratch.token, body: {} },
    confirmAuthenticator: {
      path: '/api/users/second-factor/authenticator/confirm',
      token: scratch.token,
      body: { code: '1' },
    },
    confirmSignIn: { path: '/api/users/confirm-sign-in', token: scratch.token, body: { code: '1' } },
    removeAuthenticator: {
      path: '/api/users/second-factor/authenticator/remove',
      token: scratch.token,
      body: { code: '1' },
    },
    createRecoveryCodes: { path: '/api/users/second-factor/recovery-codes', token: scratch.token, body: { code: '1' } },
    createServiceAccount: { path: '/api/serviceAccounts', token: admin.token, body: { name: 'Script' } },
    createServiceToken: {
      path: `/api/serviceAccounts/${service.id}/tokens`,
      token: admin.token,
      body: { description: 'Script' },
    },
    beginPasskey: { path: '/api/users/passkeys/options', token: scratch.token, body: {} },
    createPasskey: { path: '/api/users/passkeys', token: scratch.token, body: { name: 'x', response: {} } },
    updatePasskey: { path: `/api/users/passkeys/${await passkeyOf(api, scratch)}`, token: scratch.token },
    createPersonalAccessToken: { path: '/v2/users/personalAccessTokens', ...own, body: { description: 'script' } },
    // An invalid address, so that no password is hashed for each of a thousand bodies.
    createUser: { path: '/api/users', token: admin.token, body: { email: 'nowhere', password: PASSWORD } },
    updateUser: { path: `/api/users/${scratch.id}`, token: admin.token, seenAt: `/api/users/${scratch.id}` },
    // Mail is not set up here, so all are refused after their bodies were read.
    requestPasswordReset: { path: '/api/users/reset', body: { email: 'nobody@example.org' } },
    resetPassword: { path: '/api/users/reset-password', body: { token: 'guess', newPassword: PASSWORD } },
    confirmEmail: { path: '/api/users/confirm', body: { token: 'guess' } },
    answerMailRequest: { path: '/api/mail/answer', body: { token: 'guess', allow: true } },
    createInvitation: { path: '/api/invitations', token: admin.token, body: { email: 'new@example.org' } },
    acceptInvitation: { path: '/api/invitations/accept', body: { token: 'guess', password: PASSWORD } },
    createDevice: { path: '/api/devices', ...own, body: {} },
    identifyTracker: { path: '/api/trackers/identify', ...own, body: { data: '7878' } },
    createUserDevice: { path: `/api/users/${owner.id}/devices`, ...own, body: {} },
    updateDevice: { path: `/api/devices/${device}`, ...own, seenAt: `/api/devices/${device}` },
    updateDeviceConfig: { path: config, ...own, seenAt: config },
    addTrackers: { path: '/api/devices/trackers', ...own, body: { identifiers: ['hostile-tracker'] } },
    approveDeviceIdentity: {
      path: `/api/devices/${device}/identity`,
      token: admin.token,
      body: { identifier: 'none' },
    },
    setDeviceSecret: { path: `/api/devices/${device}/secret`, ...own, body: { secret: 'correct horse' } },
    createShare: shares.create,
    updateShare: await shares.update(),
    createDeviceGroup: groups.create,
    updateDeviceGroup: await groups.update(),
    addDeviceGroupDevices: { path: `${group}/addDevices`, ...own, body: { ids: [device] } },
    removeDeviceGroupDevices: { path: `${group}/removeDevices`, ...own, body: { ids: [device] } },
    createDeviceGroupShare: groupShares.create,
    updateDeviceGroupShare: { ...(await groupShares.update()), seenAt: undefined },
    createRule: rules.create,
    updateRule: await rules.update(),
    readNotifications: { path: `/api/users/${owner.id}/notifications/read`, ...own, body: { upTo: 1 } },
    acknowledgeNotification: {
      path: `/api/notifications/${await notificationOf(api, owner, device)}/acknowledge`,
      ...own,
      body: { note: 'seen to' },
    },
    createGatewayReading: sightings.create,
    updateGatewayReading: await sightings.update(),
    createReading: sensed.create,
    updateReading: await sensed.update(),
    createPoint: points.create,
    updatePoint: await points.update(),
    createNotificationTrigger: triggers.create,
    updateNotificationTrigger: await triggers.update(),
    tryTrigger: { path: `/api/devices/${device}/notificationTriggers/try`, ...own, body: TRIGGER },
    vehicleSummary: { path: '/api/reports/vehicle-summary', ...own, body: reportOn(device) },
    fleetReport: { path: '/api/reports/fleet', ...own, body: { kind: 'days', from: '2026-01-01', to: '2026-01-02' } },
    fleetReportFile: {
      path: '/api/reports/fleet/file',
      ...own,
      body: { kind: 'days', from: '2026-01-01', to: '2026-01-02', format: 'xlsx' },
    },
    vehicleActivity: { path: '/api/reports/activity', ...own, body: reportOn(device) },
    createMessage: messages.create,
    updateMessage: await messages.update(),
    updateTransient: { path: transient, ...own, seenAt: transient },
    setMetaItemByPost: { path: `${commanded}/setMetaItem`, ...own, body: { key: 'color', value: 'red' } },
    changeTags: { path: '/api/devices/changeTags', ...own, body: { ids: [device], tagEdits: [{ tag: 'a:1' }] } },
    setTag: { path: `/v2/devices/${device}/tags/depot`, ...own, body: { value: 'north' } },
    requestFirmwareUpdate: { path: `/v2/devices/${device}/firmware/update`, ...own, body: { build: '12' } },
    flightModeByPost: { path: `${commanded}/flightMode`, ...own, body: { duration: 5 } },
    sleepDeviceByPost: { path: `${commanded}/sleep`, ...own, body: {} },
    wakeUpDeviceByPost: { path: `${commanded}/wakeUp`, ...own, body: {} },
    queueRtkUpdateRateByPost: { path: `${commanded}/queueRtkCmd_UpdateRateMs`, ...own, body: { intervalMs: 100 } },
    queueRtkAlertByPost: { path: `${commanded}/queueRtkCmd_AlertNow`, ...own, body: { alertValue: 1 } },
    queueRtkPromptByPost: {
      path: `${commanded}/queueRtkCmd_AlertWithPrompt`,
      ...own,
      body: { alertValue: 1, prompt: 'Stop?' },
    },
    queueRtkRebootByPost: { path: `${commanded}/queueRtkCmd_RebootRtk`, ...own, body: {} },
    queueRtkBufferSizeByPost: { path: `${commanded}/queueRtkCmd_SetPointBufferSize`, ...own, body: { maxPoints: 9 } },
    updateRtkBaseStatusByPost: { path: `${commanded}/updateRtkBaseStatus`, ...own, body: { online: false } },
    setNtripSettingsByPost: { path: `${commanded}/setNtripSettings`, ...own, body: { settings: ntrip } },
    createGeofence: fences.create,
    updateGeofence: await fences.update(),
    setSafeZone: { path: `/api/devices/${device}/setSafeZone`, ...own },
    createGeofenceV2: { path: '/v2/users/0/geofences', ...own },
    updateGeofenceV2: { ...own, path: fenceV2, seenAt: fenceV2 },
    createGeofenceList: { path: '/v2/users/0/geofenceLists', ...own, body: { name: 'Depots', color: 'red' } },
    updateGeofenceList: {
      path: `/v2/users/0/geofenceLists/${list.id}`,
      ...own,
      seenAt: `/v2/users/0/geofenceLists/${list.id}`,
    },
    shareGeofenceList: { path: `/v2/users/0/geofenceLists/${list.id}/share`, ...own },
    setupSqsForwardingByPost: { path: `/api/devices/${device}/setupSqsForwarding`, ...own, body: { sqsArn: ARN } },
    createForwarder: forwarders.create,
    updateForwarder: await forwarders.update(),
    // An end that is none, so that a thousand bodies do not make a thousand links.
    createLink: links.create,
    updateLink: {
      ...own,
      path: `/api/devices/${device}/links/${linked}`,
      seenAt: `/api/devices/${device}/links/${linked}`,
    },
    createGroupLink: { path: `/api/users/${owner.id}/groupLinks`, ...own, body: { groupId, expiresAt: 'never' } },
    updateGroupLink: { ...(await groupLinks.update()) },
    openLink: { path: '/api/links/open', body: { handle: 'a guess', secret: 'a guess' } },
    requestQueueProof: { path: '/api/queues/proofs', ...own, body: { arn: ARN } },
    proveQueue: { path: '/api/queues/proofs/confirm', ...own, body: { arn: ARN, code: 'a guess' } },
    updateQueue: { path: `/api/queues/${queue.id}`, token: admin.token },
    createHistoryImport: imports.create,
    addImportedPoints: {
      path: `/api/devices/${device}/imports/${(await owner.make(`/devices/${device}/imports`, {})).id}/points`,
      ...own,
      body: { first: 0, points: [[Date.UTC(2020, 0, 1), 1, 2]] },
    },
    createSavedReport: kept.create,
    updateSavedReport: await kept.update(),
    createDriver: drivers.create,
    updateDriver: await drivers.update(),
    signOnDriver: { path: `/api/devices/${device}/driver`, ...own, body: { driverId: driver } },
    updateVehicle: { ...own, path: `/v2/devices/${device}/vehicle`, seenAt: `/v2/devices/${device}/vehicle` },
    createMaintenanceTask: tasks.create,
    updateMaintenanceTask: await tasks.update(),
    completeMaintenanceTask: {
      path: `/api/devices/${device}/maintenanceTasks/${task}/done`,
      ...own,
      body: { note: 'Done' },
    },
    createSavedView: views.create,
    updateSavedView: await views.update(),
    // Invalid keys, so that a thousand bodies do not create a thousand subscriptions.
    createPushSubscription: {
      path: `/api/users/${owner.id}/pushSubscriptions`,
      ...own,
      body: { endpoint: 'https://push.example.com/x', keys: { p256dh: 'x', auth: 'y' } },
    },
    testChannels: {
      path: `/v2/users/${owner.id}/deliveries/test`,
      token: owner.token,
      body: { delivery: { email: true } },
    },
    resendDeliveries: {
      path: `/api/users/${owner.id}/deliveries/resend`,
      ...own,
      body: { from: '2026-01-01', to: '2026-01-02' },
    },
    releaseDeviceQuarantine: { path: `/api/devices/${device}/quarantine/release`, ...own, body: { reason: 'no time' } },
    discardDeviceQuarantine: { path: `/api/devices/${device}/quarantine/discard`, ...own, body: { reason: 'no time' } },
    releaseQuarantine: { path: '/api/quarantine/release', token: admin.token, body: { reason: 'no time' } },
    discardQuarantine: { path: '/api/quarantine/discard', token: admin.token, body: { reason: 'no time' } },
    // There is no unknown tracker here.
    addUnknownTracker: { path: '/api/unknownTrackers/1/device', token: admin.token, body: {}, isAbsent: true },
    sendCommand: { path: `${commanded}/commands`, ...own, body: { command: 'position' } },
    setUpChannel: { path: '/api/channels', token: admin.token, body: { channel: 'telegram', values: {} } },
    testChannel: { path: '/api/channels/test', token: admin.token, body: { channel: 'email' } },
    chooseMap: { path: '/api/maps', token: admin.token, body: { choice: 'world' } },
    setNetworkAccess: { path: '/api/reach', token: admin.token, body: { isOpen: false } },
    createPlan: plans.create,
    updatePlan: { path: `/api/plans/${plan.id}`, token: admin.token, seenAt: `/api/plans/${plan.id}` },
    createPlanCredit: { path: `/api/users/${owner.id}/plans`, token: admin.token, body: { planId: plan.id } },
    buyPlans: { path: '/v2/users/buyPlans', token: admin.token, body: { currency: 'eur', products: { hostile: 1 } } },
    claimDevice: { path: '/v2/users/claimDevice', ...own, body: { serial: 'none' } },
    putPlanOfDevice: { path: `/v2/devices/${device}/plan`, ...own, body: { planId: plan.id } },
    putPlanOfDevices: { path: '/v2/devices/plan', ...own, body: { deviceIdentifiers: ['none'], planId: plan.id } },
    setDevicePlan: { path: `/api/devices/${device}/plan`, ...own, body: { planId: plan.id } },
  };
}
