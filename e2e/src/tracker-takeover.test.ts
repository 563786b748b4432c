import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import test, { before } from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { h02 } from '@trackway/simulator/trackers/h02.ts';
import { jt808 } from '@trackway/simulator/trackers/jt808.ts';
import { teltonika } from '@trackway/simulator/trackers/teltonika.ts';
import type { TrackerVoice } from '@trackway/simulator/trackers/voice.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { tcpFrame, textData, udpFrame } from '../../server/src/edge/protocols/trackers/teltonika/testing.ts';
import { eventually } from '../../server/src/testing/eventually.ts';
import { onEitherEngine } from './harness/engines.ts';
import { replyTo } from './harness/gt06-reply.ts';
import { makeStation, type Voice } from './harness/station.ts';
import { connectTracker } from './harness/tracker.ts';

/** Whoever knows the IMEI of a connected tracker can neither receive its commands nor confirm them. */

const two = (value: number) => String(value).padStart(2, '0');

/** A tracker of Coban: it logs in, and each of its reports is a sentence. */
const gps103: TrackerVoice = {
  ...h02,
  isConfirmed: false,
  login: (imei) => Buffer.from(`##,imei:${imei},A;`),
  report(imei, [point]) {
    const at = new Date(point!.timestamp);
    const clock = `${two(at.getUTCHours())}${two(at.getUTCMinutes())}${two(at.getUTCSeconds())}`;
    const day = `${at.getUTCFullYear() % 100}${two(at.getUTCMonth() + 1)}${two(at.getUTCDate())}`;
    return Buffer.from(`imei:${imei},tracker,${day}${clock},,F,${clock}.000,A,5000.0000,N,00800.0000,E,0.00,0;`);
  },
  onData: (bytes) => ({ answers: bytes.includes('LOAD') ? ['accepted'] : [], remaining: Buffer.alloc(0) }),
};

/** A reply as the tracker would send it, and as the attacker forges it. */
const REPLIES: Readonly<Record<string, (identity: string, messageId: number) => Buffer>> = {
  gt06: (_, messageId) => replyTo(messageId, 'OK'),
  teltonika: () => tcpFrame(textData(0x0c, 6, Buffer.from('DOUT1:1'))),
  h02: (imei) => Buffer.from(`*HQ,${imei},V4,S20,DONE#`),
  gps103: (imei) => Buffer.from(`imei:${imei},jt,000000000000,,L,;`),
  jt808: (number, messageId) => generalReply(number, messageId),
};

/** 0001: the serial of what it answers, its type 8105, done. */
function generalReply(number: string, messageId: number): Buffer {
  const body = Buffer.alloc(5);
  body.writeUInt16BE(messageId & 0xffff);
  body.writeUInt16BE(0x8105, 2);
  const head = Buffer.concat([Buffer.from([0, 1, 0, body.length]), Buffer.from(number, 'hex'), Buffer.from([0, 99])]);
  const content = Buffer.concat([head, body]);
  const sum = content.reduce((all, byte) => all ^ byte, 0);
  const escaped = [...content, sum].flatMap((byte) => (byte === 0x7e ? [0x7d, 2] : byte === 0x7d ? [0x7d, 1] : [byte]));
  return Buffer.from([0x7e, ...escaped, 0x7e]);
}

const TRACKERS = Object.entries({ gt06, teltonika, h02, gps103, jt808 });

let made = 500;

onEitherEngine('a tracker whose IMEI is known to an attacker', (running) => {
  let owner: Voice;
  before(async () => {
    ({ owner } = await makeStation(running.api));
  });
  const port = () => running.server.trackersPort;
  const place = (ago: number) => ({ timestamp: Date.now() - ago, location: { lat: 50, lng: 8 }, speed: 0 });

  async function makeTracker(name: string) {
    made += 1;
    const imei = imeiOf(made);
    const named = name === 'jt808' ? imei.slice(-12) : imei;
    const body = { name: 'van', imei, allowKeyless: true, ...(named !== imei && { serial: named }) };
    return { named, id: (await owner.client.createDevice({ body })).id };
  }

  function datagrams(t: { after(done: () => void): void }) {
    const socket = createSocket('udp4');
    t.after(() => socket.close());
    let received = '';
    socket.on('message', (bytes) => {
      received += bytes.toString('hex');
    });
    const say = (bytes: Buffer) => socket.send(bytes, port(), '127.0.0.1');
    return {
      received: () => received,
      say,
      report(voice: TrackerVoice, named: string, ago: number) {
        const frame = voice.report(named, [place(ago)] as never, 7);
        if (voice === teltonika) return say(udpFrame(named, frame.subarray(8, -4)));
        if (voice.login !== undefined) say(voice.login(named));
        say(frame);
      },
    };
  }

  const noticesOf = async (id: number) =>
    (await owner.client.listNotifications({ id: 'me' })).filter(
      ({ deviceId, params }) => deviceId === id && (params as { type?: string }).type === 'contested',
    );

  for (const [name, voice] of TRACKERS) {
    test(`${name}: the attacker gets no command and confirms none, and the owner is notified`, async (t) => {
      const { named, id } = await makeTracker(name);
      const tracker = await connectTracker(t, voice, named, port());
      await tracker.logIn();
      tracker.report([place(5000)]);
      await eventually('it is stored', async () => (await owner.client.listPoints({ id })).length === 1);

      const attacker = await connectTracker(t, voice, named, port());
      const byUdp = datagrams(t);
      const inAnother = datagrams(t);
      await attacker.logIn();
      attacker.report([place(4000)]);
      byUdp.report(voice, named, 3000);
      inAnother.report(name === 'h02' ? gps103 : h02, named, 2000);
      await eventually('all that it sent is stored', async () => (await owner.client.listPoints({ id })).length === 4);
      // Whatever waits for an answer has got it by now.
      await eventually('it is quiet', async () => (await noticesOf(id)).length === 1);
      const before = [attacker.received(), byUdp.received(), inAnother.received()];

      const { id: fk } = await owner.client.sendCommand({ id, body: { command: 'engineStop', force: true } });
      const held = await eventually(
        'it is held',
        () => owner.client.getMessage({ id, fk }),
        ({ failure }) => failure !== null,
      );
      assert.deepEqual([held.state, /two connections/.test(held.failure!)], ['queued', true]);
      attacker.say(REPLIES[name]!(named, fk));
      byUdp.say(REPLIES[name]!(named, fk));
      attacker.socket.destroy();
      const done = await eventually(
        'the tracker gets it',
        () => owner.client.getMessage({ id, fk }),
        ({ state }) => state !== 'queued',
      );
      assert.deepEqual([done.state, done.failure], ['written', null]);
      const again = await connectTracker(t, voice, named, port());
      if (voice.login !== undefined) again.say(voice.login(named));
      again.say(REPLIES[name]!(named, fk));
      byUdp.say(REPLIES[name]!(named, fk));
      again.report([place(1000)]);
      await eventually('the forged reply was read', async () => (await owner.client.listPoints({ id })).length === 5);
      assert.equal((await owner.client.getMessage({ id, fk })).state, 'written');
      tracker.say(REPLIES[name]!(named, fk));
      await eventually(
        'its own reply counts',
        async () => (await owner.client.getMessage({ id, fk })).state === 'confirmed',
      );
      const after = [attacker.received(), byUdp.received(), inAnother.received()];
      assert.equal(after[0], before[0]);
      assert.ok(!after.some((received) => holdsCommand(received, named)), 'no command reached the attacker');
      assert.ok(!holdsCommand(again.received(), named));
      assert.equal((await noticesOf(id)).length, 1);

      tracker.socket.destroy();
      const { id: next } = await owner.client.sendCommand({ id, body: { command: 'engineResume' } });
      const isHeld = ({ failure }: { failure: string | null }) => /open at the same time/.test(failure ?? '');
      await eventually('it is held', () => owner.client.getMessage({ id, fk: next }), isHeld);
      const returned = await connectTracker(t, voice, named, port());
      await returned.logIn();
      returned.report([place(0)]);
      const isWritten = ({ state }: { state: string | null }) => state === 'written';
      await eventually('it goes down', () => owner.client.getMessage({ id, fk: next }), isWritten);
      assert.ok(![again, byUdp, inAnother].some((one) => holdsCommand(one.received(), named)));
    });

    test(`${name}: neither does one of a tracker that reports by UDP`, async (t) => {
      const { named, id } = await makeTracker(name);
      const stored = (count: number) =>
        eventually('it is stored', async () => (await owner.client.listPoints({ id })).length === count);
      const [tracker, byUdp] = [datagrams(t), datagrams(t)];
      tracker.report(voice, named, 7000);
      await stored(1);
      const byTcp = await connectTracker(t, voice, named, port());
      await byTcp.logIn();
      byTcp.report([place(6000)]);
      byUdp.report(voice, named, 5000);
      await stored(3);
      tracker.report(voice, named, 4000);
      await eventually('the owner is notified', async () => (await noticesOf(id)).length === 1);

      const { id: fk } = await owner.client.sendCommand({ id, body: { command: 'engineStop', force: true } });
      const isHeld = ({ failure }: { failure: string | null }) => /two connections/.test(failure ?? '');
      await eventually('it is held', () => owner.client.getMessage({ id, fk }), isHeld);
      for (const attacker of [byTcp, byUdp]) attacker.say(REPLIES[name]!(named, fk));
      byTcp.report([place(3000)]);
      byUdp.report(voice, named, 2000);
      await stored(6);
      assert.equal((await owner.client.getMessage({ id, fk })).state, 'queued');
      assert.ok(![byTcp, byUdp].some((one) => holdsCommand(one.received(), named)));
    });
  }

  test('a tracker that was set to another protocol gets commands once its owner released the channel', async (t) => {
    const { named, id } = await makeTracker('gt06');
    const before = await connectTracker(t, gt06, named, port());
    await before.logIn();
    before.socket.destroy();
    const after = await connectTracker(t, h02, named, port());
    after.report([place(0)]);
    await eventually('it is stored', async () => (await owner.client.listPoints({ id })).length === 1);
    const { id: fk } = await owner.client.sendCommand({ id, body: { command: 'engineResume' } });
    const held = await eventually(
      'it is held',
      () => owner.client.getMessage({ id, fk }),
      ({ failure }) => failure !== null,
    );
    assert.match(held.failure!, /h02 over TCP, which it has not used before/);
    await owner.client.releaseCommandChannel({ id });
    await eventually('it is closed', () => after.isClosed());
    const again = await connectTracker(t, h02, named, port());
    again.report([place(0)]);
    await eventually('it goes down', async () => (await owner.client.getMessage({ id, fk })).state === 'written');
  });

  test('commands go only to the networks that the owner names', async (t) => {
    const { named, id } = await makeTracker('gt06');
    const wrong = await owner.put(`/devices/${id}`, { commandsFrom: ['anywhere'] });
    assert.equal(wrong.status, 422, wrong.text);
    await owner.client.updateDevice({ id, body: { commandsFrom: ['203.0.113.0/24', 'key'] } });
    const tracker = await connectTracker(t, gt06, named, port());
    await tracker.logIn();
    const { id: fk } = await owner.client.sendCommand({ id, body: { command: 'position' } });
    const held = await eventually(
      'it is held',
      () => owner.client.getMessage({ id, fk }),
      ({ failure }) => failure !== null,
    );
    assert.match(held.failure!, /from a network/);
    await owner.client.updateDevice({ id, body: { commandsFrom: ['127.0.0.0/8'] } });
    await eventually('it goes down', async () => {
      tracker.report([place(0)]);
      return (await owner.client.getMessage({ id, fk })).state === 'written';
    });
  });
});

/** Whether it contains a command that stops or resumes an engine, in the words of each protocol. */
const holdsCommand = (received: string, named: string) =>
  ['Relay', 'DYD', 'setdigout', ',S20,', `imei:${named},109`, `imei:${named},J`, `imei:${named},K`].some((word) =>
    received.includes(Buffer.from(word).toString('hex')),
  ) || /7e8105/.test(received);
