import assert from 'node:assert/strict';
import { createSocket } from 'node:dgram';
import { connect } from 'node:net';
import { test } from 'node:test';
import { Random } from '@trackway/simulator/random.ts';
import type { ReportedPoint } from '../../reports.ts';
import { eventually } from '../../testing/eventually.ts';
import { loginOnTheWire, onTheWire } from '../protocols/trackers/testing/on-the-wire.ts';
import {
  framesMissing,
  isSure,
  type PublicFrame,
  type PublicPoint,
  placesOf,
  publicFrames,
} from '../protocols/trackers/testing/public-frames.ts';
import type { TrackerProtocol } from '../protocols/trackers/tracker.ts';
import { trackerProtocols } from '../protocols/trackers/trackers.ts';
import { FakeGateway } from './testing/fake-gateway.ts';
import { quietTrackers } from './testing/quiet-trackers.ts';
import { startTrackers } from './trackers.ts';

const FIRST_FIVE = ['teltonika', 'gt06', 'jt808', 'queclink', 'h02'];
const IMEI = '359999000000011';

/** Whatever the frames call their device, it is this one. */
class OneDevice extends FakeGateway {
  override async find() {
    return { deviceId: 1 };
  }
}

if (framesMissing !== undefined) test('public frames over sockets', { skip: framesMissing }, () => {});
else for (const protocol of trackerProtocols) overSockets(protocol, publicFrames());

function overSockets(protocol: TrackerProtocol, all: readonly PublicFrame[]): void {
  const frames = all.filter(
    (frame) =>
      frame.protocol === protocol.name &&
      frame.kind === 'message' &&
      frame.expected.checksumValid !== false &&
      isSure(frame, 'points') &&
      placesOf(frame).length > 0,
  );

  test(`${protocol.name}: public frames over one port that recognises who speaks, however they arrive`, async (t) => {
    const gateway = new OneDevice();
    const trackers = await startTrackers({ ...quietTrackers(gateway), protocols: trackerProtocols });
    t.after(() => trackers.stop());
    for (const [way, arrive] of Object.entries(WAYS)) {
      const wrong: PublicFrame[] = [];
      for (const [seed, frame] of frames.entries()) {
        gateway.received.length = 0;
        gateway.strange.length = 0;
        const { pieces, times } = arrive(protocol, frame, new Random(seed + 1));
        if (frame.transport === 'udp') await sendDatagram(trackers.port!, onTheWire(frame), gateway);
        else await say(trackers.port!, pieces);
        const points = gateway.received.flatMap(({ report }) => report.points);
        const places = gateway.received.flatMap(({ report }) =>
          report.readings.filter(({ type }) => type === 'last_place'),
        );
        const isRight = placesOf(frame).every((expected) => {
          const found = points.filter((point) => isSame(point, expected)).length;
          const last = places.filter(({ value }) => isSamePlace(value as ReportedPoint['location'], expected)).length;
          return (expected.valid === false ? last : Math.max(found, last)) >= (frame.transport === 'udp' ? 1 : times);
        });
        if (!isRight) wrong.push(frame);
      }
      const least = FIRST_FIVE.includes(protocol.name) ? 0.95 : 0.9;
      const share = frames.length === 0 ? 1 : 1 - wrong.length / frames.length;
      const first = wrong[0]?.hex ?? wrong[0]?.text;
      assert.ok(share >= least, `${way}: ${wrong.length} of ${frames.length} are wrong, first ${first}`);
    }
  });
}

interface Arrival {
  readonly pieces: readonly Buffer[];
  /** How often each position must be stored. */
  readonly times: number;
}

type Way = (protocol: TrackerProtocol, frame: PublicFrame, random: Random) => Arrival;

const loginOf = ({ name }: TrackerProtocol, { expected }: PublicFrame) =>
  loginOnTheWire(name, expected.deviceId ?? IMEI);

const noise = (random: Random) => Buffer.from(Array.from({ length: 1 + random.below(30) }, () => random.below(256)));

function cutAnywhere(stream: Buffer, random: Random): Buffer[] {
  const ends = Array.from({ length: 4 }, () => random.below(stream.length)).sort((a, b) => a - b);
  return [0, ...ends].map((from, index) => stream.subarray(from, ends[index] ?? stream.length));
}

const WAYS: Readonly<Record<string, Way>> = {
  whole: (protocol, frame) => ({ pieces: [Buffer.concat([loginOf(protocol, frame), onTheWire(frame)])], times: 1 }),
  'cut anywhere': (protocol, frame, random) => ({
    pieces: cutAnywhere(Buffer.concat([loginOf(protocol, frame), onTheWire(frame)]), random),
    times: 1,
  }),
  'several at once': (protocol, frame) => {
    const bytes = onTheWire(frame);
    return { pieces: [Buffer.concat([loginOf(protocol, frame), bytes, bytes, bytes])], times: 3 };
  },
  'garbage between, cut anywhere': (protocol, frame, random) => {
    const bytes = onTheWire(frame);
    const stream = Buffer.concat([loginOf(protocol, frame), bytes, noise(random), bytes, noise(random), bytes]);
    return { pieces: cutAnywhere(stream, random), times: 3 };
  },
};

/** Says it, piece by piece, and waits until the server has nothing more to say to it. */
function say(port: number, pieces: readonly Buffer[]): Promise<void> {
  const socket = connect({ host: '127.0.0.1', port, noDelay: true });
  return new Promise((resolve) => {
    socket.resume();
    socket.on('error', () => {});
    socket.once('close', () => resolve());
    socket.once('connect', async () => {
      for (const piece of pieces) {
        if (piece.length > 0) await new Promise((written) => socket.write(piece, written));
        await new Promise((turned) => setImmediate(turned));
      }
      socket.end();
    });
  });
}

async function sendDatagram(port: number, datagram: Buffer, gateway: FakeGateway): Promise<void> {
  const socket = createSocket('udp4');
  socket.send(datagram, port, '127.0.0.1');
  await eventually('the datagram is received', () => gateway.received.length > 0 || gateway.strange.length > 0);
  socket.close();
}

function isSame({ timestamp, location }: ReportedPoint, expected: PublicPoint): boolean {
  const { time } = expected;
  const isTimeSame = !time || Math.floor(Date.parse(time) / 1000) === Math.floor((timestamp ?? Number.NaN) / 1000);
  return isTimeSame && isSamePlace(location, expected);
}

const isSamePlace = (place: ReportedPoint['location'], { lat, lng }: PublicPoint) =>
  place !== undefined && Math.abs(place.lat - lat!) <= 1e-5 && Math.abs(place.lng - lng!) <= 1e-5;
