import type { Api } from '../harness/api.ts';
import { makePerson } from '../harness/people.ts';
import type { Voice } from '../harness/station.ts';

/** Something of every kind, so that requests made from the document find what they name. */
export async function worldOf(api: Api, admin: Voice): Promise<Readonly<Record<string, readonly number[]>>> {
  const own = { token: admin.token };
  const victim = await makePerson(api, admin, 'somebody');
  const device = await admin.make('/devices', { name: 'van', serial: 'world-1', meta: { rtk: true } });
  const gone = await admin.make('/devices', { name: 'gone' });
  await admin.delete(`/devices/${gone.id}`);
  const at = `/devices/${device.id}`;
  const make = async (path: string, body: object) => (await admin.make(path, body)).id as number;
  const plan = await make('/plans', { name: 'standard', sku: 'STD-1', prices: { eur: [[1, 2]] } });
  await admin.make(`/users/${admin.id}/plans`, { planId: plan, count: 1000 });
  const list = (await api('PUT', '/v2/users/0/geofenceLists', { ...own, body: { name: 'Depots', color: 'red' } })).body;
  const token = (await api('POST', '/v2/users/personalAccessTokens', { ...own, body: { description: 'one' } })).body;
  return {
    users: [admin.id, victim.id],
    user: [victim.id],
    devices: [device.id],
    points: [await make(`${at}/points`, { location: { lat: 1, lng: 2 } })],
    readings: [await make(`${at}/readings`, { type: 'temp', value: 1 })],
    gatewayReadings: [await make(`${at}/gatewayReadings`, { type: 'temp', value: 1 })],
    messages: [await make(`${at}/messages`, { message: 'hello' })],
    notificationTriggers: [await make(`${at}/notificationTriggers`, { type: 'newLoc' })],
    geofences: [await make('/users/me/geofences', { center: { lat: 1, lng: 2 }, radius: 50 })],
    groups: [await make('/users/me/groups', { name: 'Fleet' })],
    rules: [await make('/users/me/rules', { type: 'newLoc', appliesTo: 'tag', tag: 'none' })],
    transients: [await make(`${at}/sleep`, {})],
    forwarders: [await make(`${at}/forwarders`, { kind: 'mqtt' })],
    shares: [await make(`${at}/shares`, { email: victim.email })],
    serviceAccounts: [await make('/serviceAccounts', { name: 'robot' })],
    invitations: [],
    plans: [plan],
    geofenceLists: [list.id],
    list: [list.id],
    personalAccessTokens: [token.id],
  };
}
