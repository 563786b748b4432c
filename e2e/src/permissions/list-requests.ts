import assert from 'node:assert/strict';
import { OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import type { Caller, Target } from './expectations.ts';
import { ABSENT, type World } from './world.ts';

/** Operations of version 2 on geofences and their lists. */
const NAMES = [
  'listGeofencesV2',
  'createGeofenceV2',
  'getGeofenceV2',
  'updateGeofenceV2',
  'deleteGeofenceV2',
  'putGeofenceOnList',
  'takeGeofenceOffList',
  'listGeofenceLists',
  'createGeofenceList',
  'getGeofenceList',
  'updateGeofenceList',
  'deleteGeofenceList',
  'listGeofenceListShares',
  'shareGeofenceList',
  'unshareGeofenceList',
  'addGeofenceListUser',
  'removeGeofenceListUser',
] as const;
type Name = (typeof NAMES)[number];

export const isAboutLists = (name: OperationName): name is Name => (NAMES as readonly string[]).includes(name);

const LIST = { name: 'Depots', color: 'blue' };
const BODIES: Partial<Record<Name, object>> = {
  createGeofenceV2: { name: 'new' },
  updateGeofenceV2: { name: 'renamed' },
  createGeofenceList: LIST,
  updateGeofenceList: { name: 'renamed' },
};

let made = 0;

export async function listRequest(world: World, name: Name, caller: Caller, target: Target) {
  const { api, people } = world;
  const { path } = OPERATIONS[name];
  const own = world.personOf(caller).id;
  const parent = target === 'absent' ? ABSENT : target === 'foreign' ? people.outsider.id : own;
  const holder = target === 'foreign child' ? people.outsider.id : parent;
  const isThere = target !== 'absent' && target !== 'absent child';
  const address = `somebody-${++made}@example.org`;

  const asAdmin = async (method: string, at: string, body?: object) => {
    const answer = await api(method, `/v2/users/${at}`, { token: people.admin.token, body });
    assert.ok(answer.status < 300, answer.text);
    return answer.body;
  };
  const makeList = async (userId: number): Promise<number> =>
    isThere ? (await asAdmin('PUT', `${userId}/geofenceLists`, LIST)).id : ABSENT;

  async function makeFence(): Promise<number> {
    if (!isThere) return ABSENT;
    const listId = name === 'takeGeofenceOffList' ? await makeList(holder) : null;
    return (await asAdmin('PUT', `${holder}/geofences`, { name: 'home', listId })).id;
  }

  async function makeListToChange(): Promise<number> {
    const id = await makeList(holder);
    if (!isThere) return id;
    // Whoever is named on one list is known, and can be named on another.
    const known = name === 'addGeofenceListUser' ? await makeList(holder) : id;
    const under = `${holder}/geofenceLists`;
    if (path.includes('{targetid}')) await asAdmin('PUT', `${under}/${known}/user/${people.guest.id}`);
    if (name === 'unshareGeofenceList') await asAdmin('POST', `${under}/${id}/share`, { email: address });
    return id;
  }

  const isOfFence = path.includes('{fenceid}');
  const child =
    !path.includes('{fenceid}') && !path.includes('{listid}')
      ? undefined
      : await (isOfFence ? makeFence() : makeListToChange());
  const listId = name === 'putGeofenceOnList' ? (isThere ? await makeList(parent) : ABSENT) : child;
  const filled = path
    .replace('{userid}', String(parent))
    .replace('{fenceid}', String(child))
    .replace('{listid}', String(listId))
    .replace('{targetid}', String(people.guest.id));
  return {
    path: name === 'unshareGeofenceList' ? `${filled}?email=${address}` : filled,
    token: world.tokenOf(caller),
    body: name === 'shareGeofenceList' ? { email: address } : BODIES[name],
    parent,
    child,
  };
}
