import { crcArc, u8, u16, u32 } from './bytes.ts';
import { Cursor } from './frame/cursor.ts';
import { anyByte, beginsAs, type Cut, cutFrames, digitByte, firstSure, wholeDatagram } from './frame/cut.ts';
import { decodeText, encodeCommand, TEXT_CODEC } from './teltonika/commands.ts';
import { gh3000Records } from './teltonika/gh3000.ts';
import { recordOf } from './teltonika/record-of.ts';
import { avlRecords, CODEC } from './teltonika/records.ts';
import type { DecodedFrame, TrackerProtocol, TrackerSession } from './tracker.ts';

/** FMB, FMC, FMM, FMT, TAT, TFT, TMT, MTB; older FM1 to FM6 and GH3000. */

const MAX_DATA = 32_768;
const MAX_IMEI = 20;
const PING = 0xff;
const UDP_HEAD = 8;
const CODECS: readonly number[] = [...Object.values(CODEC), ...Object.values(TEXT_CODEC)];
const TEXT_CODECS: readonly number[] = Object.values(TEXT_CODEC);

export const teltonika: TrackerProtocol = {
  name: 'teltonika',
  wellKnownPort: 5027,
  maxFrameBytes: MAX_DATA + 12,
  recognise(start) {
    const imei = [...Array<typeof digitByte>(15).fill(digitByte)];
    const zero = (byte: number) => byte === 0;
    return firstSure([
      beginsAs(start, [zero, (byte) => byte === 15, ...imei]),
      beginsAs(start, [zero, zero, zero, zero, anyByte, anyByte, anyByte, anyByte, (byte) => CODECS.includes(byte)]),
      // A datagram.
      beginsAs(start, [
        (byte) => byte < 0x20,
        anyByte,
        anyByte,
        anyByte,
        (byte) => byte === 1,
        anyByte,
        zero,
        (byte) => byte === 15,
        ...imei,
      ]),
    ]);
  },
  split: (stream) => cutFrames(stream, cutAt, isSound),
  splitDatagram: wholeDatagram,
  decode: (frame, session) =>
    session.transport === 'udp' ? decodeDatagram(frame, session) : decodeTcp(frame, session),
  // The format of commands in a datagram is not published.
  encode: (command, session) => (session.transport === 'tcp' ? encodeCommand(command) : undefined),
  commands: ['position', 'reboot', 'engineStop', 'engineResume', 'output'],
  repliesNameCommand: false,
};

function cutAt(stream: Buffer, at: number): Cut {
  if (stream[at] === PING) return 'between';
  const length = u16(stream, at);
  if (length === undefined) return 'more';
  if (length > 0) {
    if (length > MAX_IMEI) return 'skip';
    const imei = stream.subarray(at + 2, at + 2 + length);
    return imei.every(digitByte) ? length + 2 : 'skip';
  }
  if (stream.subarray(at, at + 4).some((byte) => byte !== 0)) return 'skip';
  const size = u32(stream, at + 4);
  const codec = u8(stream, at + 8);
  if (size === undefined) return 'more';
  if (size < 3 || size > MAX_DATA || (codec !== undefined && !CODECS.includes(codec))) return 'skip';
  return size + 12;
}

const isSound = (frame: Buffer) =>
  u16(frame, 0) === 0 ? u32(frame, frame.length - 4) === crcArc(frame, 8, frame.length - 4) : frame.length === 17;

function decodeTcp(frame: Buffer, session: TrackerSession): DecodedFrame {
  if (frame.length === 1 && frame[0] === PING) return { records: [] };
  const length = u16(frame, 0);
  if (length !== undefined && length > 0) return decodeImei(frame, length);
  const end = frame.length - 4;
  if (end < 10) return { records: [], problem: 'The frame is too short.' };
  const isWhole =
    u32(frame, 0) === 0 && u32(frame, 4) === frame.length - 12 && u32(frame, end) === crcArc(frame, 8, end);
  if (!isWhole && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  // A frame decoded despite its wrong checksum may be truncated.
  return decodeData({ frame, from: 8, end: isWhole ? end : frame.length, isEndTrusted: isWhole }, session, (count) => {
    const bytes = Buffer.alloc(4);
    bytes.writeUInt32BE(count);
    return bytes;
  });
}

function decodeImei(frame: Buffer, length: number): DecodedFrame {
  const imei = frame.toString('latin1', 2);
  if (imei.length !== length || !/^\d{1,20}$/.test(imei)) return { records: [], problem: 'The IMEI is not valid.' };
  return {
    identities: [imei],
    records: [],
    reply: { when: 'now', bytes: Buffer.from([1]), refusal: Buffer.from([0]) },
  };
}

/** Length, packet number, 01, AVL packet number, IMEI with its length; then as in a stream, without a checksum. */
function decodeDatagram(frame: Buffer, session: TrackerSession): DecodedFrame {
  const imeiLength = u16(frame, 6);
  if (imeiLength === undefined || u16(frame, 0) !== frame.length - 2 || frame[4] !== 1)
    return { records: [], problem: 'The length of the datagram is wrong.' };
  const imei = frame.toString('latin1', UDP_HEAD, UDP_HEAD + imeiLength);
  if (imei.length !== imeiLength || !/^\d{1,20}$/.test(imei)) return { records: [], problem: 'The IMEI is not valid.' };
  const data = { frame, from: UDP_HEAD + imeiLength, end: frame.length, isEndTrusted: true };
  const decoded = decodeData(data, session, (count) => Buffer.from([0, 5, frame[2]!, frame[3]!, 1, frame[5]!, count]));
  return { ...decoded, identities: [imei] };
}

interface Data {
  readonly frame: Buffer;
  readonly from: number;
  readonly end: number;
  readonly isEndTrusted: boolean;
}

/** Undecodable data is stored and counts as accepted: otherwise the device would send it again for ever. */
function decodeData(
  { frame, from, end, isEndTrusted }: Data,
  session: TrackerSession,
  replyOf: (count: number) => Buffer,
): DecodedFrame {
  const codec = u8(frame, from) ?? 0;
  if (TEXT_CODECS.includes(codec)) return decodeText(codec, frame, from + 1, isEndTrusted ? end : end - 4);
  if (!CODECS.includes(codec)) return { records: [], problem: `Codec ${codec} is unknown.` };
  const count = u8(frame, from + 1) ?? 0;
  const cursorAt = () => new Cursor(frame, from + 1, end);
  const records =
    codec === CODEC.gh3000
      ? gh3000Records(cursorAt(), isEndTrusted)
      : avlRecords(codec, cursorAt, isEndTrusted)?.map((record) => recordOf(record, session.model));
  const reply = { when: 'afterDurable' as const, bytes: replyOf(count) };
  return records ? { records, reply } : { records: [], reply, problem: 'The record counts are inconsistent.' };
}
