import assert from 'node:assert/strict';
import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { test } from 'node:test';
import { anySession } from './protocol-suite.ts';
import type { TrackerProtocol, TrackerRecord } from './tracker.ts';
import { trackerProtocols } from './trackers.ts';

/**
 * Reads public frames, with what they mean, from a file that is not part of the repository: `TRACKWAY_FRAMES`, or
 * `../shared/wire/frames.json` beside it. `TRACKWAY_FRAMES_SHOW=gt06` prints what is read otherwise than expected.
 */
const FILE = process.env.TRACKWAY_FRAMES ?? resolve(import.meta.dirname, '../../../../../../shared/wire/frames.json');
const SHOWN = process.env.TRACKWAY_FRAMES_SHOW;
const FIRST_FIVE = ['teltonika', 'gt06', 'jt808', 'queclink', 'h02'];

interface Frame {
  readonly protocol: string;
  readonly transport: 'tcp' | 'udp';
  readonly kind: 'message' | 'split' | 'command' | 'mustFail';
  readonly hex?: string;
  readonly text?: string;
  /** False where the escaping of the protocol was already undone. */
  readonly escaped?: boolean;
  readonly expected: {
    readonly deviceId?: string;
    readonly checksumValid?: boolean;
    readonly points?: readonly ExpectedPoint[];
    readonly firstFrame?: string;
  };
  readonly sure: { readonly points?: string; readonly deviceId?: string };
}

interface ExpectedPoint {
  readonly time?: string;
  readonly valid?: boolean;
  readonly lat?: number;
  readonly lng?: number;
}

if (!existsSync(FILE)) {
  test('public frames', { skip: `SKIPPED: ${FILE} is not there; name it by TRACKWAY_FRAMES` }, () => {});
} else {
  const { frames } = JSON.parse(readFileSync(FILE, 'utf8')) as { frames: readonly Frame[] };
  for (const protocol of trackerProtocols) framesOf(protocol, frames);
}

function framesOf(protocol: TrackerProtocol, all: readonly Frame[]): void {
  const frames = all.filter((frame) => frame.protocol === protocol.name && frame.kind === 'message');

  test(`${protocol.name}: reads public frames as two decoders or their publisher do`, () => {
    const sure = frames.filter(({ sure }) => sure.points === 'asserted' || sure.points === 'two-ways');
    const wrong = sure.filter((frame) => !isRight(protocol, frame));
    if (SHOWN === protocol.name) for (const frame of wrong) show(protocol, frame);
    const share = 1 - wrong.length / sure.length;
    assert.ok(
      share >= (FIRST_FIVE.includes(protocol.name) ? 0.95 : 0.9),
      `${wrong.length} of ${sure.length} are wrong`,
    );
  });

  test(`${protocol.name}: throws on no public frame`, () => {
    for (const frame of all) recordsOf(protocol, bytesOf(frame), frame.transport);
  });
}

function isRight(protocol: TrackerProtocol, frame: Frame): boolean {
  const records = recordsOf(protocol, bytesOf(frame), frame.transport).filter(({ location }) => location !== undefined);
  const expected = (frame.expected.points ?? []).filter(({ lat }) => lat !== undefined && lat !== null);
  return (
    records.length === expected.length && expected.every((point) => records.some((record) => isSame(record, point)))
  );
}

function isSame({ timestamp, location, isValid }: TrackerRecord, { time, lat, lng, valid }: ExpectedPoint): boolean {
  const isTimeSame = !time || Math.floor(Date.parse(time) / 1000) === Math.floor((timestamp ?? Number.NaN) / 1000);
  const isPlaceSame = Math.abs(location!.lat - lat!) <= 1e-5 && Math.abs(location!.lng - lng!) <= 1e-5;
  return isTimeSame && isPlaceSame && (typeof valid !== 'boolean' || valid === isValid);
}

/** The frame as it is on the wire is cut as a stream is; the frames of some sources were cut and unescaped already. */
function recordsOf(protocol: TrackerProtocol, bytes: Buffer, transport: 'tcp' | 'udp'): readonly TrackerRecord[] {
  return protocol.decode(bytes, { ...anySession, transport, acceptsWrongChecksum: true }).records;
}

const bytesOf = ({ hex, text }: Frame) =>
  hex === undefined ? Buffer.from(text ?? '', 'latin1') : Buffer.from(hex, 'hex');

function show(protocol: TrackerProtocol, frame: Frame): void {
  console.log('\n', frame.hex ?? frame.text);
  console.log('  expected', JSON.stringify(frame.expected.points));
  console.log('  read    ', JSON.stringify(recordsOf(protocol, bytesOf(frame), frame.transport)));
}
