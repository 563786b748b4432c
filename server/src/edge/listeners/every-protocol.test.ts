import assert from 'node:assert/strict';
import { test } from 'node:test';
import { Random } from '@trackway/simulator/random.ts';
import type { KnownTracker } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { FailureLimit, RateLimit } from '../http/rate-limit.ts';
import { goodFrames } from '../protocols/trackers/testing/good-frames.ts';
import type { TrackerProtocol } from '../protocols/trackers/tracker.ts';
import { trackerProtocols } from '../protocols/trackers/trackers.ts';
import { TrackerCommands } from './commands.ts';
import type { TrackerPort } from './context.ts';
import { Conversation } from './conversation.ts';
import { Clones, Repeats, StandingAlarms } from './device-memory.ts';
import { FakeGateway } from './testing/fake-gateway.ts';

/** What every protocol keeps over one connection, whatever comes between its frames. */

const [ONE, TWO] = ['359999000000011', '359999000000029'];
const STREAMS = 40;
const LATER_MS = 10_000;
/** The share of streams that may lose the frame behind a damaged one. */
const MAY_LOSE = 0.1;

/** Each IMEI is a device; other protocols name it by its last digits. */
class AllKnown extends FakeGateway {
  override async find(names: readonly string[]): Promise<KnownTracker> {
    const isTwo = names.some((name) => TWO.endsWith(name.replace(/^0+/, '')));
    return { deviceId: isTwo ? 2 : 1 };
  }
}

function converse(protocol: TrackerProtocol, port: TrackerPort = { protocol }) {
  const gateway = new AllKnown();
  let isClosed = false;
  const line = {
    address: '192.0.2.1',
    transport: 'tcp' as const,
    send: () => true,
    close: () => {
      isClosed = true;
    },
    setReading: () => {},
  };
  const context = {
    gateway,
    protocols: trackerProtocols,
    failures: new FailureLimit(0),
    limit: new RateLimit(0),
    alarms: new StandingAlarms(),
    sightings: new Repeats(),
    commands: new TrackerCommands(gateway, (error) => assert.fail(String(error))),
    clones: new Clones(),
    log: watchfulLog,
  };
  const conversation = new Conversation(context, port, line, timeNow());
  const idle = () => new Promise((resolve) => setImmediate(resolve));
  return {
    gateway,
    conversation,
    isClosed: () => isClosed,
    async hear(...pieces: readonly Buffer[]) {
      for (const piece of pieces) {
        if (piece.length > 0) conversation.hear(piece, timeNow());
        await idle();
      }
    },
    async silence() {
      await idle();
      conversation.look(timeNow() + LATER_MS);
      await idle();
    },
    /** Positions of the good frames, in all or of one device. */
    places: (deviceId?: number) =>
      gateway.received
        .filter((one) => deviceId === undefined || one.deviceId === deviceId)
        .flatMap(({ report }) => report.points)
        .filter(({ location }) => Math.abs((location?.lat ?? 0) - 52.5) < 1e-4).length,
  };
}

function pieces(stream: Buffer, random: Random): Buffer[] {
  const all: Buffer[] = [];
  for (let at = 0; at < stream.length; ) {
    const end = Math.min(stream.length, at + 1 + random.below(40));
    all.push(stream.subarray(at, end));
    at = end;
  }
  return all;
}

/** Some bytes of it are others, or its end is missing. */
function damaged(frame: Buffer, random: Random): Buffer {
  const bad = Buffer.from(frame);
  for (let n = 1 + random.below(3); n > 0; n--) bad[random.below(bad.length)] = random.below(256);
  return random.below(2) === 0 ? bad : bad.subarray(0, 1 + random.below(bad.length));
}

for (const protocol of trackerProtocols) {
  const { name } = protocol;
  const { login, position } = goodFrames(name, ONE);

  test(`${name}: a damaged frame never blocks what follows it`, async () => {
    let lost = 0;
    for (let seed = 1; seed <= STREAMS; seed++) {
      const random = new Random(seed);
      const { hear, silence, conversation, places, gateway } = converse(protocol);
      const bad = damaged(position, random);
      await hear(...pieces(Buffer.concat([login, position, bad, position]), random));
      await silence();
      const before = places();
      await hear(...pieces(position, random));
      await silence();
      const said = `stream ${seed}, damaged ${bad.toString('hex')}`;
      assert.ok(places() > before, said);
      await conversation.drain();
      assert.ok(places() >= 2, said);
      if (places() < 3) lost += 1;
      // What cannot be read is kept as a sample, unless the change left the frame as it was.
      if (places() < 4) assert.ok(gateway.strange.length > 0 || gateway.received.length > places(), said);
    }
    assert.ok(lost <= STREAMS * MAY_LOSE, `${lost} of ${STREAMS} streams lost the frame behind the damaged one`);
  });

  test(`${name}: byte by byte is the same as at once`, async () => {
    const { hear, conversation, places } = converse(protocol);
    const stream = Buffer.concat([login, position, position]);
    await hear(...Array.from(stream, (byte) => Buffer.from([byte])));
    await conversation.drain();
    assert.equal(places(), 2);
  });

  test(`${name}: two devices over one connection of a relay are distinguished`, async () => {
    const { hear, conversation, places } = converse(protocol, { protocol, isRelay: true });
    const other = goodFrames(name, TWO);
    await hear(login, position, other.login, other.position, login, position);
    await conversation.drain();
    assert.deepEqual([places(1), places(2)], [2, 1]);
  });

  test(`${name}: a connection on which only garbage comes after the login is closed`, async () => {
    const { hear, isClosed, places } = converse(protocol);
    await hear(login, position);
    const random = new Random(1);
    let sent = 0;
    for (; sent < 300_000 && !isClosed(); sent += 1024)
      await hear(Buffer.from(Array.from({ length: 1024 }, () => random.below(256))));
    assert.ok(isClosed(), `after ${sent} bytes`);
    assert.ok(sent <= 200_000, `after ${sent} bytes`);
    assert.equal(places(), 1);
  });
}

/** Frames with the marks of the protocol that say nothing, most of which are answered. */
const EMPTY: Readonly<Record<string, Buffer>> = {
  wialon: Buffer.from('#SD#one;two\r\n#B#one|two\r\n'),
  watch: Buffer.from('[3G*9000000011*0006*AL,one]'),
  eelink: Buffer.from('6767120005000101020367671c00040001ffff', 'hex'),
  jt808: Buffer.from('7e02000002999000000011000101021a7e', 'hex'),
  minifinder: Buffer.from('!D,1,2,x,y;!A,;'),
  gt06: Buffer.from('78780217abcdefabcdef0102030405060708090d0a', 'hex'),
};

for (const protocol of trackerProtocols.filter(({ name }) => EMPTY[name] !== undefined))
  test(`${protocol.name}: a connection on which only empty frames come after the login is closed`, async () => {
    const { hear, isClosed, places } = converse(protocol);
    const { login, position } = goodFrames(protocol.name, ONE);
    await hear(login, position);
    const empty = Buffer.concat(Array.from({ length: 50 }, () => EMPTY[protocol.name]!));
    let sent = 0;
    for (; sent < 300_000 && !isClosed(); sent += empty.length) await hear(empty);
    assert.ok(isClosed(), `after ${sent} bytes`);
    assert.equal(places(), 1);
  });
