import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_LINKS, MOST_SHOWN_DEVICES } from '@trackway/contract/resources/link.ts';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import type { ShareFollowers } from '../devices/grants.ts';
import { deviceGroupOperations } from '../devices/groups/operations.ts';
import { rightsEnded } from '../history/rights-ending.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { forgetEndedLinks } from './end-links.ts';
import { linkFrames } from './look.ts';
import { groupLinkOperations, linkOperations } from './operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const MINUTE = 60_000;
const DAY = 86_400_000;
const ENDED = { statusCode: 403, code: 'LINK_ENDED' };

onEitherEngine<Tables>('links of groups', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const manager = await makeUser(store, 'manager@example.com');
    const followers: ShareFollowers = {
      began: [],
      ended: [(tx, deviceId, userId, now) => rightsEnded(tx, { deviceId, userId }, now)],
      many: (tx, _, userId, now) => rightsEnded(tx, { userId }, now),
    };
    const groups = deviceGroupOperations(store, { followers, follow: async () => {} });
    const makeGroup = async (name: string, parentId?: number) =>
      ((await groups.createDeviceGroup(callOf(owner, { body: { name, parentId } }) as never)) as Answer).id as number;
    const put = (key: number, ...ids: number[]) => groups.addDeviceGroupDevices(callOf(owner, { key, body: { ids } }));
    const take = (key: number, ...ids: number[]) =>
      groups.removeDeviceGroupDevices(callOf(owner, { key, body: { ids } }));
    const share = async (key: number, rights: 'view' | 'manage') =>
      (
        (await groups.createDeviceGroupShare(
          callOf(owner, { key, body: { userId: manager.userId, rights } as never, caller: { ...owner, admin: true } }),
        )) as Answer
      ).id as number;
    const device = (name: string) => makeDevice(store, owner.userId, { name });
    const point = (deviceId: number, at: number, lat: number) =>
      storePositions(store, { deviceId, timestamp: at, locationLat: lat, locationLng: 11, speed: 30 });
    const vans = await makeGroup('Vans');
    const cold = await makeGroup('Cold vans', vans);
    const [one, two] = [await device('Van 1'), await device('Van 2')];
    await put(vans, one);
    await put(cold, two);
    const operations = groupLinkOperations(store, 'https://track.example.com');
    const ofDevices = linkOperations(store, 'https://track.example.com');
    const create = (who: Caller, body: object = {}): Promise<Answer> =>
      operations.createGroupLink(callOf(who, { body: { groupId: vans, trail: false, ...body } }) as never);
    const keyOf = ({ url }: { url: string }) => {
      const [, handle, secret] = /\/l\/(\w+)#(\w+)$/.exec(url)!;
      return { handle: handle!, secret: secret! };
    };
    const look = (key: object, now = NOW): Promise<Answer> =>
      ofDevices.openLink(callOf(owner, { body: key, now }) as never);
    const names = async (key: object) => (await look(key)).devices.map(({ name }: Answer) => name);
    const listed = async (who = owner): Promise<Answer> =>
      JSON.parse(((await operations.listGroupLinks(callOf(who) as never)) as Answer).text);
    return {
      store,
      owner,
      manager,
      groups,
      operations,
      vans,
      cold,
      one,
      two,
      device,
      put,
      take,
      share,
      point,
      create,
      keyOf,
      look,
      names,
      listed,
    };
  }

  test('it shows the devices of the group and of those below it, as they come and go', async () => {
    const { owner, vans, cold, one, two, device, put, take, point, create, keyOf, look, names } = await setting();
    await point(one, NOW - MINUTE, 46);
    const key = keyOf(await create(owner));
    const { viewing, ...seen } = await look(key);
    assert.match(viewing, /^\w{16}$/);
    const position = { lat: 46, lng: 11, timestamp: new Date(NOW - MINUTE).toISOString(), speed: 30 };
    assert.deepEqual(seen, {
      now: new Date(NOW).toISOString(),
      expiresAt: new Date(NOW + DAY).toISOString(),
      name: 'Vans',
      isOfGroup: true,
      devices: [
        { name: 'Van 1', position, trail: [], route: null },
        { name: 'Van 2', position: null, trail: [], route: null },
      ],
      more: 0,
      destination: null,
    });
    await put(cold, await device('Van 3'));
    await put(vans, two);
    assert.deepEqual(await names(key), ['Van 1', 'Van 2', 'Van 3'], 'each once');
    await take(vans, one, two);
    assert.deepEqual(await names(key), ['Van 2', 'Van 3']);
  });

  test('its trails show the last hour, thinned where they are dense', async () => {
    const { owner, one, two, point, create, keyOf, look } = await setting();
    for (const [id, ms, lat] of [
      [one, 61 * MINUTE, 45],
      [one, 30 * MINUTE, 46],
      [one, MINUTE + 1000, 46.5],
      [one, MINUTE, 47],
      [two, 5 * MINUTE, 48],
    ] as const)
      await point(id, NOW - ms, lat);
    const { devices, name } = await look(keyOf(await create(owner, { trail: true, name: 'Today’s tour' })));
    assert.deepEqual(
      devices.map(({ trail }: Answer) => trail.map(({ lat }: Answer) => lat)),
      [[46, 46.5, 47], [48]],
    );
    assert.equal(name, 'Today’s tour');
    const without = await look(keyOf(await create(owner)));
    assert.deepEqual(
      without.devices.map(({ trail }: Answer) => trail),
      [[], []],
    );
  });

  test('only users who may manage the group can create one', async () => {
    const { manager, vans, share, create, listed } = await setting();
    const unknown = { statusCode: 422, message: /not a group you may manage/ };
    await assert.rejects(create(manager), unknown);
    await share(vans, 'view');
    await assert.rejects(create(manager), unknown);
    assert.deepEqual(await listed(manager), []);
  });

  test('the right is asked at the moment of use, on the group and on each device', async () => {
    const { store, manager, vans, one, share, create, keyOf, look, names } = await setting();
    await share(vans, 'manage');
    const key = keyOf(await create(manager));
    assert.deepEqual(await names(key), ['Van 1', 'Van 2']);
    await store.query.deleteFrom('shares').where('deviceId', '=', one).execute();
    assert.deepEqual(await names(key), ['Van 2'], 'a device that its maker may not manage is not shown');
    await store.query.updateTable('grants').set({ rights: 'view' }).execute();
    await assert.rejects(look(key), ENDED);
  });

  test('it ends with the right of its maker, and rests while the group is deleted', async () => {
    const { owner, manager, groups, vans, share, create, keyOf, look, names, listed } = await setting();
    const shareid = await share(vans, 'manage');
    const [ofManager, ofOwner] = [await create(manager), await create(owner)];
    assert.equal((await listed()).length, 2, 'the owner of the group sees both');
    assert.equal((await listed(manager)).length, 1);
    await groups.deleteDeviceGroupShare(callOf(owner, { key: vans, keys: { shareid } } as never));
    assert.deepEqual(
      (await listed()).map(({ id }: Answer) => id),
      [ofOwner.id],
    );
    await assert.rejects(look(keyOf(ofManager)), ENDED);
    await groups.deleteDeviceGroup(callOf(owner, { key: vans }));
    await assert.rejects(look(keyOf(ofOwner)), ENDED);
    await groups.restoreDeviceGroup(callOf(owner, { key: vans }));
    assert.deepEqual(await names(keyOf(ofOwner)), ['Van 1', 'Van 2']);
  });

  test('the owner of the group revokes a link of another; it is counted, bounded and forgotten', async () => {
    const { store, owner, manager, operations, vans, share, create, keyOf, look, listed } = await setting();
    await share(vans, 'manage');
    const made = await create(manager, { origins: ['https://shop.example.com'] });
    assert.deepEqual(await linkFrames(store)(keyOf(made).handle, NOW), ['https://shop.example.com']);
    const { viewing } = await look(keyOf(made));
    await look({ ...keyOf(made), viewing });
    assert.equal((await listed())[0].views, 1);
    await assert.rejects(look({ ...keyOf(made), secret: 'x' }), ENDED);
    await assert.rejects(look(keyOf(made), NOW + DAY), ENDED);
    const body = { groupId: vans + 1 };
    await assert.rejects(
      operations.updateGroupLink(callOf(owner, { key: made.id, body, sent: body }) as never) as Promise<unknown>,
      { statusCode: 400 },
    );
    await operations.deleteGroupLink(callOf(owner, { key: made.id }) as never);
    await assert.rejects(look(keyOf(made)), ENDED);
    for (let count = 0; count < MOST_LINKS; count++) await create(owner);
    await assert.rejects(create(owner), { statusCode: 422, message: /revoke one first/ });
    await forgetEndedLinks(store, NOW + 32 * DAY);
    assert.deepEqual(await listed(), []);
  });

  test('of a large group it shows a part, and says how many more there are', async () => {
    const { store, owner, vans, create, device, keyOf, look } = await setting();
    const made: number[] = [];
    while (made.length < MOST_SHOWN_DEVICES) made.push(await device(`More ${made.length}`));
    await store.query
      .insertInto('deviceGroupMembers')
      .values(made.map((deviceId) => ({ deviceId, groupId: vans, created: NOW })))
      .execute();
    const { devices, more } = await look(keyOf(await create(owner, { trail: true })));
    assert.deepEqual([devices.length, more], [MOST_SHOWN_DEVICES, 2]);
  });
});
