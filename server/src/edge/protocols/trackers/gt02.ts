import { bcd } from './bytes.ts';
import { textOrHex } from './frame/cursor.ts';
import { anyByte, beginsAs, type Cut, cutFrames, fixOf } from './frame/cut.ts';
import { timeAt } from './gt06/clock.ts';
import { readingsOf } from './text/numbers.ts';
import type { DecodedFrame, TrackerProtocol, TrackerSession } from './tracker.ts';

/**
 * GT02 and clones, before GT06: `6868`, length 1, battery 1, signal 1, IMEI 8, serial 2, type 1, content, `0D0A`. The
 * length is that from the battery to the content. There is no checksum.
 */
const MARK = 0x68;
const HEAD_BYTES = 16;
const MIN_LENGTH = 13;
const TYPE = { position: 0x10, heartbeat: 0x1a, reply: 0x1c } as const;
const POSITION_BYTES = 24;
/** Units per degree: 1/30000 minute each. */
const UNITS = 60 * 30_000;
const HEARTBEAT_ANSWER = Buffer.from('54681a0d0a', 'hex');

export const gt02: TrackerProtocol = {
  name: 'gt02',
  wellKnownPort: 5022,
  maxFrameBytes: 260,
  recognise(start) {
    const is = (expected: number) => (byte: number) => byte === expected;
    const digits = (byte: number) => byte >> 4 < 10 && (byte & 15) < 10;
    const head = [is(MARK), is(MARK), (byte: number) => byte >= MIN_LENGTH, anyByte, anyByte];
    return beginsAs(start, [...head, (byte: number) => byte < 10, ...Array<typeof digits>(7).fill(digits)]);
  },
  split: (stream) => cutFrames(stream, cutAt),
  decode,
  commands: [],
  repliesNameCommand: false,
};

function cutAt(stream: Buffer, at: number): Cut {
  if (stream[at] !== MARK) return 'skip';
  if (at + 3 > stream.length) return 'more';
  const length = stream[at + 2]!;
  if (stream[at + 1] !== MARK || length < MIN_LENGTH) return 'skip';
  const end = at + 3 + length;
  if (end + 2 > stream.length) return length + 5;
  return stream[end] === 0x0d && stream[end + 1] === 0x0a ? length + 5 : 'skip';
}

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const end = frame.length - 2;
  if (end < HEAD_BYTES || frame[0] !== MARK || frame[2] !== end - 3)
    return { records: [], problem: 'The lengths in the frame are inconsistent.' };
  const imei = bcd(frame, 5, 13).slice(1);
  if (!/^\d{15}$/.test(imei)) return { records: [], problem: 'The IMEI is not valid.' };
  const identities = [imei];
  const type = frame[15]!;
  switch (type) {
    case TYPE.position: {
      if (end - HEAD_BYTES < POSITION_BYTES) return { identities, records: [], problem: 'The position is too short.' };
      return { identities, records: [positionOf(frame, session)] };
    }
    case TYPE.heartbeat: {
      const records = [{ isValid: false, gsmSignal: frame[4]!, readings: readingsOf({ battery_raw: frame[3] }) }];
      return { identities, records, reply: { when: 'now', bytes: HEARTBEAT_ANSWER } };
    }
    case TYPE.reply:
      return { identities, records: [], commandReply: { text: textOrHex(frame.subarray(17, end)) } };
    default:
      return { identities, records: [], problem: `A message of type ${type} is not supported.` };
  }
}

/** Time 6, latitude 4, longitude 4, km/h 1, course 2, reserved 3, flags 4: a fix, north, east. */
function positionOf(frame: Buffer, session: TrackerSession) {
  const at = HEAD_BYTES;
  const flags = frame.readUInt32BE(at + 20);
  const lat = (frame.readUInt32BE(at + 6) / UNITS) * (flags & 2 ? 1 : -1);
  const lng = (frame.readUInt32BE(at + 10) / UNITS) * (flags & 4 ? 1 : -1);
  const timestamp = timeAt(frame, at, session);
  return {
    ...(timestamp !== undefined && { timestamp }),
    ...fixOf(lat, lng, (flags & 1) === 1),
    speedKmh: frame[at + 14]!,
    courseDeg: frame.readUInt16BE(at + 15),
  };
}
