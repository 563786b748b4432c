import assert from 'node:assert/strict';
import type { Answer } from '../harness/answer.ts';
import type { Api } from '../harness/api.ts';
import { adminOf, expiredTokenOf, makePerson, type Person, revokedTokenOf } from '../harness/people.ts';
import type { Caller } from './expectations.ts';

/** An id that does not exist. */
export const ABSENT = 900_000_001;

export interface World {
  readonly api: Api;
  readonly people: Readonly<
    Record<'admin' | 'owner' | 'viewer' | 'manager' | 'stranger' | 'outsider' | 'guest', Person>
  >;
  readonly planId: number;
  readonly sku: string;
  /** The owner's device, shared with the viewer and the manager. */
  readonly device: number;
  /** The outsider's device, shared with a guest. */
  readonly foreignDevice: number;
  /** The user of a caller; the expired and revoked tokens belong to the owner. */
  personOf(caller: Caller): Person;
  tokenOf(caller: Caller): string | undefined;
  /** Makes a call as admin that must succeed. */
  asAdmin(method: string, path: string, body?: object): Promise<Answer>;
}

export async function makeWorld(api: Api): Promise<World> {
  const admin = await adminOf(api);
  const owner = await makePerson(api, admin, 'owner');
  const expired = expiredTokenOf(api, owner);
  const people = {
    admin,
    owner,
    viewer: await makePerson(api, admin, 'viewer'),
    manager: await makePerson(api, admin, 'manager'),
    stranger: await makePerson(api, admin, 'stranger'),
    outsider: await makePerson(api, admin, 'outsider'),
    guest: await makePerson(api, admin, 'guest'),
  };
  const ended = { expired: await expired, revoked: await revokedTokenOf(api, owner) };

  const asAdmin: World['asAdmin'] = async (method, path, body) => {
    const answer = await api(method, `/api${path}`, { token: admin.token, body });
    assert.ok(answer.status < 300, answer.text);
    return answer;
  };
  const plan = await asAdmin('POST', '/plans', { name: 'permissions', sku: 'permissions', prices: { eur: [[1, 2]] } });
  const personOf = (caller: Caller) => (caller in people ? people[caller as keyof typeof people] : owner);
  const world = {
    api,
    people,
    asAdmin,
    planId: plan.body.id as number,
    sku: plan.body.sku as string,
    personOf,
    tokenOf(caller: Caller) {
      if (caller === 'nobody') return undefined;
      return caller === 'expired' || caller === 'revoked' ? ended[caller] : personOf(caller).token;
    },
  };
  for (const { id } of [owner, people.outsider])
    await asAdmin('POST', `/users/${id}/plans`, { planId: world.planId, count: 1000 });
  const [device, foreignDevice] = [await makeOwnDevice(world), await makeForeignDevice(world)];
  for (const id of [device, foreignDevice])
    await api('PUT', `/v2/devices/${id}/vehicle`, { token: people.admin.token, body: { photo: PHOTO } });
  return { ...world, device, foreignDevice };
}

/** The beginning of a JPEG file. */
const PHOTO = Buffer.from([0xff, 0xd8, 0xff, 0xe0]).toString('base64');

type Makers = Pick<World, 'asAdmin' | 'people' | 'planId'>;

/** Creates a device of the owner, shared with viewer and manager. */
export async function makeOwnDevice(world: Makers): Promise<number> {
  const { owner, viewer, manager } = world.people;
  const id = await makeDevice(world, owner);
  await world.asAdmin('POST', `/devices/${id}/shares`, { userId: viewer.id, rights: 'view' });
  await world.asAdmin('POST', `/devices/${id}/shares`, { userId: manager.id, rights: 'manage' });
  return id;
}

export async function makeForeignDevice(world: Makers): Promise<number> {
  const id = await makeDevice(world, world.people.outsider);
  await world.asAdmin('POST', `/devices/${id}/shares`, { userId: world.people.guest.id });
  return id;
}

async function makeDevice(world: Makers, { id: ownerId }: Person): Promise<number> {
  const { body } = await world.asAdmin('POST', `/users/${ownerId}/devices`, {
    name: 'permissions',
    meta: { rtk: true },
  });
  await world.asAdmin('PUT', `/devices/${body.id}/plan`, { planId: world.planId });
  return body.id;
}

const OF_DEVICE = [
  '',
  '/config',
  '/shares',
  '/gatewayReadings',
  '/readings',
  '/points',
  '/notificationTriggers',
  '/messages',
  '/transients',
  '/forwarders',
  '/links',
  '/plan',
];

/** Everything that a call could have changed, as seen by admins and the users themselves. */
export async function snapshot(world: World): Promise<string[]> {
  const { device, foreignDevice, people } = world;
  const paths = ['/users', '/devices', '/devices/deleted', '/plans'];
  for (const id of [device, foreignDevice]) for (const part of OF_DEVICE) paths.push(`/devices/${id}${part}`);
  for (const { id } of Object.values(people)) paths.push(`/users/${id}/geofences`, `/users/${id}/plans`);
  const seen = paths.map(async (path) => `${path} ${(await world.asAdmin('GET', path)).text}`);
  const inV2 = Object.values(people).flatMap(({ id }) => [`/users/${id}/geofences`, `/users/${id}/geofenceLists`]);
  const listsSeen = inV2.map(
    async (path) => `${path} ${(await world.api('GET', `/v2${path}?_limit=1000`, { token: people.admin.token })).text}`,
  );
  const tokensSeen = Object.values(people).map(async ({ email, token }) => {
    const tokens = await world.api('GET', '/v2/users/personalAccessTokens', { token });
    assert.equal(tokens.status, 200, `${email} lost their session`);
    return `${email} ${tokens.text}`;
  });
  return Promise.all([...seen, ...listsSeen, ...tokensSeen]);
}
