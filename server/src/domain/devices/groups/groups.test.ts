import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { TokenFamily } from '@trackway/contract/families.ts';
import type { Caller, JsonText } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { rightsEnded } from '../../history/rights-ending.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { deviceAccess } from '../access.ts';
import type { ShareFollowers } from '../grants.ts';
import { shareOperations } from '../shares.ts';
import { claimWaitingGroupGrants, forgetDeletedGroups } from './group-shares.ts';
import { deviceGroupOperations } from './operations.ts';

const DAY_MS = 86_400_000;

onEitherEngine<Tables>('groups of devices', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const member = await makeUser(store, 'member@example.com');
    const received: string[] = [];
    const followers: ShareFollowers = {
      began: [],
      ended: [(tx, deviceId, userId, now) => rightsEnded(tx, { deviceId, userId }, now)],
      many: async (tx, deviceIds, userId, now) => {
        received.push(`${deviceIds.length} at once`);
        await rightsEnded(tx, { userId }, now);
      },
    };
    const groups = deviceGroupOperations(store, { followers, follow: async () => {} });
    const access = deviceAccess(store);
    const make = async (name: string, parentId?: number, by = owner) => {
      const body = { name, ...(parentId !== undefined && { parentId }) };
      return ((await groups.createDeviceGroup(callOf(by, { body }))) as { id: number }).id;
    };
    const put = (key: number, ids: number[]) => groups.addDeviceGroupDevices(callOf(owner, { key, body: { ids } }));
    const take = (key: number, ids: number[]) => groups.removeDeviceGroupDevices(callOf(owner, { key, body: { ids } }));
    const move = (key: number, parentId: number | null) => {
      const body = { parentId };
      return groups.updateDeviceGroup(callOf(owner, { key, body, sent: body }));
    };
    const share = async (key: number, body: object) =>
      (await groups.createDeviceGroupShare(callOf(owner, { key, body: { rights: 'view', ...body } as never }))) as {
        id: number;
      };
    const listed = async (by: Caller) => {
      const answer = (await groups.listDeviceGroups(callOf(by, {}))) as JsonText<unknown>;
      return JSON.parse(answer.text) as { id: number; name: string; parentId: number | null; right: string }[];
    };
    const right = (deviceId: number, who = member) => access.rightOn(who, deviceId);
    return { store, owner, member, followers, groups, received, make, put, take, move, share, listed, right };
  }

  test('a token that may not share puts no device into a group that is shared, or below one', async () => {
    const { store, owner, groups, make, share, put } = await setting();
    const deviceId = await makeDevice(store, owner.userId);
    const [top, apart] = [await make('top'), await make('apart')];
    const below = await make('below', top);
    await share(top, { email: 'member@example.com' });
    await put(apart, [deviceId]);
    const limited = (...families: TokenFamily[]): Caller => ({ ...owner, scope: { access: 'full', families } });
    const add = (caller: Caller, key: number) =>
      groups.addDeviceGroupDevices(callOf(caller, { key, body: { ids: [deviceId] } }));
    const moveBelow = (caller: Caller) => {
      const body = { parentId: top };
      return groups.updateDeviceGroup(callOf(caller, { key: apart, body, sent: body }));
    };
    const refused = { statusCode: 403, code: 'OUT_OF_SCOPE' };
    for (const key of [top, below]) await assert.rejects(add(limited('devices'), key), refused);
    await assert.rejects(moveBelow(limited('devices')), refused);
    await add(limited('devices'), apart);
    await add(limited('devices', 'shares'), below);
    await moveBelow(limited('devices', 'shares'));
    await add(owner, top);
  });

  test('groups are trees without circles, of at most eight levels', async () => {
    const { make, move, listed, owner, member } = await setting();
    const ids = [await make('1')];
    for (let level = 2; level <= 8; level++) ids.push(await make(String(level), ids.at(-1)!));
    await assert.rejects(make('9', ids.at(-1)!), { statusCode: 422, message: /more than 8 levels/ });
    for (const below of [ids[0]!, ids[3]!])
      await assert.rejects(move(ids[0]!, below), { statusCode: 422, message: /itself, or one of its subgroups/ });
    const other = await make('other');
    await assert.rejects(move(ids[0]!, other), { statusCode: 422, message: /more than 8 levels/ });
    await move(ids[4]!, other);
    await move(ids[0]!, null);
    assert.equal((await listed(owner)).find(({ id }) => id === ids[4])!.parentId, other);
    const theirs = await make('theirs', undefined, member);
    await assert.rejects(make('mine', theirs), { statusCode: 422, message: /not a group of this user/ });
    assert.deepEqual(
      (await listed(member)).map(({ name }) => name),
      ['theirs'],
    );
  });

  test('only devices of the owner are in a group, and a device can be in several', async () => {
    const { store, owner, member, make, put, groups } = await setting();
    const [north, cold] = [await make('North'), await make('Cold', await make('Kinds'))];
    const device = await makeDevice(store, owner.userId);
    const theirs = await makeDevice(store, member.userId);
    await put(north, [device]);
    await put(cold, [device, device]);
    await assert.rejects(put(north, [theirs]), { statusCode: 422, message: /does not own/ });
    for (const key of [north, cold]) {
      const { deviceIds } = (await groups.listDeviceGroupDevices(callOf(owner, { key, parameters: {} }))) as {
        deviceIds: number[];
      };
      assert.deepEqual(deviceIds, [device]);
    }
    await assert.rejects(groups.listDeviceGroupDevices(callOf(member, { key: north, parameters: {} })), {
      statusCode: 404,
    });
  });

  test('a share of a group gives the right on its devices, as devices and groups come and go', async () => {
    const { store, owner, member, make, put, take, move, share, listed, right } = await setting();
    const [fleet, other] = [await make('Fleet'), await make('Other')];
    const vans = await make('Vans', fleet);
    const [van, car] = [await makeDevice(store, owner.userId), await makeDevice(store, owner.userId)];
    await put(vans, [van]);
    await share(fleet, { email: 'member@example.com', rights: 'manage' });
    assert.equal(await right(van), 'manage');
    assert.equal(await right(car), undefined);
    assert.deepEqual(
      (await listed(member)).map(({ name, parentId, right: held }) => [name, parentId, held]),
      [
        ['Fleet', null, 'manage'],
        ['Vans', fleet, 'manage'],
      ],
    );
    await put(fleet, [car]);
    assert.equal(await right(car), 'manage');
    await take(fleet, [car]);
    assert.equal(await right(car), undefined);
    await move(vans, other);
    assert.equal(await right(van), undefined);
    assert.deepEqual(
      (await listed(member)).map(({ name }) => name),
      ['Fleet'],
    );
    await move(vans, fleet);
    assert.equal(await right(van), 'manage');
  });

  test('of several shares the highest counts, until the last has ended', async () => {
    const { store, owner, make, put, share, right, groups, followers } = await setting();
    const [one, two] = [await make('One'), await make('Two')];
    const device = await makeDevice(store, owner.userId);
    await put(one, [device]);
    await put(two, [device]);
    const shares = shareOperations(store, followers);
    const direct = (await shares.createShare(
      callOf(owner, { deviceId: device, body: { email: 'member@example.com', rights: 'view' } }),
    )) as { id: number };
    await share(one, { email: 'member@example.com', rights: 'manage' });
    const byTwo = await share(two, { email: 'member@example.com' });
    assert.equal(await right(device), 'manage');
    await groups.deleteDeviceGroup(callOf(owner, { key: one }));
    assert.equal(await right(device), 'view');
    await shares.deleteShare(callOf(owner, { deviceId: device, key: direct.id }));
    assert.equal(await right(device), 'view');
    const rights = { rights: 'manage' } as const;
    const keys = { shareid: byTwo.id };
    await groups.updateDeviceGroupShare(callOf(owner, { key: two, keys, body: rights, sent: rights }) as never);
    assert.equal(await right(device), 'manage');
    await groups.deleteDeviceGroupShare(callOf(owner, { key: two, keys }) as never);
    assert.equal(await right(device), undefined);
  });

  test('a deleted group gives nothing, and is restored with what was in it', async () => {
    const { store, owner, make, put, share, right, groups, listed } = await setting();
    const top = await make('Top');
    const middle = await make('Middle', top);
    const bottom = await make('Bottom', middle);
    const device = await makeDevice(store, owner.userId);
    await put(bottom, [device]);
    await share(middle, { email: 'member@example.com' });
    await groups.deleteDeviceGroup(callOf(owner, { key: middle }));
    assert.equal(await right(device), undefined);
    assert.deepEqual(
      (await listed(owner)).map(({ name }) => name),
      ['Top'],
    );
    await groups.deleteDeviceGroup(callOf(owner, { key: top }));
    await groups.restoreDeviceGroup(callOf(owner, { key: middle }));
    assert.equal(await right(device), 'view');
    assert.deepEqual(
      (await listed(owner)).map(({ name, parentId }) => [name, parentId]),
      [
        ['Middle', null],
        ['Bottom', middle],
      ],
    );
    await forgetDeletedGroups(store, NOW + 31 * DAY_MS);
    await assert.rejects(groups.restoreDeviceGroup(callOf(owner, { key: top })), { statusCode: 404 });
    assert.equal((await listed(owner)).length, 2);
  });

  test('a user with a share of a group can leave it, and cannot change the group', async () => {
    const { store, owner, member, make, put, share, right, groups } = await setting();
    const group = await make('Fleet');
    const device = await makeDevice(store, owner.userId);
    await put(group, [device]);
    await share(group, { email: 'member@example.com', rights: 'manage' });
    const body = { ids: [device] };
    for (const refused of [
      () => groups.removeDeviceGroupDevices(callOf(member, { key: group, body })),
      () => groups.updateDeviceGroup(callOf(member, { key: group, body: { name: 'mine' } })),
      () => groups.listDeviceGroupShares(callOf(member, { key: group })),
    ])
      await assert.rejects(refused(), { statusCode: 404 });
    await groups.deleteDeviceGroup(callOf(member, { key: group }));
    assert.equal(await right(device), undefined);
    assert.equal(await right(device, owner), 'own');
  });

  test('a share of a group waits for an account with the confirmed address', async () => {
    const { store, owner, make, put, share, right, followers } = await setting();
    const group = await make('Fleet');
    const device = await makeDevice(store, owner.userId);
    await put(group, [device]);
    await share(group, { email: 'new@example.com' });
    await assert.rejects(share(group, { email: 'NEW@example.com' }), {
      statusCode: 422,
      message: /already has a share/,
    });
    const made = await makeUser(store, 'new@example.com');
    assert.equal(await right(device, made), undefined);
    await claimWaitingGroupGrants(store, followers, NOW);
    assert.equal(await right(device, made), 'view');
  });

  test('what follows from a share of very many devices is done for all of them together', async () => {
    const { store, owner, member, make, put, share, right, groups, received } = await setting();
    const group = await make('Fleet');
    const devices: number[] = [];
    for (let count = 0; count < 101; count++) devices.push(await makeDevice(store, owner.userId));
    await put(group, devices);
    const { id } = await share(group, { email: 'member@example.com', rights: 'manage' });
    assert.equal(await right(devices[100]!), 'manage');
    const trigger = { name: 'Fast', type: 'speed', muteFor: 0, deviceId: devices[0]!, userId: member.userId };
    await store.query
      .insertInto('notificationTriggers')
      .values({ ...trigger, parameters: '{}', delivery: '{}', lastTriggered: null })
      .execute();
    await groups.deleteDeviceGroupShare(callOf(owner, { key: group, keys: { shareid: id } }) as never);
    assert.equal(await right(devices[0]!), undefined);
    assert.deepEqual(await store.query.selectFrom('notificationTriggers').selectAll().execute(), []);
    assert.deepEqual(received, ['101 at once', '101 at once']);
  });
});
