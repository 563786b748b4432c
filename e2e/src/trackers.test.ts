import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import test, { before } from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { h02 } from '@trackway/simulator/trackers/h02.ts';
import { jt808 } from '@trackway/simulator/trackers/jt808.ts';
import { teltonika } from '@trackway/simulator/trackers/teltonika.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onEitherEngine } from './harness/engines.ts';
import { replyTo } from './harness/gt06-reply.ts';
import { makeStation, type Voice } from './harness/station.ts';
import { connectTracker, type TrackerPoint } from './harness/tracker.ts';

/** Trackers that speak protocols of their own, over real sockets. */

let made = 0;

onEitherEngine('trackers', (running) => {
  let owner: Voice;
  let admin: Voice;
  let startAt: number;

  before(async () => {
    ({ owner, admin } = await makeStation(running.api));
    startAt = Math.floor(Date.now() / 1000) * 1000 - 600_000;
  });

  const port = () => running.server.trackersPort;
  const point = (second: number, lat = 50, speed = 0): TrackerPoint => ({
    timestamp: startAt + second * 1000,
    location: { lat, lng: 8 },
    speed,
  });

  async function makeTracker(more: object = {}) {
    made += 1;
    const imei = imeiOf(made);
    const { id } = await owner.client.createDevice({ body: { name: 'tracker', imei, allowKeyless: true, ...more } });
    return { imei, id };
  }
  const pointsOf = (id: number) => owner.client.listPoints({ id, filter: { order: 'timestamp ASC' } });

  for (const [name, voice] of Object.entries({ gt06, teltonika, h02, jt808 }))
    test(`one port accepts ${name}: positions are stored, confirmed once, and known when they are sent again`, async (t) => {
      const { imei, id } = await makeTracker();
      const named = name === 'jt808' ? imei.slice(-12) : imei;
      if (named !== imei) await owner.client.updateDevice({ id, body: { serial: named } });
      for (let round = 0; round < 2; round++) {
        const tracker = await connectTracker(t, voice, named, port());
        await tracker.logIn();
        tracker.report([point(0), point(1), point(2)]);
        if (voice.isConfirmed) await tracker.confirmed(Math.ceil(3 / voice.pointsPerFrame));
        await eventually('they are stored', async () => (await pointsOf(id)).length >= 3);
        tracker.socket.destroy();
      }
      const stored = await pointsOf(id);
      assert.deepEqual(
        stored.map(({ timestamp }) => Date.parse(timestamp)),
        [0, 1, 2].map((second) => startAt + second * 1000),
      );
      assert.ok(Math.abs(stored[0]!.location!.lat - 50) < 1e-4);
      const device = await owner.client.getDevice({ id });
      assert.ok(device.lastConnection !== null);
      if (name !== 'gt06') return;
      const [first] = await owner.client.listPointsV2({ id, filter: { where: { cell: { neq: null } } } });
      assert.deepEqual(await owner.client.getPointV2({ id, fk: first!.id }), first);
      assert.deepEqual(first!.cell, { mcc: 262, mnc: 1, lac: 0x18d8, cid: 0x6141 });
      assert.equal((await owner.client.countReadings({ id, where: { type: 'cell' } })).count, 0);
    });

  test('operators see who is connected, and everyone the port', async (t) => {
    const { imei } = await makeTracker();
    const tracker = await connectTracker(t, gt06, imei, port());
    await tracker.logIn();
    // The right frame of a heartbeat with a wrong checksum.
    tracker.say(Buffer.from('78780a13000000000000000000000d0a', 'hex'));
    const metrics = await eventually(
      'a frame that could not be read is counted',
      async () => (await running.api('GET', '/metrics')).text,
      (text) => /trackway_undecoded_frames_total\{protocol="gt06"\} [1-9]/.test(text),
    );
    assert.match(metrics, /trackway_tracker_connections\{protocol="gt06"\} [1-9]/);
    assert.match(metrics, /trackway_tracker_refused_total 0/);
    assert.equal((await owner.client.getServerInfo({})).trackersPort, port());
  });

  test('the zone of a device says what its clock means', async (t) => {
    const { imei, id } = await makeTracker({ meta: { timeZone: '+02:00' } });
    const tracker = await connectTracker(t, gt06, imei, port());
    await tracker.logIn();
    tracker.report([point(0)]);
    await tracker.confirmed(1);
    const [stored] = await pointsOf(id);
    assert.equal(Date.parse(stored!.timestamp), startAt - 2 * 3_600_000);
  });

  test('an unknown tracker is listed; an admin adds it, and what it sends next is stored', async (t) => {
    made += 1;
    const imei = imeiOf(made);
    const tracker = await connectTracker(t, gt06, imei, port());
    tracker.say(gt06.login!(imei));
    const unknownTracker = await eventually(
      'it is listed',
      async () => (await admin.client.listUnknownTrackers({})).find(({ identity }) => identity === imei),
      Boolean,
    );
    assert.deepEqual(
      [unknownTracker!.protocol, unknownTracker!.address, tracker.received()],
      ['gt06', '127.0.0.1', ''],
    );
    assert.equal(unknownTracker!.deviceId, null);
    const device = await admin.client.addUnknownTracker({
      id: unknownTracker!.id,
      body: { name: 'Van', userId: owner.id },
    });
    assert.deepEqual([device.imei, device.name, device.allowKeyless, device.ownerId], [imei, 'Van', true, owner.id]);
    tracker.report([point(0)]);
    await tracker.confirmed(1);
    assert.equal((await pointsOf(device.id)).length, 1);
    assert.equal((await admin.client.listUnknownTrackers({})).length, 0);
    // One that exists, but may not report by its identity alone.
    await owner.client.updateDevice({ id: device.id, body: { allowKeyless: false } });
    const again = await connectTracker(t, gt06, imei, port());
    again.say(gt06.login!(imei));
    const second = await eventually('it is listed again', async () => (await admin.client.listUnknownTrackers({}))[0]);
    assert.deepEqual([second!.deviceId, second!.deviceName], [device.id, 'Van']);
    await admin.client.addUnknownTracker({ id: second!.id, body: {} });
    again.report([point(1)]);
    await again.confirmed(1);
    assert.equal((await pointsOf(device.id)).length, 2);
  });

  test('an unknown tracker can be dismissed', async (t) => {
    made += 1;
    const tracker = await connectTracker(t, gt06, imeiOf(made), port());
    tracker.say(gt06.login!(imeiOf(made)));
    const unknownTracker = await eventually(
      'it is listed',
      async () => (await admin.client.listUnknownTrackers({}))[0],
    );
    await admin.client.deleteUnknownTracker({ id: unknownTracker!.id });
    assert.deepEqual(await admin.client.listUnknownTrackers({}), []);
  });

  test('a wrong checksum is neither stored nor confirmed, and admins see its bytes', async (t) => {
    const { imei, id } = await makeTracker();
    const tracker = await connectTracker(t, gt06, imei, port());
    await tracker.logIn();
    const frame = gt06.report(imei, [point(0)] as never, 9);
    frame[10]! ^= 0xff;
    tracker.say(frame);
    tracker.report([point(1)]);
    await tracker.confirmed(1);
    assert.equal((await pointsOf(id)).length, 1);
    const seen = await admin.client.listUndecodedFrames({ filter: { where: { deviceId: id } } });
    assert.deepEqual(
      seen.map(({ protocol, bytes, count }) => [protocol, bytes, count]),
      [['gt06', frame.toString('hex'), 1]],
    );
  });

  test('what is quarantined is confirmed, and so is what an inactive device sends', async (t) => {
    const { imei, id } = await makeTracker();
    const tracker = await connectTracker(t, gt06, imei, port());
    await tracker.logIn();
    tracker.report([point(86_400)]);
    await tracker.confirmed(1);
    assert.ok((await owner.client.countQuarantine({ id })).count > 0);
    await owner.client.updateDevice({ id, body: { active: false } });
    tracker.report([point(0)]);
    await tracker.confirmed(2);
    assert.deepEqual(await pointsOf(id), []);
  });

  test('datagrams are accepted on the same port', async (t) => {
    const { imei, id } = await makeTracker();
    const socket = createSocket('udp4');
    t.after(() => socket.close());
    socket.send(h02.report(imei, [point(0)] as never, 1), port(), '127.0.0.1');
    await eventually('it is stored', async () => (await pointsOf(id)).length === 1);
  });

  test('a command goes down to a device that is connected; its reply is a message of the device', async (t) => {
    const { imei, id } = await makeTracker();
    const tracker = await connectTracker(t, gt06, imei, port());
    await tracker.logIn();
    tracker.report([point(0)]);
    await tracker.confirmed(1);
    const device = await owner.client.getDevice({ id });
    assert.deepEqual(device.supportedCommands, ['position', 'reboot', 'interval', 'engineStop', 'engineResume']);
    const asked = await owner.client.sendCommand({ id, body: { command: 'position' } });
    assert.equal(asked.state, 'queued');
    await eventually('it goes down', () => tracker.received().includes(Buffer.from('WHERE#').toString('hex')));
    const stateOf = async (fk: number) => (await owner.client.getMessage({ id, fk })).state;
    assert.equal(await stateOf(asked.id), 'written');
    tracker.say(replyTo(asked.id, 'No data yet'));
    const done = await eventually(
      'it is confirmed',
      () => owner.client.getMessage({ id, fk: asked.id }),
      ({ state }) => state === 'confirmed',
    );
    assert.ok(done.sent !== null);
    const reply = await owner.client.getMessage({ id, fk: done.replyId! });
    assert.deepEqual([reply.message, reply.mobileTerminated, reply.state], ['No data yet', false, null]);

    const unknown = await owner.post(`/devices/${id}/commands`, { command: 'alarmArm' });
    assert.equal(unknown.status, 422, unknown.text);
    const said = await owner.client.createMessage({ id, body: { message: 'STATUS#' } });
    await eventually('a text goes down too', () => tracker.received().includes(Buffer.from('STATUS#').toString('hex')));
    tracker.say(replyTo(said.id, 'error'));
    await eventually('the device refuses it', async () => (await stateOf(said.id)) === 'failed');
    const wordless = await owner.client.createMessage({ id, body: { config: 'AAAA' } });
    await eventually('it can not be said', async () => (await stateOf(wordless.id)) === 'failed');
    assert.equal((await owner.client.getMessage({ id, fk: wordless.id })).failure, 'unsupported');
  });

  test('an engine is stopped only where a new position says that it is slow, or by force', async (t) => {
    const { imei, id } = await makeTracker();
    const tracker = await connectTracker(t, gt06, imei, port());
    await tracker.logIn();
    const changeAfter = async (body: object) => {
      const { id: fk } = await owner.client.sendCommand({ id, body: { command: 'engineStop', ...body } });
      const fate = await eventually(
        'it is decided',
        () => owner.client.getMessage({ id, fk }),
        ({ state }) => state !== 'queued',
      );
      if (fate.state === 'written') tracker.say(replyTo(fk, 'OK'));
      return fate;
    };
    const nowAt = (ago: number, speed: number) => ({ ...point(0, 50, speed), timestamp: Date.now() - ago });
    tracker.report([nowAt(120_000, 0)]);
    await tracker.confirmed(1);
    assert.equal((await changeAfter({})).failure, 'noPosition');
    tracker.report([nowAt(2000, 60)]);
    await tracker.confirmed(2);
    assert.equal((await changeAfter({})).failure, 'moving');
    assert.ok(!tracker.received().includes(Buffer.from('Relay').toString('hex')));
    assert.equal((await changeAfter({ force: true })).state, 'written');
    tracker.report([nowAt(0, 10)]);
    await tracker.confirmed(3);
    assert.equal((await changeAfter({})).state, 'written');
  });

  test('a command that is not sent in its time expires; one without an end waits', async () => {
    const { id } = await makeTracker();
    const expires = new Date(Date.now() + 1000).toISOString();
    const short = await owner.client.sendCommand({ id, body: { command: 'reboot', expires } });
    const long = await owner.client.createMessage({ id, body: { message: 'hello' } });
    await eventually(
      'it expires',
      () => owner.client.getMessage({ id, fk: short.id }),
      ({ state }) => state === 'expired',
    );
    assert.equal((await owner.client.getMessage({ id, fk: long.id })).state, 'queued');
  });
});
