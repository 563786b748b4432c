import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Caller } from '../../calls.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { readMail, testVault } from '../../testing/vault.ts';
import { deviceAccess } from '../devices/access.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { AccountMailer } from '../users/account-letters.ts';
import { claimWaitingListGrants } from './list-members.ts';
import { geofenceListOperations } from './list-operations.ts';
import { geofenceV2Operations } from './operations-v2.ts';

const MAILER: AccountMailer = {
  missing: undefined,
  publicUrl: 'https://track.example.com',
  wake: () => {},
  seal: testVault.seal,
};
const LIST = { name: 'Depots', color: '#36f' };
const notFound = { statusCode: 404 };
const denied = { statusCode: 403 };

type Json = Record<string, unknown>;

onEitherEngine<Tables>('lists of geofences', { migrations: MIGRATIONS }, (open) => {
  async function setting(newAddressesPerDay = 50) {
    const store: Store = await open();
    const [owner, member, third] = [
      await makeUser(store, 'owner@example.com'),
      await makeUser(store, 'member@example.com'),
      await makeUser(store, 'third@example.com'),
    ];
    const lists = geofenceListOperations(store, { mailer: MAILER, newAddressesPerDay, isInviting: true });
    const fences = geofenceV2Operations(store, deviceAccess(store));
    const of = (caller: Caller, keys: object, more: object = {}) =>
      callOf<never, never>(caller, { keys: { userid: caller.userId, ...keys }, ...more } as never);
    const made = (await lists.createGeofenceList(of(owner, {}, { body: LIST }) as never)) as { id: number };
    const listid = made.id;
    const share = (email: string, by = owner) =>
      lists.shareGeofenceList(of(by, { listid }, { body: { email } }) as never);
    const unshare = (email: string, by = owner) =>
      lists.unshareGeofenceList(of(by, { listid }, { parameters: { email } }) as never);
    const add = (target: Caller, by = owner) =>
      lists.addGeofenceListUser(of(by, { listid, targetid: target.userId }) as never);
    const remove = (target: Caller, by = owner) =>
      lists.removeGeofenceListUser(of(by, { listid, targetid: target.userId }) as never);
    const leave = (by: Caller) => lists.deleteGeofenceList(of(by, { listid }) as never);
    const seenLists = async (by: Caller) =>
      ((await lists.listGeofenceLists(of(by, {}) as never)) as unknown as { data: Json[] }).data;
    const draw = async (by: Caller, body: object = {}) =>
      (await fences.createGeofenceV2(of(by, {}, { body: { name: 'Yard', ...body } }) as never)) as { id: number };
    const seenFences = async (by: Caller, parameters: object = {}) =>
      ((await fences.listGeofencesV2(of(by, {}, { parameters }) as never)) as unknown as { data: Json[] }).data;
    const put = (fenceid: number, by: Caller) => fences.putGeofenceOnList(of(by, { fenceid, listid }) as never);
    const takeOff = (fenceid: number, by: Caller) => fences.takeGeofenceOffList(of(by, { fenceid }) as never);
    return {
      store,
      owner,
      member,
      third,
      lists,
      fences,
      of,
      listid,
      share,
      unshare,
      add,
      remove,
      leave,
      seenLists,
      draw,
      seenFences,
      put,
      takeOff,
    };
  }
  const ids = (rows: readonly Json[]) => rows.map(({ id }) => id);

  test('its owner renames it, other members do not', async () => {
    const { owner, member, third, lists, of, listid, share, seenLists } = await setting();
    await share('member@example.com');
    const rename = (by: Caller, body: object) =>
      lists.updateGeofenceList(of(by, { listid }, { body, sent: body }) as never);
    assert.deepEqual(await rename(owner, { name: 'Yards' }), {
      id: listid,
      ...LIST,
      name: 'Yards',
      ownerId: owner.userId,
    });
    await assert.rejects(rename(member, { name: 'Mine' }), denied);
    await assert.rejects(rename(third, { name: 'Mine' }), notFound);
    assert.deepEqual(
      (await seenLists(member)).map(({ name }) => name),
      ['Yards'],
    );
  });

  test('the owner sees all members, others see who shared it with them and the people they shared it with', async () => {
    const { store, owner, member, third, lists, of, listid, share, unshare, add } = await setting();
    const sharing = async (by: Caller) => lists.listGeofenceListShares(of(by, { listid }) as never);
    assert.deepEqual(await sharing(owner), { sharedBy: null, data: [] });
    await share('member@example.com');
    await share('nobody@example.com', member);
    await assert.rejects(sharing(third), notFound);
    const [memberShare, nobodyShare] = ['member@example.com', 'nobody@example.com'].map((email) => ({
      email,
      userId: null,
    }));
    assert.deepEqual(await sharing(owner), { sharedBy: null, data: [memberShare, nobodyShare] });
    assert.deepEqual(await sharing(member), { sharedBy: 'owner@example.com', data: [nobodyShare] });
    const asAdmin = { ...(await makeUser(store, 'admin@example.com', true)), userId: owner.userId };
    await add(third, asAdmin);
    assert.deepEqual(await sharing(third), { sharedBy: null, data: [] });
    await unshare('member@example.com');
    assert.deepEqual(await sharing(owner), {
      sharedBy: null,
      data: [nobodyShare, { email: null, userId: third.userId }],
    });
  });

  test('a member sees the list and what is on it, a third sees nothing', async () => {
    const { owner, member, third, of, fences, listid, share, seenLists, draw, seenFences, put } = await setting();
    const fence = await draw(owner, { listId: listid });
    const hidden = await draw(owner);
    assert.deepEqual(await seenLists(member), []);
    await assert.rejects(put((await draw(member)).id, member), notFound);
    assert.deepEqual(await share('Member@Example.com'), {});
    assert.deepEqual(await seenLists(member), [{ id: listid, ...LIST, ownerId: owner.userId }]);
    const own = (await seenFences(member)).find(({ ownerId }) => ownerId === member.userId)!;
    await put(own.id as number, member);
    assert.deepEqual(ids(await seenFences(member)), [fence.id, own.id]);
    const all = await seenFences(owner, { _include: ['list'] });
    assert.deepEqual(ids(all), [fence.id, hidden.id, own.id]);
    assert.deepEqual(
      all.map(({ ownerId, list }) => [ownerId, (list as Json | null)?.name]),
      [
        [owner.userId, 'Depots'],
        [owner.userId, undefined],
        [member.userId, 'Depots'],
      ],
    );
    assert.deepEqual(await seenFences(third), []);
    assert.deepEqual(await seenLists(third), []);
    for (const keys of [{ fenceid: fence.id }, { fenceid: hidden.id }])
      await assert.rejects(fences.getGeofenceV2(of(third, keys) as never), notFound);
    await assert.rejects(fences.getGeofenceV2(of(member, { fenceid: hidden.id }) as never), notFound);
    for (const body of [{ listId: listid }, { listId: 900_000_001 }])
      await assert.rejects(draw(third, body), { statusCode: 422, message: /`listId` is not a list/ });
  });

  test('another’s fence is seen, not changed; who may take it off its list', async () => {
    const { owner, member, third, of, fences, listid, share, draw, put, takeOff, seenFences } = await setting();
    for (const email of ['member@example.com', 'third@example.com']) await share(email);
    const fence = await draw(owner, { listId: listid });
    const theirs = await draw(member, { listId: listid });
    const keys = { fenceid: fence.id };
    await assert.rejects(fences.deleteGeofenceV2(of(member, keys) as never), denied);
    const change = of(member, keys, { body: { name: 'Mine' }, sent: { name: 'Mine' } });
    await assert.rejects(fences.updateGeofenceV2(change as never), denied);
    await assert.rejects(put(fence.id, member), denied);
    await assert.rejects(takeOff(fence.id, member), denied);
    await assert.rejects(takeOff(theirs.id, third), denied);
    assert.deepEqual(await takeOff(theirs.id, owner), {}, 'the owner of the list may');
    assert.deepEqual(ids(await seenFences(owner)), [fence.id]);
    await assert.rejects(takeOff(theirs.id, member), { statusCode: 410 });
    await assert.rejects(takeOff(theirs.id, owner), notFound);
    assert.deepEqual([await put(theirs.id, member), await put(theirs.id, member)], [{}, {}], 'twice is once');
    assert.deepEqual(await takeOff(theirs.id, member), {});
  });

  test('sharing with an address does not reveal whether it has an account', async () => {
    const { store, member, share, unshare, remove, add } = await setting();
    const answers = [await share('member@example.com'), await share('nobody@example.com')];
    assert.deepEqual(answers, [{}, {}]);
    assert.deepEqual([await share('member@example.com'), await share('nobody@example.com')], [{}, {}]);
    const mails = await store.query
      .selectFrom('outbox')
      .select(['address', 'content', 'messageId'])
      .orderBy('id')
      .execute();
    assert.deepEqual(
      mails.map(({ address }) => address),
      ['member@example.com', 'nobody@example.com'],
      'both are notified, once',
    );
    for (const mail of mails) assert.match(readMail(mail).text, /geofence list .{0,9}Depots/);
    assert.match(readMail(mails[1]!).text, /invitation#\w{43}/);
    // Ids could be tried until one fits.
    const absent = { userId: 900_000_001, admin: false, tokenId: 0 };
    for (const one of [member, absent]) {
      const unknown = { statusCode: 404, message: `No instance with id ${one.userId} found for user` };
      await assert.rejects(add(one), unknown);
    }
    await assert.rejects(remove(absent), notFound);
    assert.deepEqual([await unshare('member@example.com'), await unshare('nobody@example.com')], [{}, {}]);
    assert.deepEqual([await unshare('member@example.com'), await unshare('nobody@example.com')], [{}, {}]);
    const entries = await store.query.selectFrom('auditEntries').select(['action', 'detail']).orderBy('id').execute();
    const reported = entries.filter(({ action }) => action.startsWith('geofenceList.'));
    assert.deepEqual(
      reported.map(({ action, detail }) => [action.slice(13), Object.keys(JSON.parse(detail!)).sort()]),
      ['shared', 'shared', 'unshared', 'unshared'].map((action) => [action, ['email', 'listId']]),
      'the trail reveals no id either',
    );
  });

  test('membership begins when an account has the confirmed address', async () => {
    const { store, share, seenLists } = await setting();
    await share('later@example.com');
    const later = await makeUser(store, 'later@example.com');
    await store.query.updateTable('users').set({ emailConfirmedAt: null }).where('id', '=', later.userId).execute();
    await claimWaitingListGrants(store);
    assert.deepEqual(await seenLists(later), []);
    await store.query.updateTable('users').set({ emailConfirmedAt: NOW }).where('id', '=', later.userId).execute();
    await claimWaitingListGrants(store);
    assert.equal((await seenLists(later)).length, 1);
  });

  test('a member who is removed, or leaves, sees nothing at once, and their fences are off the list', async () => {
    const { store, owner, member, third, share, unshare, remove, leave, add, seenLists, seenFences, draw, put } =
      await setting();
    const fence = await draw(owner);
    await put(fence.id, owner);
    const theirs = await draw(member);
    const ends: Record<string, () => Promise<unknown>> = {
      'by address': () => unshare('member@example.com', third),
      'by id': () => remove(member, third),
      'by leaving': () => leave(member),
    };
    await share('third@example.com');
    for (const [way, end] of Object.entries(ends)) {
      await share('member@example.com');
      await put(theirs.id, member);
      assert.equal((await seenFences(owner)).length, 2, way);
      assert.deepEqual(await end(), {}, way);
      assert.deepEqual(await seenLists(member), [], way);
      assert.deepEqual(ids(await seenFences(member)), [theirs.id], way);
      assert.deepEqual(ids(await seenFences(owner)), [fence.id], way);
      for (const act of [
        () => share('x@example.com', member),
        () => remove(third, member),
        () => put(theirs.id, member),
      ])
        await assert.rejects(act(), notFound, way);
    }
    await claimWaitingListGrants(store);
    assert.deepEqual(await seenLists(member), [], 'no address brings them back');
    await assert.rejects(remove(member), notFound);
    await assert.rejects(remove(owner, third), { statusCode: 400 });
    assert.deepEqual(await add(owner, third), {}, 'the owner is a member already');
  });

  test('ending a share with an address of the owner leaves the fences of the owner on the list', async () => {
    const { owner, share, unshare, draw, put, seenFences, listid } = await setting();
    const fence = await draw(owner);
    await put(fence.id, owner);
    await share('owner@example.com');
    await unshare('owner@example.com');
    assert.deepEqual(
      (await seenFences(owner)).map(({ id, listId }) => [id, listId]),
      [[fence.id, listid]],
    );
  });

  test('a grant is of a group or of a list, to a user or to an address', async () => {
    const { store, owner, listid: listId } = await setting();
    const grant = { listId, groupId: null, userId: owner.userId, email: null, holderId: null, rights: null };
    const insert = (values: object) =>
      store.query
        .insertInto('grants')
        .values({ ...grant, grantedBy: null, created: NOW, ...values })
        .execute();
    await insert({});
    for (const wrong of [{ listId: null }, { userId: null }, { email: 'a@example.com' }])
      await assert.rejects(insert(wrong), /check constraint/i);
  });

  test('who is known by id may be named by it', async () => {
    const { store, owner, member, third, share, unshare, add, remove, seenLists } = await setting();
    await assert.rejects(add(member), notFound);
    const deviceId = await makeDevice(store, owner.userId);
    await store.query
      .insertInto('shareGrants')
      .values({ deviceId, userId: member.userId, email: null, holderId: member.userId, rights: 'view', created: NOW })
      .execute();
    assert.deepEqual([await add(member), await add(member)], [{}, {}]);
    assert.equal((await seenLists(member)).length, 1);
    await share('member@example.com');
    await unshare('member@example.com');
    assert.equal((await seenLists(member)).length, 1, 'a user who was also named by id stays');
    const admin = await makeUser(store, 'admin@example.com', true);
    const asOwner = { ...admin, userId: owner.userId };
    assert.deepEqual(await add(third, asOwner), {}, 'an admin may name everybody');
    assert.deepEqual(await remove(third, member), {}, 'and every member may end it');
    assert.deepEqual(await seenLists(third), []);
  });

  test('a device that is shared by address makes both users known to each other, while it is', async () => {
    const { store, owner, member, add, remove, seenLists } = await setting();
    const deviceId = await makeDevice(store, owner.userId);
    await assert.rejects(add(member), notFound);
    // What a share by address becomes once an account has the confirmed address.
    const share = { deviceId, userId: member.userId, rights: 'view', created: NOW } as const;
    await store.query.insertInto('shares').values(share).execute();
    assert.deepEqual(await add(member), {});
    assert.equal((await seenLists(member)).length, 1);
    await remove(member);
    await store.query.deleteFrom('shares').where('deviceId', '=', deviceId).execute();
    await assert.rejects(add(member), notFound);
  });

  test('a list that is deleted leaves its fences', async () => {
    const { owner, member, share, leave, draw, put, seenFences, seenLists } = await setting();
    await share('member@example.com');
    const [fence, theirs] = [await draw(owner), await draw(member)];
    await put(fence.id, owner);
    await put(theirs.id, member);
    assert.deepEqual(await leave(owner), {});
    for (const one of [owner, member]) {
      assert.deepEqual(await seenLists(one), []);
      assert.deepEqual(
        (await seenFences(one)).map(({ listId }) => listId),
        [null],
      );
    }
    await assert.rejects(leave(owner), notFound);
  });

  test('a user shares with so many new addresses a day', async () => {
    const { share } = await setting(2);
    for (const email of ['member@example.com', 'nobody@example.com']) await share(email);
    for (const email of ['third@example.com', 'noone@example.com'])
      await assert.rejects(share(email), { statusCode: 429 });
    await share('member@example.com');
    await assert.rejects(share('no address'), { statusCode: 422, message: /not an e-mail address/ });
  });
});
