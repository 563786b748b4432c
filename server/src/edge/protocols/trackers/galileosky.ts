import { crcModbus } from './bytes.ts';
import { Cursor, isAscii, textOrHex } from './frame/cursor.ts';
import { anyByte, beginsAs, type Cut, cutFrames, digitByte, firstSure } from './frame/cut.ts';
import { recordOf } from './galileosky/record.ts';
import { compressedRecords, decodeSatellite, isSatellite } from './galileosky/satellite.ts';
import { type GalileoskyTags, recordsIn, TAG } from './galileosky/tags.ts';
import { isOn, outputOf } from './text/cut.ts';
import type {
  CommandName,
  CommandReply,
  DecodedFrame,
  EncodedCommand,
  TrackerCommand,
  TrackerProtocol,
  TrackerRecord,
  TrackerSession,
} from './tracker.ts';

/** Tags with values, little-endian. */

const HEADER = { tags: 0x01, garmin: 0x06, photo: 0x07, compressed: 0x08 } as const;
const HEADERS: readonly number[] = Object.values(HEADER);
const CONFIRMATION = 0x02;
/** The published limit is 1000; some firmware exceeds it. */
const MAX_DATA = 2048;
const MAX_OUTPUT = 16;

export const galileosky: TrackerProtocol = {
  name: 'galileosky',
  wellKnownPort: 5034,
  maxFrameBytes: MAX_DATA + 5,
  recognise(start) {
    const is = (expected: number) => (byte: number) => byte === expected;
    const imei = [is(TAG.imei), ...Array<typeof digitByte>(15).fill(digitByte)];
    const head = [is(HEADER.tags), anyByte, (byte: number) => (byte & 0x7f) < 0x09];
    return firstSure([
      beginsAs(start, [...head, ...imei]),
      beginsAs(start, [...head, is(TAG.hardware), anyByte, is(TAG.firmware), anyByte, ...imei]),
      beginsAs(start, [is(HEADER.tags), anyByte, anyByte, is(0x01), is(0x00), is(0x1c)]),
    ]);
  },
  split: (stream) => cutFrames(stream, cutAt, isSound),
  decode,
  encode,
  commands: ['position', 'reboot', 'output'],
  repliesNameCommand: true,
};

function cutAt(stream: Buffer, at: number): Cut {
  if (!HEADERS.includes(stream[at]!)) return 'skip';
  if (at + 3 > stream.length) return 'more';
  const bySatellite = isSatellite(stream, at);
  if (bySatellite === undefined) return 'more';
  if (bySatellite) return stream.readUInt16BE(at + 1) > MAX_DATA ? 'skip' : stream.readUInt16BE(at + 1) + 3;
  const length = stream.readUInt16LE(at + 1) & 0x7fff;
  return length === 0 || length > MAX_DATA ? 'skip' : length + 5;
}

const isSound = (frame: Buffer) =>
  isSatellite(frame, 0) === true || frame.readUInt16LE(frame.length - 2) === crcModbus(frame, 0, frame.length - 2);

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const end = frame.length - 2;
  if (end < 3) return { records: [], problem: 'The frame is too short.' };
  if (isSatellite(frame, 0)) return decodeSatellite(frame, session.now);
  const isWhole = (frame.readUInt16LE(1) & 0x7fff) === end - 3 && frame.readUInt16LE(end) === crcModbus(frame, 0, end);
  if (!isWhole && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const cursor = new Cursor(frame, 3, end);
  const confirmed = (bytes: number) => Buffer.concat([Buffer.from([bytes]), frame.subarray(end)]);
  switch (frame[0]) {
    case HEADER.tags:
      return decodeTags(cursor, confirmed(CONFIRMATION));
    case HEADER.compressed: {
      const { records, isWhole: isRead } = compressedRecords(cursor, session.now);
      return { ...readOf(records, isRead), reply: { when: 'afterDurable', bytes: confirmed(CONFIRMATION) } };
    }
    case HEADER.photo:
      return {
        records: [],
        problem: 'Photographs are not supported.',
        reply: { when: 'afterDurable', bytes: confirmed(HEADER.photo) },
      };
    default:
      return { records: [], problem: `A packet of kind ${frame[0]} is not supported.` };
  }
}

function decodeTags(cursor: Cursor, confirmation: Buffer): DecodedFrame {
  const { records: tagged, isWhole } = recordsIn(cursor);
  const imei = tagged.map((tags) => tags.get(TAG.imei)?.toString('latin1')).find((text) => text && /^\d+$/.test(text));
  const records = tagged.map(recordOf).filter((record) => record !== undefined);
  const commandReply = tagged.map(replyIn).find((reply) => reply !== undefined);
  // The device keeps records until they are confirmed, but not its identity and its texts.
  const when = records.length > 0 || !isWhole ? ('afterDurable' as const) : ('now' as const);
  return {
    ...(imei ? { identities: [imei] } : {}),
    ...readOf(records, isWhole),
    ...(commandReply ? { commandReply } : {}),
    reply: { when, bytes: confirmation },
  };
}

const readOf = (records: readonly TrackerRecord[], isWhole: boolean) => ({
  records,
  ...(isWhole ? {} : { problem: 'Unknown tag: the data after it was ignored.' }),
});

function replyIn(tags: GalileoskyTags): CommandReply | undefined {
  const text = tags.get(TAG.text);
  const number = tags.get(TAG.commandNumber)?.readUInt32LE(0);
  return text ? { text: textOrHex(text), ...(number === undefined ? {} : { correlation: String(number) }) } : undefined;
}

/** IMEI, number of the device (not needed with an IMEI), number of the command, text. */
function encode(command: TrackerCommand, { identity }: TrackerSession): EncodedCommand | undefined {
  const text = 'text' in command ? command.text : textFor(command.name, command.parameters);
  if (!text || text.length > 255 || !isAscii(text) || !/^\d{15}$/.test(identity ?? '')) return undefined;
  const number = command.number >>> 0;
  const tags = Buffer.alloc(1 + 15 + 3 + 5 + 2 + text.length);
  tags[0] = TAG.imei;
  tags.write(identity!, 1, 'latin1');
  tags[16] = TAG.deviceNumber;
  tags[19] = TAG.commandNumber;
  tags.writeUInt32LE(number, 20);
  tags[24] = TAG.text;
  tags[25] = text.length;
  tags.write(text, 26, 'latin1');
  const frame = Buffer.alloc(3 + tags.length + 2);
  frame[0] = HEADER.tags;
  frame.writeUInt16LE(tags.length, 1);
  frame.set(tags, 3);
  frame.writeUInt16LE(crcModbus(frame, 0, frame.length - 2), frame.length - 2);
  return { bytes: frame, correlation: String(number) };
}

function textFor(
  name: CommandName,
  parameters: Readonly<Record<string, string | number | boolean>>,
): string | undefined {
  switch (name) {
    case 'position':
      return 'status';
    case 'reboot':
      return 'reset';
    case 'output': {
      const output = outputOf(parameters, MAX_OUTPUT);
      return output === undefined ? undefined : `Out ${output},${isOn(parameters) ? 1 : 0}`;
    }
    default:
      return undefined;
  }
}
