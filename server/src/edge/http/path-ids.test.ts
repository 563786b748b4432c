import assert from 'node:assert/strict';
import { test } from 'node:test';
import { type Access, operation, type Version } from '@trackway/contract/operation.ts';
import type { Caller, Gate } from '../../calls.ts';
import { isUserWord, targetFinder } from './path-ids.ts';

const caller: Caller = { userId: 7, admin: false, tokenId: 1 };
const gate: Gate = {
  authenticate: async () => caller,
  rightOn: async (_caller, deviceId) => (deviceId === 1 ? 'manage' : undefined),
  deviceNamed: async (_caller, identifier) => (identifier === 'serial:A/1' ? 1 : undefined),
  userExists: async () => true,
  userKnownAt: async () => undefined,
};

const find = (
  path: string,
  access: Access,
  given: Record<string, string>,
  more: { version?: Version; texts?: string[]; byIdentifier?: true } = {},
) => {
  const { version = 'v2', ...rest } = more;
  return targetFinder(operation('GET', path, access, { summary: '', ...rest }), version, gate)(caller, given);
};

test('every id of a path is known by its name', async () => {
  const lists = '/users/{userid}/geofenceLists/{listid}/user/{targetid}';
  const target = await find(lists, 'self', { userid: '7', listid: '3', targetid: '9.0' });
  assert.deepEqual([target.userId, target.key, target.keys], [7, 3, { userid: 7, listid: 3, targetid: 9 }]);
  await assert.rejects(find(lists, 'self', { userid: 'me', listid: '3', targetid: 'x' }), {
    statusCode: 404,
    message: 'No instance with id x found for user',
  });
});

test('a text of a path is handed over as it is, after the rights were checked', async () => {
  const tags = '/devices/{id}/tags/{name}';
  const target = await find(tags, 'view', { id: '1', name: 'A b:c' }, { texts: ['name'] });
  assert.deepEqual([target.deviceId, target.texts, target.keys], [1, { name: 'A b:c' }, { id: 1 }]);
  await assert.rejects(find(tags, 'own', { id: '1', name: 'x' }, { texts: ['name'] }), { statusCode: 403 });
  await assert.rejects(find(tags, 'view', { id: '2', name: 'x' }, { texts: ['name'] }), { statusCode: 404 });
});

test('a device may be named by any of its identifiers where the operation says so', async () => {
  const path = '/devices/{id}/timeline/{type}';
  const more = { texts: ['type'], byIdentifier: true as const };
  const target = await find(path, 'view', { id: 'serial:A/1', type: 'sim' }, more);
  assert.deepEqual([target.deviceId, target.texts], [1, { type: 'sim' }]);
  await assert.rejects(find(path, 'view', { id: 'serial:B', type: 'sim' }, more), {
    message: 'Unknown "device" id "serial:B".',
  });
});

test('0 is the caller in version 2, and nobody in version 1', async () => {
  assert.equal((await find('/users/{userid}/geofences', 'self', { userid: '0' })).userId, 7);
  await assert.rejects(find('/users/{id}/geofences', 'self', { id: '0' }, { version: 'v1' }), { statusCode: 403 });
});

test('a user is a number or the caller', () => {
  for (const word of ['1', '10.0', 'me', '0', '"1"', '01']) assert.ok(isUserWord(word), word);
  for (const word of ['login', 'plans', '', '1e0', 'mee', '-1']) assert.ok(!isUserWord(word), word);
});
