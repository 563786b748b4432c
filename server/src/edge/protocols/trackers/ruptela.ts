import { crcKermit, u8, u16 } from './bytes.ts';
import { Cursor, isAscii, textOrHex } from './frame/cursor.ts';
import { type Cut, cutFrames, digitByte, wholeDatagram } from './frame/cut.ts';
import { faultRecords, ruptelaRecords } from './ruptela/records.ts';
import { isOn, outputOf } from './text/cut.ts';
import type {
  DecodedFrame,
  EncodedCommand,
  ReplyPlan,
  TrackerCommand,
  TrackerProtocol,
  TrackerRecord,
  TrackerSession,
} from './tracker.ts';

/** FM-Eco, FM-Pro, FM-Tco, Trace. */

const MAX_DATA = 32_768;
/** The IMEI and the message type. */
const MIN_DATA = 9;
const MAX_IMEI = 10n ** 16n;
const MIN_IMEI = 10n ** 12n;

const MESSAGE = {
  records: 0x01,
  configuration: 0x02,
  version: 0x03,
  firmware: 0x04,
  connection: 0x05,
  odometer: 0x06,
  textReply: 0x07,
  text: 0x08,
  faults: 0x09,
  identification: 0x0f,
  heartbeat: 0x10,
  setIo: 0x11,
  files: 0x25,
  extendedRecords: 0x44,
} as const;
const MESSAGES: readonly number[] = Object.values(MESSAGE);
const REPLIES: readonly number[] = [
  MESSAGE.configuration,
  MESSAGE.version,
  MESSAGE.firmware,
  MESSAGE.connection,
  MESSAGE.odometer,
  MESSAGE.textReply,
];
/** A server message has the number of the answered message plus 100. */
const TO_DEVICE = 100;
/** Records of both kinds are confirmed with 100. */
const CONFIRMATION = 0;
const ACCEPTED = Buffer.from([1]);
const REFUSED = Buffer.from([0]);

export const ruptela: TrackerProtocol = {
  name: 'ruptela',
  wellKnownPort: 5046,
  maxFrameBytes: MAX_DATA + 4,
  recognise(start) {
    // The format is weak: lengths are short, and identifiers have at least 13 digits.
    if (cutAt(start, 0) === 'skip' || (start[0] ?? 0) > 0x0f) return 'no';
    if (start.length < 11) return 'more';
    if (start.readBigUInt64BE(2) < MIN_IMEI || !MESSAGES.includes(start[10]!)) return 'no';
    // The header of Galileosky, whose first tag is the IMEI in digits, matches this format too.
    return start[0] === 1 && start[3] === 3 && start.subarray(4, 11).every(digitByte) ? 'no' : 'yes';
  },
  split: (stream) => cutFrames(stream, cutAt, isSound),
  splitDatagram: wholeDatagram,
  decode,
  encode,
  commands: ['output'],
  repliesNameCommand: false,
};

function cutAt(stream: Buffer, at: number): Cut {
  const length = u16(stream, at);
  if (length === undefined) return 'more';
  if (length < MIN_DATA || length > MAX_DATA) return 'skip';
  const imei = stream.subarray(at + 2, at + 10);
  if (imei.length === 8 ? imei.readBigUInt64BE(0) >= MAX_IMEI : (imei[0] ?? 0) > 0) return 'skip';
  const type = stream[at + 10];
  return type !== undefined && !MESSAGES.includes(type) ? 'skip' : length + 4;
}

const isSound = (frame: Buffer) => u16(frame, frame.length - 2) === crcKermit(frame, 2, frame.length - 2);

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const type = u8(frame, 10);
  const end = frame.length - 2;
  if (type === undefined || end < 11) return { records: [], problem: 'The frame is too short.' };
  const isWhole = u16(frame, 0) === end - 2 && u16(frame, end) === crcKermit(frame, 2, end);
  if (!isWhole && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const imei = frame.readBigUInt64BE(2);
  if (imei >= MAX_IMEI) return { records: [], problem: 'The IMEI is not valid.' };
  return { identities: [String(imei).padStart(15, '0')], ...contentOf(type, new Cursor(frame, 11, end)) };
}

function contentOf(type: number, cursor: Cursor): DecodedFrame {
  switch (type) {
    case MESSAGE.records:
    case MESSAGE.extendedRecords:
      return stored(ruptelaRecords(cursor, type === MESSAGE.extendedRecords), CONFIRMATION);
    case MESSAGE.faults:
      return stored(faultRecords(cursor), MESSAGE.faults);
    case MESSAGE.identification:
    case MESSAGE.heartbeat:
      return { records: [], reply: replyPlan('now', type) };
    case MESSAGE.setIo:
      return { records: [], commandReply: { text: String(cursor.u8()) } };
    default:
      return REPLIES.includes(type)
        ? { records: [], commandReply: { text: textOrHex(cursor.take(cursor.left)) } }
        : { records: [], problem: `Message ${type} is not supported.` };
  }
}

const stored = (
  { records, isWhole }: { records: readonly TrackerRecord[]; isWhole: boolean },
  type: number,
): DecodedFrame => ({
  records,
  reply: replyPlan('afterDurable', type),
  ...(isWhole ? {} : { problem: 'The lengths of the records are inconsistent.' }),
});

const replyPlan = (when: ReplyPlan['when'], type: number): ReplyPlan => ({
  when,
  bytes: frameTo(type, ACCEPTED),
  refusal: frameTo(type, REFUSED),
});

/** Length, type, content, checksum; without the IMEI. */
function frameTo(type: number, content: Buffer): Buffer {
  const frame = Buffer.alloc(2 + 1 + content.length + 2);
  frame.writeUInt16BE(1 + content.length, 0);
  frame[2] = TO_DEVICE + type;
  frame.set(content, 3);
  frame.writeUInt16BE(crcKermit(frame, 2, frame.length - 2), frame.length - 2);
  return frame;
}

/** A text is sent like an SMS; an output is set by a number and a value. */
function encode(command: TrackerCommand): EncodedCommand | undefined {
  if ('text' in command)
    return command.text !== '' && isAscii(command.text)
      ? { bytes: frameTo(MESSAGE.text, Buffer.from(command.text, 'latin1')) }
      : undefined;
  if (command.name !== 'output') return undefined;
  const output = outputOf(command.parameters, 255);
  if (output === undefined) return undefined;
  const content = Buffer.alloc(8);
  content.writeUInt32BE(output, 0);
  content.writeUInt32BE(isOn(command.parameters) ? 1 : 0, 4);
  return { bytes: frameTo(MESSAGE.setIo, content) };
}
