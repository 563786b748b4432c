import assert from 'node:assert/strict';
import test, { before } from 'node:test';
import { onEitherEngine } from './harness/engines.ts';
import { makePerson } from './harness/people.ts';
import { makeStation, type Station, type Voice, voiceOf } from './harness/station.ts';

const ARN = 'arn:aws:sqs:eu-west-1:123456789012:queue';

/** Section 3 of the contract beyond single calls: what lists show, and what ends when rights end. */
onEitherEngine('what people see', (running) => {
  let station: Station;
  let viewer: Voice;
  let manager: Voice;
  const newcomer = async (name: string) => voiceOf(running.api, await makePerson(running.api, station.admin, name));
  const idsOf = (answer: { body: { id: number }[] }) => answer.body.map(({ id }) => id);

  before(async () => {
    station = await makeStation(running.api);
    viewer = await newcomer('viewer');
    manager = await newcomer('manager');
    await station.owner.make(`/devices/${station.device}/shares`, { email: viewer.email });
    await station.owner.make(`/devices/${station.device}/shares`, { email: manager.email, rights: 'manage' });
  });

  test('lists of devices hold what is one’s own or shared, for admins everything', async () => {
    const { admin, owner, other, device, otherDevice } = station;
    assert.deepEqual(idsOf(await owner.get('/devices')), [device]);
    assert.deepEqual(idsOf(await viewer.get('/devices')), [device]);
    assert.deepEqual(idsOf(await other.get('/devices')), [otherDevice]);
    assert.deepEqual(idsOf(await admin.get('/devices')), [device, otherDevice]);
    assert.deepEqual(idsOf(await viewer.get('/users/me/devices')), [device]);
    assert.deepEqual(idsOf(await admin.get(`/users/${other.id}/devices`)), [otherDevice]);
    assert.deepEqual((await viewer.get('/devices/count')).body, { count: 1 });
    assert.deepEqual((await admin.get('/devices/count')).body, { count: 2 });
    const where = encodeURIComponent(JSON.stringify({ where: { or: [{ id: otherDevice }, { ownerId: other.id }] } }));
    assert.deepEqual((await viewer.get(`/devices?filter=${where}`)).body, []);
  });

  test('"me" is the caller', async () => {
    assert.equal((await viewer.get('/users/me')).body.id, viewer.id);
    const fence = await viewer.make('/users/me/geofences', { name: 'mine' });
    assert.equal(fence.userId, viewer.id);
    assert.equal((await viewer.get(`/users/${viewer.id}/geofences/${fence.id}`)).status, 200);
    await viewer.delete(`/users/me/geofences/${fence.id}`);
  });

  test('what an admin makes under a user’s path is that user’s', async () => {
    const { admin } = station;
    const user = await newcomer('kept');
    const fence = await admin.make(`/users/${user.id}/geofences`, { name: 'theirs', userId: admin.id });
    assert.equal(fence.userId, user.id);
    const device = await admin.make(`/users/${user.id}/devices`, { name: 'theirs', ownerId: admin.id });
    assert.equal(device.ownerId, user.id);
    assert.deepEqual(idsOf(await user.get('/users/me/geofences')), [fence.id]);
    assert.deepEqual(idsOf(await user.get('/devices')), [device.id]);
    await admin.delete(`/devices/${device.id}`);
  });

  test('triggers are seen by the users they notify, by the owner of the device and by admins', async () => {
    const { admin, owner, device } = station;
    const path = `/devices/${device}/notificationTriggers`;
    const ofOwner = await owner.make(path, { type: 'newLoc' });
    const ofManager = await manager.make(path, { type: 'newMsg' });
    const seenByOwner = (await owner.get(path)).body as { id: number; userId: number }[];
    assert.deepEqual(
      seenByOwner.map(({ id, userId }) => [id, userId]),
      [
        [ofOwner.id, owner.id],
        [ofManager.id, manager.id],
      ],
    );
    assert.deepEqual((await owner.get(`${path}/count`)).body, { count: 2 });
    assert.deepEqual(idsOf(await manager.get(path)), [ofManager.id]);
    assert.deepEqual(idsOf(await viewer.get(path)), []);
    assert.deepEqual(idsOf(await admin.get(path)), [ofOwner.id, ofManager.id]);
    assert.deepEqual((await viewer.get(`${path}/count`)).body, { count: 0 });
    for (const method of ['get', 'put', 'delete'] as const)
      assert.equal((await manager[method](`${path}/${ofOwner.id}`)).status, 404, `manager ${method}`);
    assert.equal((await manager.delete(path)).status, 204);
    assert.deepEqual(idsOf(await admin.get(path)), [ofOwner.id], 'deleting one’s triggers spares those of others');
  });

  test('an owner ends the triggers and forwarders of others, and changes none', async () => {
    const { admin, owner, device } = station;
    const triggers = `/devices/${device}/notificationTriggers`;
    const forwarders = `/devices/${device}/forwarders`;
    for (const maker of [manager, admin]) {
      const trigger = await maker.make(triggers, { type: 'newLoc', delivery: { push: true } });
      assert.deepEqual((await owner.get(`${triggers}/${trigger.id}`)).body, trigger);
      const changed = await owner.put(`${triggers}/${trigger.id}`, { delivery: { email: true } });
      assert.equal(changed.status, 403, changed.text);
      const forwarder = await maker.make(forwarders, { kind: 'mqtt' });
      const listed = (await owner.get(forwarders)).body as { id: number; userId: number }[];
      assert.equal(listed.find(({ id }) => id === forwarder.id)?.userId, maker.id);
      const moved = await owner.put(`${forwarders}/${forwarder.id}`, { target: `users/${maker.id}/elsewhere` });
      assert.equal(moved.status, 403, moved.text);

      const kept = await owner.make(triggers, { type: 'newLoc' });
      assert.equal((await owner.delete(triggers)).status, 204);
      assert.ok(!idsOf(await admin.get(triggers)).includes(kept.id));
      assert.ok(idsOf(await admin.get(triggers)).includes(trigger.id), 'those of others are ended one by one');
      assert.equal((await owner.delete(`${triggers}/${trigger.id}`)).status, 204);
      assert.equal((await owner.delete(`${forwarders}/${forwarder.id}`)).status, 204);
      assert.ok(!idsOf(await maker.get(triggers)).includes(trigger.id));
      assert.ok(!idsOf(await maker.get(forwarders)).includes(forwarder.id));
    }
  });

  test('a user ends their own share and nobody else’s', async () => {
    const { owner } = station;
    const device = (await owner.make('/devices', { name: 'shared' })).id;
    const one = await newcomer('one');
    const two = await newcomer('two');
    const shares = `/devices/${device}/shares`;
    const ofOne = await owner.make(shares, { email: one.email, rights: 'manage' });
    const ofTwo = await owner.make(shares, { email: two.email });
    assert.equal((await one.delete(`${shares}/${ofTwo.id}`)).status, 403);
    assert.equal((await one.delete(`${shares}/${ofOne.id}`)).status, 204);
    assert.equal((await one.get(`/devices/${device}`)).status, 404);
    assert.equal((await two.get(`/devices/${device}`)).status, 200);
  });

  test('the end of a share ends that user’s triggers and forwarders, at once and only theirs', async () => {
    const { admin, owner } = station;
    const device = (await owner.make('/devices', { name: 'shared' })).id;
    const guest = await newcomer('guest');
    const share = await owner.make(`/devices/${device}/shares`, { email: guest.email, rights: 'manage' });
    const kept = await owner.make(`/devices/${device}/notificationTriggers`, { type: 'newLoc' });
    await guest.make(`/devices/${device}/notificationTriggers`, { type: 'newLoc' });
    await guest.make(`/devices/${device}/setupSqsForwarding`, { sqsArn: ARN });
    assert.equal((await owner.get(`/devices/${device}/forwarders`)).body.length, 1);
    assert.equal((await owner.delete(`/devices/${device}/shares/${share.id}`)).status, 204);
    assert.equal((await guest.get(`/devices/${device}`)).status, 404);
    assert.deepEqual(idsOf(await admin.get(`/devices/${device}/notificationTriggers`)), [kept.id]);
    assert.deepEqual((await admin.get(`/devices/${device}/forwarders`)).body, []);
  });

  test('a share that shrinks from manage to view takes the right to change', async () => {
    const { owner } = station;
    const device = (await owner.make('/devices', { name: 'shared' })).id;
    const guest = await newcomer('guest');
    const share = await owner.make(`/devices/${device}/shares`, { email: guest.email, rights: 'manage' });
    assert.equal((await guest.put(`/devices/${device}/config`, { interval: 60 })).status, 200);
    assert.equal((await owner.put(`/devices/${device}/shares/${share.id}`, { rights: 'view' })).status, 200);
    assert.equal((await guest.put(`/devices/${device}/config`, { interval: 61 })).status, 403);
    assert.equal((await owner.get(`/devices/${device}/config`)).body.interval, 60);
  });

  test('a deleted device is hidden at once, and an admin brings it back whole', async () => {
    const { admin, owner } = station;
    const device = (await owner.make('/devices', { name: 'lost', imei: 'lost-1' })).id;
    const reading = await owner.make(`/devices/${device}/gatewayReadings`, { type: 'temp', value: 1 });
    assert.equal((await owner.delete(`/devices/${device}`)).status, 204);
    assert.equal((await owner.get(`/devices/${device}`)).status, 404);
    assert.equal((await admin.get(`/devices/${device}`)).status, 404);
    assert.equal((await owner.get(`/devices/${device}/gatewayReadings/${reading.id}`)).status, 404);
    assert.ok(!idsOf(await owner.get('/devices')).includes(device));
    assert.ok(idsOf(await admin.get('/devices/deleted')).includes(device));
    assert.equal((await owner.post(`/devices/${device}/restore`)).status, 404);
    assert.equal((await admin.post(`/devices/${device}/restore`)).status, 200);
    assert.deepEqual((await owner.get(`/devices/${device}/gatewayReadings/${reading.id}`)).body, reading);
    assert.equal((await owner.post(`/devices/${device}/restore`)).status, 403, 'seen, but not theirs to restore');
    assert.equal((await admin.post(`/devices/${device}/restore`)).status, 404, 'not deleted any more');
    assert.equal((await owner.delete(`/devices/${device}`)).status, 204);
  });

  test('a key in a body must name something that the caller may see', async () => {
    const { owner, other, device, otherDevice } = station;
    const otherPoint = await other.make(`/devices/${otherDevice}/points`, { location: { lat: 1, lng: 1 } });
    const otherFence = await other.make('/users/me/geofences', { name: 'theirs' });
    const otherConfig = (await other.get(`/devices/${otherDevice}/config`)).body.id;
    const fence = await owner.make('/users/me/geofences', { name: 'mine' });
    const reading = await owner.make(`/devices/${device}/gatewayReadings`, { type: 'temp', value: 1 });
    const trigger = await owner.make(`/devices/${device}/notificationTriggers`, { type: 'geoEntry' });
    const readings = `/devices/${device}/gatewayReadings`;
    type Case = [field: string, unseen: number, attempt: (key: number) => ReturnType<Voice['post']>];
    const named: Case[] = [
      ['deviceId', otherDevice, (key) => owner.post(readings, { type: 'temp', value: 1, deviceId: key })],
      ['deviceId', otherDevice, (key) => owner.put(`${readings}/${reading.id}`, { deviceId: key })],
      [
        'gatewayId',
        otherDevice,
        (key) => owner.post(`/devices/${device}/readings`, { type: 'temp', value: 1, gatewayId: key }),
      ],
    ];
    const cases: Case[] = [
      ...named,
      ['datapointId', otherPoint.id, (key) => owner.post(readings, { type: 'temp', value: 1, datapointId: key })],
      ['datapointId', otherPoint.id, (key) => owner.put(`${readings}/${reading.id}`, { datapointId: key })],
      ['deviceId', otherDevice, (key) => owner.post('/users/me/geofences', { deviceId: key })],
      ['deviceId', otherDevice, (key) => owner.put(`/users/me/geofences/${fence.id}`, { deviceId: key })],
      ['configId', otherConfig, (key) => owner.post('/users/me/geofences', { configId: key })],
      ['configId', otherConfig, (key) => owner.put(`/users/me/geofences/${fence.id}`, { configId: key })],
      ['safeZoneId', otherFence.id, (key) => owner.put(`/devices/${device}/config`, { safeZoneId: key })],
      [
        'parameters',
        otherFence.id,
        (key) => owner.put(`/devices/${device}/notificationTriggers/${trigger.id}`, { parameters: { zoneId: key } }),
      ],
      [
        'parameters',
        otherDevice,
        (key) =>
          owner.post(`/devices/${device}/notificationTriggers`, { type: 'proximity', parameters: { deviceId: key } }),
      ],
    ];
    // A reading says something of the device it names, so that it is not enough to see that device.
    const viewed = (await other.make('/devices', { name: 'viewed' })).id;
    await other.make(`/devices/${viewed}/shares`, { email: owner.email, rights: 'view' });
    for (const [field, unseen, attempt] of [
      ...cases,
      ...named.map(([name, , attempt]) => [name, viewed, attempt] as const),
    ]) {
      const hidden = await attempt(unseen);
      const absent = await attempt(900_000_001);
      assert.equal(hidden.status, 422, hidden.text);
      assert.deepEqual(Object.keys(hidden.body.error.details.codes), [field]);
      assert.equal(absent.text, hidden.text.replaceAll(`: ${unseen}`, ': 900000001'), 'unseen and absent look alike');
    }
    const before = (await owner.get(`${readings}/${reading.id}`)).body;
    assert.deepEqual(before, reading, 'refused updates changed nothing');
  });

  test('a reading of two devices is changed and deleted by those who may manage both', async () => {
    const { owner, other } = station;
    const sensed = (await owner.make('/devices', { name: 'sensed' })).id;
    const gateway = (await other.make('/devices', { name: 'gateway of another' })).id;
    const share = await owner.make(`/devices/${sensed}/shares`, { email: other.email, rights: 'manage' });
    const readings = `/devices/${gateway}/gatewayReadings`;
    const reading = await other.make(readings, { type: 'temp', value: 1, deviceId: sensed });
    const ofGateway = await other.make(readings, { type: 'temp', value: 2 });
    assert.equal((await other.put(`${readings}/${reading.id}`, { value: 3 })).status, 200);
    await owner.put(`/devices/${sensed}/shares/${share.id}`, { rights: 'view' });
    for (const right of ['view', 'none']) {
      assert.equal((await other.put(`${readings}/${reading.id}`, { value: 4 })).status, 403, right);
      assert.equal((await other.put(`${readings}/${reading.id}`, { deviceId: null })).status, 403, right);
      assert.equal((await other.delete(`${readings}/${reading.id}`)).status, 403, right);
      if (right === 'view') await owner.delete(`/devices/${sensed}/shares/${share.id}`);
    }
    assert.equal((await other.delete(readings)).status, 204);
    assert.equal((await other.get(`${readings}/${ofGateway.id}`)).status, 404);
    assert.equal((await owner.get(`/devices/${sensed}/readings/${reading.id}`)).body.value, 3);
    assert.equal((await owner.put(`/devices/${sensed}/readings/${reading.id}`, { value: 5 })).status, 403);
    // Whoever has nothing to do with the gateway any more can still be rid of it with the device.
    assert.equal((await other.delete(`/devices/${gateway}`)).status, 204);
  });
});
