import assert from 'node:assert/strict';
import { FLEET_REPORTS, type FleetReportKind } from '@trackway/contract/resources/fleet-report.ts';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { startReceiver } from '../harness/receiver.ts';
import { connectTracker } from '../harness/tracker.ts';
import type { Bed } from './harness.ts';
import { until } from './until.ts';

/** What there is to see, and the pages that show it. */
/** The sheets of a device besides its first. */
export const DEVICE_SHEETS = [
  'day',
  'timeline',
  'readings',
  'heard',
  'messages',
  'config',
  'triggers',
  'maintenance',
  'forwarding',
  'access',
  'quarantine',
];

export interface Furnished {
  /** Every page of the console with something on it: a name for files, and its address. */
  readonly pages: readonly (readonly [name: string, path: string])[];
  end(): Promise<void>;
}

/** Webhooks of tests lie on this machine, which the service calls only where it is allowed to. */
export const ALLOWS_LOCAL = { TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' };

const MINUTE = 60_000;
/** The parameters that a report needs to have rows. */
const OF_KIND: Partial<Record<FleetReportKind, string>> = { speeding: '&limit=20' };

/**
 * Fills the account of the admin with one of everything, so that every page has something to show.
 * @param call what a thing is called; a test may want bad names
 */
export async function furnish(bed: Bed, call: (name: string) => string): Promise<Furnished> {
  const receiver = await startReceiver();
  try {
    return { pages: await pagesOf(bed, call, receiver.address), end: () => receiver.close() };
  } catch (error) {
    await receiver.close();
    throw error;
  }
}

async function pagesOf(bed: Bed, call: (name: string) => string, hook: string): Promise<Furnished['pages']> {
  const { admin } = bed;
  const { id: van, deviceKey } = await admin.make('/devices', {
    name: call('Van 3'),
    type: call('van'),
    tags: [call('cold'), call('north')],
    color: '#2f6fc4',
  });
  await admin.make('/devices', { name: call('Trailer'), type: call('trailer') });
  const depot = { name: call('Depot'), type: call('depot'), center: { lat: 52.1, lng: 5.1 }, radius: 300 };
  const { id: fence } = await admin.make('/users/me/geofences', { ...depot, meta: { color: '#b4540a' } });
  const { id: trigger } = await admin.make(`/devices/${van}/notificationTriggers`, {
    type: 'geoEntry',
    name: call('Home again'),
    parameters: { endpoint: hook, email: admin.email },
    delivery: { push: true, email: true, http: true },
  });
  await admin.make(`/devices/${van}/forwarders`, { kind: 'http', target: hook, types: ['newLoc'] });

  const list = await admin.client.createGeofenceList({ userid: 0, body: { name: call('Depots'), color: '#1f9d6b' } });
  await admin.client.putGeofenceOnList({ userid: 0, fenceid: fence, listid: list.id });
  await admin.client.shareGeofenceList({ userid: 0, listid: list.id, body: { email: 'anna@example.org' } });

  const { id: friend } = await admin.make('/users', {
    name: call('Anna Lindqvist'),
    // No hostile name can be one of these.
    username: 'anna',
    email: 'anna@example.org',
    password: 'a password for tests',
  });
  await admin.make(`/devices/${van}/shares`, { email: 'anna@example.org', rights: 'manage' });
  const { id: plan } = await admin.make('/plans', {
    name: call('basic').slice(0, 100),
    displayName: call('Basic'),
    description: call('A position every minute.'),
    features: call('Live map'),
    prices: { eur: [[1, 4.9]] },
  });
  await admin.make('/users/me/plans', { planId: plan, count: 3 });
  await admin.put(`/devices/${van}/plan`, { planId: plan });
  await admin.make(`/devices/${van}/messages`, { message: call('Come home'), direction: 'down' });
  const token = await bed.api('POST', '/v2/users/personalAccessTokens', {
    token: admin.token,
    body: { description: call('Backup script') },
  });
  assert.equal(token.status, 200, token.text);

  const { id: group } = await admin.make('/users/me/groups', { name: call('Vans') });
  await admin.make('/users/me/groups', { name: call('Cold vans'), parentId: group });
  await admin.make(`/users/me/groups/${group}/addDevices`, { ids: [van] });
  await admin.make(`/users/me/groups/${group}/shares`, { email: 'anna@example.org' });
  const { id: rule } = await admin.make('/users/me/rules', {
    type: 'speed',
    name: call('Too fast'),
    appliesTo: 'group',
    groupId: group,
    parameters: { limit: 90, endpoint: hook },
    delivery: { push: true, http: true, raw: true },
  });
  await admin.make(`/devices/${van}/links`, { trail: true, name: call('Van on tour') });
  await admin.make('/users/me/groupLinks', { groupId: group });
  const { id: task } = await admin.make(`/devices/${van}/maintenanceTasks`, {
    name: call('Oil change'),
    everyKm: 15_000,
  });
  await admin.make(`/devices/${van}/maintenanceTasks/${task}/done`, { note: call('At the garage'), odometer: 84_200 });
  await admin.make('/users/me/savedReports', { name: call('Kilometres'), kind: 'days', period: 'week' });
  const mailed = { kind: 'trips', period: 'lastWeek', every: 'week', groupId: group };
  const { id: saved } = await admin.make('/users/me/savedReports', { name: call('Trips of the week'), ...mailed });
  // No mail is sent here, which the page says.
  await admin.make(`/users/me/savedReports/${saved}/send`, {});
  const { id: driver } = await admin.make('/users/me/drivers', { name: call('Jane'), phone: '123', tags: ['01AB'] });
  await admin.make(`/devices/${van}/driver`, { driverId: driver });

  const tracker = await trackers(bed, call);
  await report(bed, deviceKey, call);
  // Rules evaluate what happens from their making on: it goes out of the gate, and comes back.
  for (const [lat, second] of [
    [52.108, 1],
    [52.1, 90],
  ] as const) {
    const timestamp = new Date(Date.now() + second * 1000).toISOString();
    await admin.make(`/devices/${van}/points`, { timestamp, location: { lat, lng: 5.1 }, accuracy: 5 });
  }
  const { id: notification } = await first(() => admin.get('/users/me/notifications'), 'it entered the depot');
  return [
    ['map', '/'],
    ['map-device', `/?device=${van}`],
    ['start', '/start'],
    ['welcome', '/welcome'],
    ['track-choose', '/track'],
    ['devices', '/devices'],
    ['device', `/devices/${van}`],
    ...DEVICE_SHEETS.map((sheet) => [`device-${sheet}`, `/devices/${van}/${sheet}`] as const),
    ['tracker-messages', `/devices/${tracker}/messages`],
    ['geofences', '/geofences'],
    ['geofence', `/geofences/${fence}`],
    ['geofence-new', '/geofences/new'],
    ['geofence-lists', '/geofences/lists'],
    ['geofence-list', `/geofences/lists/${list.id}`],
    ['notifications', '/notifications'],
    ['notification', `/notifications/${notification}`],
    ['alerts', '/alerts'],
    ['alert-new', `/alerts/new?device=${van}`],
    ['alert', `/alerts/${van}/${trigger}`],
    ['alert-group', `/alerts/rules/${rule}`],
    ['groups', '/groups'],
    ['group', `/groups/${group}`],
    ['links', '/links'],
    ['dashboard', '/dashboard'],
    ['wall', '/wall'],
    ...FLEET_REPORTS.map((kind) => [`report-${kind}`, `/reports?kind=${kind}${OF_KIND[kind] ?? ''}`] as const),
    ['reports-saved', '/reports/saved'],
    ['maintenance', '/maintenance'],
    ['drivers', '/drivers'],
    ['plans', '/plans'],
    ['tokens', '/tokens'],
    ['audit', '/audit'],
    ['outbox', '/outbox'],
    ['outbox-everyone', '/outbox?whose=all'],
    ['deliveries', '/outbox/deliveries?status=all'],
    ['users', '/users'],
    ['user', `/users/${friend}`],
    ['own-user', `/users/${admin.id}`],
    ['channels', '/channels'],
    ['health', '/health'],
    ['settings', '/settings'],
    ['not-found', '/nowhere'],
  ];
}

/** Half an hour on the road to the depot, what its sensors report, what it received by radio, and a position that cannot be true. */
async function report(bed: Bed, key: string, call: (name: string) => string): Promise<void> {
  const now = Date.now();
  const at = (minute: number) => new Date(now - (30 - minute) * MINUTE).toISOString();
  const points = Array.from({ length: 30 }, (_, minute) => ({
    timestamp: at(minute),
    location: { lat: 52.1 + Math.max(0, 20 - minute) * 0.004, lng: 5.1 + Math.max(0, 20 - minute) * 0.003 },
    accuracy: 6,
    speed: minute < 20 ? 32 : 0,
    battery: 90 - minute,
  }));
  const readings = [
    ...points.map(({ timestamp }, minute) => ({ type: 'temp', value: 4 + Math.sin(minute / 4), timestamp })),
    ...points.slice(0, 5).map(({ timestamp }, minute) => ({ type: call('door'), value: minute, timestamp })),
    { type: 'temp', value: 19, sensorDeviceId: call('AA:BB:CC:DD:EE:FF').slice(0, 64), rssi: -61, timestamp: at(29) },
  ];
  const wrong = [{ location: { lat: 99, lng: 5 }, timestamp: at(1) }];
  const answer = await bed.api('POST', '/ingest/reports', {
    headers: { authorization: key },
    body: { points: [...points, ...wrong], readings, messages: [{ message: call('On my way') }] },
  });
  assert.equal(answer.status, 200, answer.text);
}

/** A tracker with a command and an undecodable message, and an unknown one. */
async function trackers(bed: Bed, call: (name: string) => string): Promise<number> {
  const { admin, server } = bed;
  const [known, stranger] = [imeiOf(1), imeiOf(2)];
  const { id } = await admin.make('/devices', { name: call('Lorry'), imei: known, allowKeyless: true });
  const ends: (() => void)[] = [];
  const t = { after: (end: () => void) => void ends.push(end) } as Parameters<typeof connectTracker>[0];
  try {
    const lorry = await connectTracker(t, gt06, known, server.trackersPort);
    await lorry.logIn();
    lorry.report([{ timestamp: Date.now() - 10 * MINUTE, location: { lat: 52.2, lng: 5.2 }, speed: 0 }]);
    await lorry.confirmed(1);
    const broken = gt06.login!(known);
    broken[5]! ^= 0xff;
    lorry.say(broken);
    await admin.make(`/devices/${id}/commands`, { command: 'engineStop' });
    const other = await connectTracker(t, gt06, stranger, server.trackersPort);
    other.say(gt06.login!(stranger));
    await first(() => admin.get('/unknownTrackers'), 'an unknown tracker is listed');
    await first(() => admin.get('/undecoded-frames'), 'something is not understood');
    await first(() => admin.get(`/devices/${id}/messages?filter={"where":{"state":"failed"}}`), 'the stop is refused');
  } finally {
    for (const end of ends) end();
  }
  return id;
}

async function first(ask: () => Promise<{ body: { id: number }[] }>, what: string): Promise<{ id: number }> {
  let found: { id: number } | undefined;
  await until(async () => {
    [found] = (await ask()).body;
    return found !== undefined;
  }, what);
  return found!;
}
