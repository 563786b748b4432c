import assert from 'node:assert/strict';
import { test } from 'node:test';
import { anySession } from './protocol-suite.ts';
import {
  bytesOf,
  framesMissing,
  isSure,
  type PublicFrame,
  type PublicPoint,
  placesOf,
  publicFrames,
} from './testing/public-frames.ts';
import type { TrackerProtocol, TrackerRecord } from './tracker.ts';
import { trackerProtocols } from './trackers.ts';

/** `TRACKWAY_FRAMES_SHOW=gt06` prints what is read otherwise than expected. */
const SHOWN = process.env.TRACKWAY_FRAMES_SHOW;
const FIRST_FIVE = ['teltonika', 'gt06', 'jt808', 'queclink', 'h02'];

if (framesMissing !== undefined) {
  test('public frames', { skip: framesMissing }, () => {});
} else {
  const frames = publicFrames();
  for (const protocol of trackerProtocols) framesOf(protocol, frames);
}

function framesOf(protocol: TrackerProtocol, all: readonly PublicFrame[]): void {
  const frames = all.filter((frame) => frame.protocol === protocol.name && frame.kind === 'message');

  test(`${protocol.name}: reads public frames as two decoders or their publisher do`, () => {
    if (SHOWN === protocol.name) showUnsure(protocol, frames);
    const sure = frames.filter((frame) => isSure(frame, 'points'));
    mostAreRight(protocol, 'points', sure, (frame) => isRight(protocol, frame));
  });

  test(`${protocol.name}: loses no position of a public frame`, () => {
    const lost = frames.filter((frame) => {
      const { records } = decoded(protocol, frame);
      return placesOf(frame).some((point) => !records.some(({ location }) => location && isSamePlace(location, point)));
    });
    assert.deepEqual(
      lost.map(({ hex, text }) => hex ?? text),
      [],
    );
  });

  test(`${protocol.name}: finds who speaks, and what to answer`, () => {
    const named = frames.filter((frame) => isSure(frame, 'deviceId'));
    mostAreRight(protocol, 'deviceId', named, (frame) =>
      decoded(protocol, frame).identities?.includes(frame.expected.deviceId!),
    );
    const answered = frames.filter((frame) => isSure(frame, 'reply') && frame.expected.reply !== undefined);
    mostAreRight(protocol, 'reply', answered, (frame) =>
      isSameReply(protocol, decoded(protocol, frame).reply?.bytes, frame.expected.reply!),
    );
  });

  test(`${protocol.name}: takes no frame with a right checksum for damaged`, () => {
    const right = frames.filter(({ expected }) => expected.checksumValid === true);
    mostAreRight(protocol, 'checksum', right, (frame) => !decoded(protocol, frame, false).isDamaged);
  });

  test(`${protocol.name}: cuts streams as their publisher does`, () => {
    const streams = all.filter((frame) => frame.protocol === protocol.name && isSure(frame, 'firstFrame'));
    // A publisher's first "frame" of a byte is what we skip; marks at the ends belong to the frame or not.
    for (const frame of streams.filter(({ expected }) => expected.firstFrame?.length !== 2)) {
      const [first] = protocol.split(bytesOf(frame)).frames;
      const published = Buffer.from(frame.expected.firstFrame ?? '', 'hex');
      assert.ok(published.length === 0 ? first === undefined : first?.includes(published), frame.hex ?? frame.text);
    }
  });

  test(`${protocol.name}: throws on no public frame`, () => {
    for (const frame of all) recordsOf(protocol, bytesOf(frame), frame.transport);
  });
}

function mostAreRight(
  protocol: TrackerProtocol,
  what: string,
  frames: readonly PublicFrame[],
  isFrameRight: (frame: PublicFrame) => boolean | undefined,
): void {
  const wrong = frames.filter((frame) => !isFrameRight(frame));
  if (SHOWN === protocol.name) for (const frame of wrong) show(protocol, what, frame);
  const share = frames.length === 0 ? 1 : 1 - wrong.length / frames.length;
  const least = FIRST_FIVE.includes(protocol.name) ? 0.95 : 0.9;
  assert.ok(share >= least, `${what}: ${wrong.length} of ${frames.length} are wrong`);
}

function isRight(protocol: TrackerProtocol, frame: PublicFrame): boolean {
  const records = decoded(protocol, frame).records.filter(({ location }) => location && (location.lat || location.lng));
  const expected = placesOf(frame);
  return (
    records.length === expected.length && expected.every((point) => records.some((record) => isSame(record, point)))
  );
}

function isSame({ timestamp, location, isValid }: TrackerRecord, expected: PublicPoint): boolean {
  const { time, valid } = expected;
  const isTimeSame = !time || Math.floor(Date.parse(time) / 1000) === Math.floor((timestamp ?? Number.NaN) / 1000);
  return isTimeSame && isSamePlace(location!, expected) && (typeof valid !== 'boolean' || valid === isValid);
}

const isSamePlace = (place: { readonly lat: number; readonly lng: number }, { lat, lng }: PublicPoint) =>
  Math.abs(place.lat - lat!) <= 1e-5 && Math.abs(place.lng - lng!) <= 1e-5;

function recordsOf(protocol: TrackerProtocol, bytes: Buffer, transport: 'tcp' | 'udp'): readonly TrackerRecord[] {
  return protocol.decode(bytes, { ...anySession, transport, acceptsWrongChecksum: true }).records;
}

const decoded = (protocol: TrackerProtocol, frame: PublicFrame, acceptsWrongChecksum = true) =>
  protocol.decode(frameOf(protocol, frame), { ...anySession, transport: frame.transport, acceptsWrongChecksum });

/** Answers are published as text or as hexadecimal digits, some unescaped; ends of lines are not published exactly. */
function isSameReply(protocol: TrackerProtocol, bytes: Buffer | undefined, expected: string): boolean {
  if (bytes === undefined) return false;
  const isHex = expected.length % 2 === 0 && /^[0-9a-f]+$/i.test(expected);
  const forms = [bytes, ...protocol.split(bytes).frames];
  if (isHex && forms.some((form) => form.toString('hex') === expected.toLowerCase())) return true;
  return bytes.toString('latin1').trim() === expected.trim();
}

/** A frame as it is on the wire is cut as a stream is; those of some publishers were cut and unescaped already. */
function frameOf(protocol: TrackerProtocol, frame: PublicFrame): Buffer {
  const bytes = bytesOf(frame);
  const cut =
    frame.transport === 'udp' && protocol.splitDatagram ? protocol.splitDatagram(bytes) : protocol.split(bytes);
  const isOne = cut.frames.length === 1 && cut.skipped === 0 && cut.remaining.length <= 1;
  return frame.escaped !== false && isOne ? cut.frames[0]! : bytes;
}

function show(protocol: TrackerProtocol, what: string, frame: PublicFrame): void {
  console.log('\n', what, frame.hex ?? frame.text);
  console.log('  expected', JSON.stringify(frame.expected));
  const { reply, ...read } = decoded(protocol, frame);
  console.log('  read    ', JSON.stringify(read), reply?.bytes.toString('hex'));
}

/** Prints also what only one decoder says, which may be wrong. */
function showUnsure(protocol: TrackerProtocol, frames: readonly PublicFrame[]): void {
  for (const frame of frames) {
    const alarms = decoded(protocol, frame).records.flatMap((record) => [
      ...(record.alarms ?? []),
      ...(record.standingAlarms ?? []),
    ]);
    if (!isSure(frame, 'points') && !isRight(protocol, frame)) show(protocol, 'unsure points', frame);
    else if (`${[...new Set(frame.expected.status?.alarms)].sort()}` !== `${[...new Set(alarms)].sort()}`)
      show(protocol, 'unsure alarms', frame);
  }
}
