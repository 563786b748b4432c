import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_LINKS, MOST_VIEWERS } from '@trackway/contract/resources/link.ts';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { rightsEnded } from '../history/rights-ending.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { forgetEndedLinks } from './end-links.ts';
import { linkFrames, Viewers } from './look.ts';
import { linkOperations } from './operations.ts';

// biome-ignore lint/suspicious/noExplicitAny: answers are looked at as clients see them.
type Answer = any;

const MINUTE = 60_000;
const DAY = 86_400_000;
const ENDED = { statusCode: 403, code: 'LINK_ENDED' };

onEitherEngine<Tables>('links', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const manager = await makeUser(store, 'manager@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    await shareWith(store, deviceId, manager.userId, 'manage');
    const routes: Answer[] = [];
    const operations = linkOperations(store, 'https://track.example.com/', async (...asked) => {
      routes.push(asked);
      return { distance: 120_000, duration: 5400 };
    });
    const create = (who: Caller, body: object = {}): Promise<Answer> =>
      operations.createLink(callOf(who, { deviceId, body: { trail: false, ...body } }) as never);
    const update = (key: number, body: Record<string, unknown>): Promise<Answer> =>
      operations.updateLink(callOf(owner, { deviceId, key, body, sent: body }) as never);
    const keyOf = ({ url }: { url: string }) => {
      const [, handle, secret] = /^https:\/\/track\.example\.com\/l\/(\w+)#(\w+)$/.exec(url)!;
      return { handle: handle!, secret: secret! };
    };
    const look = (key: object, now = NOW): Promise<Answer> =>
      operations.openLink(callOf(owner, { body: key, now }) as never);
    const listed = async (who = owner): Promise<Answer> =>
      JSON.parse(((await operations.listLinks(callOf(who, { deviceId }) as never)) as Answer).text);
    const point = (at: number, lat: number | null, speed = 30) =>
      storePositions(store, {
        deviceId,
        timestamp: at,
        created: at,
        locationType: 'gps',
        locationLat: lat,
        locationLng: lat === null ? null : 11,
        speed,
      });
    return { store, owner, manager, deviceId, operations, create, update, keyOf, look, listed, point, routes };
  }

  test('a link shows name, position, speed and time, and nothing else; its secret is not stored', async () => {
    const { store, owner, create, keyOf, look, point, listed } = await setting();
    await point(NOW - 2 * MINUTE, 46);
    const made = await create(owner);
    const key = keyOf(made);
    assert.deepEqual(
      [made.trail, made.views, made.expiresAt, made.userId],
      [false, 0, new Date(NOW + DAY).toISOString(), owner.userId],
    );
    const { viewing, ...seen } = await look(key);
    assert.match(viewing, /^\w{16}$/);
    const position = { lat: 46, lng: 11, timestamp: new Date(NOW - 2 * MINUTE).toISOString(), speed: 30 };
    assert.deepEqual(seen, {
      now: new Date(NOW).toISOString(),
      expiresAt: made.expiresAt,
      name: 'Van 3',
      isOfGroup: false,
      devices: [{ name: 'Van 3', position, trail: [], route: null }],
      more: 0,
      destination: null,
    });
    const stored = JSON.stringify(await store.query.selectFrom('links').selectAll().execute());
    assert.ok(!stored.includes(key.secret));
    assert.ok(!JSON.stringify(await listed()).includes(key.secret));
    const trail = await store.query.selectFrom('auditEntries').selectAll().execute();
    assert.deepEqual(
      trail.map(({ action }) => action),
      ['link.created'],
    );
    assert.ok(!JSON.stringify(trail).includes(key.secret));
  });

  test('it shows the last hour where it may, another name and a destination', async () => {
    const { owner, deviceId, create, update, keyOf, look, point, routes } = await setting();
    for (const [minutes, lat] of [
      [61, 45],
      [59, 46],
      [30, null],
      [1, 47],
    ] as const)
      await point(NOW - minutes * MINUTE, lat);
    const made = await create(owner, { name: 'Your delivery' });
    await update(made.id, { trail: true, destination: { lat: 48, lng: 11.5 }, destinationName: 'Home' });
    const { devices, destination } = await look(keyOf(made));
    assert.deepEqual(devices[0].route, { distance: 120_000, duration: 5400 });
    const [[of, from, to]] = routes;
    assert.deepEqual([of, from.lat, to], [deviceId, 47, { lat: 48, lng: 11.5 }]);
    assert.equal('deviceId' in devices[0], false, 'viewers get no ids');
    assert.deepEqual(
      devices[0].trail.map(({ lat, timestamp }: Answer) => [lat, NOW - Date.parse(timestamp)]),
      [
        [46, 59 * MINUTE],
        [47, MINUTE],
      ],
    );
    assert.equal(devices[0].name, 'Your delivery');
    assert.deepEqual(destination, { lat: 48, lng: 11.5, name: 'Home' });
    await update(made.id, { destination: null });
    assert.equal((await look(keyOf(made))).destination, null);
  });

  test('a device that was never seen has no position', async () => {
    const { owner, create, keyOf, look } = await setting();
    assert.equal((await look(keyOf(await create(owner)))).devices[0].position, null);
  });

  test('a wrong secret, another handle, an ended and a revoked link are all refused alike', async () => {
    const { owner, operations, deviceId, create, keyOf, look } = await setting();
    const [one, other] = [await create(owner), await create(owner, { expiresAt: NOW + MINUTE })];
    await assert.rejects(look({ ...keyOf(one), secret: 'x' }), ENDED);
    await assert.rejects(look({ handle: keyOf(one).handle, secret: keyOf(other).secret }), ENDED);
    await assert.rejects(look({ handle: 'unknown', secret: 'x' }), ENDED);
    await look(keyOf(other), NOW + MINUTE - 1);
    await assert.rejects(look(keyOf(other), NOW + MINUTE), ENDED);
    await operations.deleteLink(callOf(owner, { deviceId, key: one.id }) as never);
    await assert.rejects(look(keyOf(one)), ENDED);
  });

  test('it is counted when it is opened, not with each look', async () => {
    const { owner, create, keyOf, look, listed } = await setting();
    const made = await create(owner);
    const { viewing } = await look(keyOf(made));
    assert.equal((await look({ ...keyOf(made), viewing }, NOW + 5000)).viewing, viewing);
    await look(keyOf(made), NOW + MINUTE);
    const [{ views, lastViewedAt }] = await listed();
    assert.deepEqual([views, lastViewedAt], [2, new Date(NOW + MINUTE).toISOString()]);
  });

  test('it ends when its maker may no longer manage the device, although it was not revoked', async () => {
    const { store, manager, deviceId, create, keyOf, look } = await setting();
    const key = keyOf(await create(manager));
    await look(key);
    await store.query.updateTable('shares').set({ rights: 'view' }).where('deviceId', '=', deviceId).execute();
    await assert.rejects(look(key), ENDED, 'the right is asked at the moment of use');
  });

  test('it ends with the right, and with the device', async () => {
    const { store, owner, manager, deviceId, create, keyOf, look, listed } = await setting();
    const [ofManager, ofOwner] = [await create(manager), await create(owner)];
    await store.transaction(async (tx) => {
      await tx.deleteFrom('shares').execute();
      await rightsEnded(tx, { userId: manager.userId, deviceId }, NOW);
    });
    assert.deepEqual(
      (await listed()).map(({ id }: Answer) => id),
      [ofOwner.id],
    );
    await assert.rejects(look(keyOf(ofManager)), ENDED);
    await look(keyOf(ofOwner));
    await store.query.updateTable('devices').set({ deletedAt: NOW }).where('id', '=', deviceId).execute();
    await assert.rejects(look(keyOf(ofOwner)), ENDED);
  });

  test('others see only their own, the owner of the device sees and revokes all', async () => {
    const { store, owner, manager, operations, deviceId, create, listed } = await setting();
    const [ofManager] = [await create(manager), await create(owner)];
    const own = await operations.listLinks(callOf(manager, { deviceId, right: 'manage' }) as never);
    assert.deepEqual(
      JSON.parse((own as Answer).text).map(({ id }: Answer) => id),
      [ofManager.id],
    );
    assert.equal((await listed()).length, 2);
    const ofUser = await operations.listUserLinks(callOf(manager) as never);
    assert.equal(JSON.parse((ofUser as Answer).text).length, 1);
    await operations.deleteLink(callOf(owner, { deviceId, key: ofManager.id }) as never);
    const ended = await store.query
      .selectFrom('auditEntries')
      .select('userId')
      .where('action', '=', 'link.ended')
      .execute();
    assert.deepEqual(
      ended.map(({ userId }) => userId),
      [manager.userId],
    );
  });

  test('its time is bounded, and so is their number', async () => {
    const { owner, create, update } = await setting();
    await assert.rejects(create(owner, { expiresAt: NOW }), { statusCode: 422 });
    await assert.rejects(create(owner, { expiresAt: NOW + 91 * DAY }), { statusCode: 422 });
    const first = await create(owner);
    for (let count = 1; count < MOST_LINKS; count++) await create(owner);
    await assert.rejects(create(owner), { statusCode: 422 });
    const later = await update(first.id, { expiresAt: NOW + 90 * DAY });
    assert.equal(later.expiresAt, new Date(NOW + 90 * DAY).toISOString());
    await assert.rejects(update(first.id, { userId: 999 }), { statusCode: 400 });
  });

  test('only the sites of its list may frame it, and none once it has ended', async () => {
    const { store, owner, create, keyOf } = await setting();
    const made = await create(owner, { origins: ['https://shop.example.com'] });
    const frames = linkFrames(store);
    assert.deepEqual(await frames(keyOf(made).handle, NOW), ['https://shop.example.com']);
    assert.deepEqual(await frames(keyOf(made).handle, NOW + DAY), []);
    assert.deepEqual(await frames('unknown', NOW), []);
    assert.deepEqual(await frames(keyOf(await create(owner)).handle, NOW), []);
  });

  test('one that ended a month ago is forgotten', async () => {
    const { store, owner, create, listed } = await setting();
    await create(owner);
    await forgetEndedLinks(store, NOW + 30 * DAY);
    assert.equal((await listed()).length, 1);
    await forgetEndedLinks(store, NOW + 32 * DAY);
    assert.deepEqual(await listed(), []);
  });

  test('no more than so many people look at once', async () => {
    const { owner, create, keyOf, look } = await setting();
    const key = keyOf(await create(owner));
    for (let count = 0; count < MOST_VIEWERS; count++) await look({ ...key, viewing: `viewer${count}` });
    await assert.rejects(look(key), { statusCode: 429 });
    await look({ ...key, viewing: 'viewer0' }, NOW + 10_000);
    await look(key, NOW + 21_000);
  });
});

test('the number of remembered viewers is bounded', () => {
  const viewers = new Viewers();
  for (let linkId = 0; linkId < 10_000; linkId++) assert.ok(viewers.note(linkId, 'one', NOW));
  assert.equal(viewers.note(10_000, 'one', NOW), false);
  assert.ok(viewers.note(10_000, 'one', NOW + MINUTE), 'links without viewers make room');
});
