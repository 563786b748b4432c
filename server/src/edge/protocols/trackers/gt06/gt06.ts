import { bcd, u16 } from '../bytes.ts';
import { newDraft, saysSomething } from '../record/draft.ts';
import type { DecodedFrame, ReplyPlan, TrackerProtocol, TrackerSession } from '../tracker.ts';
import { readAlarmFrame, readCameraAlarm, readCellAlarm, readLongPlace } from './alarm-frames.ts';
import { isTimeAt, timeBytes, ZONE, zoneMinutesOf } from './clock.ts';
import { COMMANDS, encode } from './commands.ts';
import { frameOf, frameWith, type Gt06Frame, isCounted, LOGIN, MAX_FRAME_BYTES, recognise, split } from './frame.ts';
import { isGpsAt } from './gps-block.ts';
import { read13, read23, read36, readStepStatus } from './heartbeats.ts';
import { read8C, read9B, read70, read94, readB2, readF1, readF2 } from './infos.ts';
import {
  read12,
  read22,
  read24,
  read34,
  read38,
  read39,
  read61,
  readA2,
  readLongWithCard,
  readOfSource,
  readPlaceOnly,
  readWith11,
  readWithCard,
} from './locations.ts';
import type { Gt06Message, Gt06Reader } from './message.ts';
import { readAddresses, readCellList, readCountedNetworks } from './networks.ts';
import { readText, replyOf15, replyOf21 } from './texts.ts';

/** Concox, Jimi and their clones: one frame, many contents. */
export const gt06: TrackerProtocol = {
  name: 'gt06',
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  decode,
  encode,
  commands: COMMANDS,
  repliesNameCommand: true,
};

const READERS: ReadonlyMap<number, Gt06Reader> = new Map([
  [0x10, readPlaceOnly],
  [0x11, readWith11],
  [0x12, read12],
  [0x13, read13],
  [0x16, readAlarmFrame],
  [0x18, readCellList],
  [0x1a, readPlaceOnly],
  [0x1e, readPlaceOnly],
  [0x22, read22],
  [0x23, read23],
  [0x25, readOfSource],
  [0x26, readAlarmFrame],
  [0x27, readAlarmFrame],
  [0x28, readCellList],
  [0x2c, readCellList],
  [0x2d, read22],
  [0x2e, readCellList],
  [0x31, read22],
  [0x37, read22],
  [0x38, read38],
  [0x39, read39],
  [0x61, read61],
  [0x70, read70],
  [0x8c, read8C],
  [0x94, read94],
  [0x95, readCameraAlarm],
  [0x9b, read9B],
  [0xa0, read22],
  [0xa1, readCellList],
  [0xa4, readAlarmFrame],
  [0xa5, readCellAlarm],
  [0xa9, readCellList],
  [0xb2, readB2],
  [0xf1, readF1],
  [0xf2, readF2],
]);

/** Types whose contents differ by more than their tail. */
function readerOf({ type, isLong, length, all }: Gt06Message): Gt06Reader | undefined {
  switch (type) {
    case 0x17:
      return length === 0x28 ? readWithCard : undefined;
    case 0x19:
      return length < 0x17 ? readCellAlarm : undefined;
    case 0x24:
      return length === 0x2e ? read24 : readCellList;
    case 0x32:
      return isLong ? readLongPlace : readAlarmFrame;
    case 0x33:
      return isLong ? readLongPlace : readCellList;
    case 0x34:
      return isTimeAt(all, 4) && !isTimeAt(all, 0) ? read34 : readCellList;
    case 0x36:
      return length === 0x35 ? readLongWithCard : read36;
    case 0xa2:
      return length === 0x40 ? readA2 : readCellList;
    case 0xa3:
      return length === 0x0c || length === 0x18 ? readStepStatus : readAlarmFrame;
    default:
      return READERS.get(type);
  }
}

/** A type that nobody told us of: many of them begin with a place. */
const readUnknown = (message: Gt06Message): Gt06Reader | undefined =>
  isGpsAt(message.all, 0) ? readPlaceOnly : undefined;

function decode(bytes: Buffer, session: TrackerSession): DecodedFrame {
  const frame = frameOf(bytes);
  if (frame === undefined) return { records: [], problem: 'No frame of GT06.' };
  const hasNoChecksum = isCounted(frame);
  if (!hasNoChecksum && !frame.isChecksumRight && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const message: Gt06Message = {
    type: frame.type,
    isLong: frame.isLong,
    length: frame.length,
    content: bytes.subarray(frame.at, frame.end),
    all: bytes.subarray(frame.at, frame.limit),
    session,
  };
  if (hasNoChecksum) return decodeCounted(message);
  if (frame.type === LOGIN) return decodeLogin(frame, message);
  if (frame.type === TEXT || frame.type === LONG_TEXT) return decodeText(frame, message);
  const reply = answerTo(frame, session);
  if (TO_DEVICES.has(frame.type)) return { records: [] };
  if (frame.type === TIME_REQUEST || frame.type === ADDRESS_REQUEST) return { records: [], ...reply };
  const draft = newDraft();
  const isRead = (readerOf(message) ?? readUnknown(message))?.(draft, message);
  if (isRead === undefined) return { records: [], ...reply, problem: `Type ${hex(frame.type)} is not known.` };
  const records = saysSomething(draft) ? [draft] : [];
  return isRead ? { records, ...reply } : { records, ...reply, problem: `Type ${hex(frame.type)} is too short.` };
}

const hex = (type: number) => type.toString(16).padStart(2, '0');

const TEXT = 0x15;
const LONG_TEXT = 0x21;
const ADDRESS_REQUEST = 0x2a;
const ADDRESS = 0x97;
const TIME_REQUEST = 0x8a;
/** What servers send, met where somebody connects a server. */
const TO_DEVICES = new Set([0x80, 0x81, 0x82, ADDRESS]);
/** Nothing is lost if these are answered and the server stops. */
const AT_ONCE = new Set([LOGIN, 0x13, 0x23, 0x36, TIME_REQUEST, ADDRESS_REQUEST]);
/** Long frames of these types need no answer; those of others have one in the short form, or in their own. */
const LONG_UNANSWERED = new Set([LONG_TEXT, 0x38, 0x65, 0x66, 0x8c, 0x94, ADDRESS, 0x9b]);
const LONG_ANSWERED_LONG = new Set([0x32, 0x33, 0x41]);

function answerTo({ type, serial, isLong }: Gt06Frame, session: TrackerSession): { reply?: ReplyPlan } {
  const bytes = answerBytes(type, serial, isLong, session);
  return bytes === undefined ? {} : { reply: { when: AT_ONCE.has(type) ? 'now' : 'afterDurable', bytes } };
}

function answerBytes(type: number, serial: number, isLong: boolean, { now }: TrackerSession): Buffer | undefined {
  if (type === TIME_REQUEST) return frameWith(type, serial, timeBytes(now));
  if (type === ADDRESS_REQUEST) return frameWith(ADDRESS, serial, NO_ADDRESS, true);
  if (!isLong) return TO_DEVICES.has(type) ? undefined : frameWith(type, serial);
  if (LONG_ANSWERED_LONG.has(type)) return frameWith(type, serial, undefined, true);
  return LONG_UNANSWERED.has(type) || !READERS.has(type) ? undefined : frameWith(type, serial);
}

/** Length 1, number of a command 4, text. */
const NO_ADDRESS = Buffer.concat([Buffer.from([11, 0, 0, 0, 0]), Buffer.from('NA&&NA&&0##', 'latin1')]);

/** IMEI 8 in decimal digits, maybe type 2 and zone 2. */
function decodeLogin(frame: Gt06Frame, { all, content, session }: Gt06Message): DecodedFrame {
  const digits = bcd(all, 0, 8);
  if (!/^\d{16}$/.test(digits)) return { records: [], problem: 'The IMEI of the login is not one.' };
  const imei = digits.slice(1);
  const zone = content.length >= 12 ? u16(content, 10) : undefined;
  return {
    identities: digits.startsWith('0') ? [imei] : [imei, digits],
    records: [],
    ...(zone === undefined ? {} : { remember: { [ZONE]: zoneMinutesOf(zone) } }),
    ...answerTo(frame, session),
  };
}

function decodeText(frame: Gt06Frame, message: Gt06Message): DecodedFrame {
  const commandReply = frame.type === TEXT ? replyOf15(message) : replyOf21(message);
  const reply = frame.type === TEXT ? answerTo(frame, message.session) : {};
  if (commandReply === undefined) return { records: [], ...reply };
  const draft = newDraft();
  readText(draft, commandReply.text, message.session);
  return { records: saysSomething(draft) ? [draft] : [], commandReply, ...reply };
}

/** The answer repeats the time, without serial and checksum. */
function decodeCounted(message: Gt06Message): DecodedFrame {
  const draft = newDraft();
  if (message.type === 0xf3) readAddresses(draft, message);
  else readCountedNetworks(draft, message);
  const records = saysSomething(draft) ? [draft] : [];
  if (message.type === 0xf3 || message.all.length < 6) return { records };
  const bytes = Buffer.concat([
    Buffer.from([0x78, 0x78, 0, message.type]),
    message.all.subarray(0, 6),
    Buffer.from([0x0d, 0x0a]),
  ]);
  return { records, reply: { when: 'afterDurable', bytes } };
}
