import { bcd, i16, u8, u16, u32 } from '../bytes.ts';
import { newDraft, putAt, type RecordDraft, read, saysSomething } from '../record/networks.ts';
import type {
  CommandName,
  CommandReply,
  DecodedFrame,
  EncodedCommand,
  ReplyPlan,
  TrackerCommand,
  TrackerProtocol,
  TrackerSession,
} from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';
import { readAlarmFrame, readCameraAlarm, readCellAlarm, readLongPlace } from './alarm-frames.ts';
import { isTimeAt, timeBytes, ZONE, zoneMinutesOf } from './clock.ts';
import {
  frameOf,
  frameWith,
  type Gt06Frame,
  type Gt06Message,
  type Gt06Reader,
  isCounted,
  LOGIN,
  MAX_FRAME_BYTES,
  recognise,
  split,
} from './frame.ts';
import { isGpsAt } from './gps-block.ts';
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
import { readAddresses, readCellList, readCountedNetworks } from './networks.ts';
import { hundredths, readBattery, readModules, readStatus, readStatusBlock, STATUS_BYTES } from './status.ts';

/** 13. Its alarm is a state, because each heartbeat repeats it. */
const read13: Gt06Reader = (draft, { content, session }) => {
  const { model = '' } = session;
  if (content.length === 16) {
    draft.batteryPct = u8(content, 5);
    const value = content.readUInt16BE(14);
    read(draft, 'temp', (value & 0x8000 ? 1 : -1) * ((value & 0x7fff) / 10));
    return true;
  }
  if (content.length === 14) {
    readStatus(draft, content[0]);
    const signal = content.readUInt16BE(1);
    draft.sats = ((signal >> 10) & 31) + ((signal >> 5) & 31);
    draft.gsmSignal = signal & 31;
    draft.batteryPct = content[5]!;
    read(draft, 'ext_voltage', content.readUInt16BE(7) / 100);
    if (content[6] === 4) read(draft, 'temp', i16(content, 12)! / 10);
    return true;
  }
  if (content.length < 3) return false;
  if (/^R11$/i.test(model)) {
    readStatus(draft, content[0]);
    read(draft, 'ext_voltage', hundredths(u16(content, 1)));
    draft.gsmSignal = u8(content, 3);
  } else if (/^LW/i.test(model) || isVoltage(content)) {
    readStatus(draft, content[0]);
    readBattery(draft, content[1]);
    draft.gsmSignal = content[2];
    read(draft, 'ext_voltage', ((u16(content, 3) ?? Number.NaN) & 0xfff) / 10);
  } else {
    readStatusBlock(draft, content, 0, model);
    if (content.length === STATUS_BYTES + 2) read(draft, 'ext_voltage', hundredths(u16(content, STATUS_BYTES)));
  }
  draft.standingAlarms = draft.alarms ?? draft.standingAlarms;
  draft.alarms = undefined;
  return true;
};

/** Some devices send a voltage in place of alarm and language, recognisable by a high nibble that no language has. */
const isVoltage = (content: Buffer) => content.length === STATUS_BYTES && content[3]! >= 0xf0 && content[4]! > 2;

/** 23: status 1, voltage of the battery 2, signal 1. */
const read23: Gt06Reader = (draft, { content }) => {
  readStatus(draft, u8(content, 0));
  draft.batteryVoltage = hundredths(u16(content, 1));
  draft.gsmSignal = u8(content, 3);
  return content.length > 0;
};

/** 36: as 13, then modules. */
const read36: Gt06Reader = (draft, { content, session }) => {
  if (content.length < STATUS_BYTES) return false;
  readStatusBlock(draft, content, 0, session.model);
  draft.standingAlarms = draft.alarms ?? draft.standingAlarms;
  draft.alarms = undefined;
  readModules(draft, content, STATUS_BYTES, 1);
  return true;
};

/** A3 with a length of 12 or 24 bytes: steps, battery and motion. */
const readStepStatus: Gt06Reader = (draft, { content, session }) => {
  if (content.length < 7) return false;
  readStatus(draft, content[0]);
  if (content.length < 19) {
    readStatusBlock(draft, content, 0, session.model);
    return true;
  }
  draft.gsmSignal = content[4];
  read(draft, 'steps', content.readUInt32BE(9));
  draft.batteryPct = content[13];
  draft.isCharging = content[14] === 1;
  read(draft, 'moving', content[15] === 1);
  return true;
};

const COMMAND = 0x80;
/** Keeps the length of the frame within one byte. */
const MAX_TEXT = 240;

const COMMANDS: readonly CommandName[] = ['position', 'reboot', 'interval', 'engineStop', 'engineResume'];

/** 80: length 1, number of the command 4, text. The device repeats the number in its reply. */
function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const text = 'text' in command ? command.text : wordsOf(command, session);
  if (text === undefined || text.length === 0 || text.length > MAX_TEXT || !/^[\x20-\x7e]+$/.test(text))
    return undefined;
  const number = command.number >>> 0;
  const content = Buffer.alloc(5 + text.length);
  content[0] = 4 + text.length;
  content.writeUInt32BE(number, 1);
  content.write(text, 5, 'latin1');
  return { bytes: frameWith(COMMAND, number & 0xffff, content), correlation: String(number) };
}

function wordsOf(
  { name, parameters }: Extract<TrackerCommand, { name: CommandName }>,
  { model = '' }: TrackerSession,
): string | undefined {
  const isTr06 = /^TR06/i.test(model);
  const password = String(parameters.password ?? '000000');
  switch (name) {
    case 'position':
      return 'WHERE#';
    case 'reboot':
      return 'RESET#';
    case 'engineStop':
      return isTr06 ? `DYD,${password}#` : 'Relay,1#';
    case 'engineResume':
      return isTr06 ? `HFYD,${password}#` : 'Relay,0#';
    case 'interval':
      return intervalWords(parameters.seconds, parameters.parkedSeconds);
    default:
      return undefined;
  }
}

/** Intervals while moving and while parked. */
function intervalWords(seconds: unknown, parkedSeconds: unknown = seconds): string | undefined {
  const isInterval = (value: unknown) => Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 18_000;
  return isInterval(seconds) && isInterval(parkedSeconds) ? `TIMER,${seconds},${parkedSeconds}#` : undefined;
}

/** 15: length 1, number of the command 4, ASCII, (language 2). */
function replyOf15({ content }: Gt06Message): CommandReply | undefined {
  const size = u8(content, 0) ?? 0;
  if (size < 4) return undefined;
  return replyOf(content, 1, content.toString('latin1', 5, 1 + size));
}

/** 21: number of the command 4, encoding 1 (1: ASCII, 2: UTF-16), text. */
function replyOf21({ content }: Gt06Message): CommandReply | undefined {
  if (content.length < 5) return undefined;
  if (content[4] !== 2) return replyOf(content, 0, content.toString('latin1', 5));
  const text = Buffer.from(content.subarray(5, content.length - ((content.length - 5) % 2)));
  return replyOf(content, 0, text.swap16().toString('utf16le'));
}

/** Clones send 0 as the number of the answered command. */
function replyOf(content: Buffer, at: number, text: string): CommandReply {
  const number = u32(content, at);
  const isFailure = /\b(?:fail(?:ed|ure)?|error|invalid)\b/i.test(text);
  return {
    text: text.replace(/\0+$/, ''),
    ...(number ? { correlation: String(number) } : {}),
    ...(isFailure ? { isFailure } : {}),
  };
}

const POSITION =
  /Lat:([NS])([\d.]+),\s*Lon:([EW])([\d.]+),\s*Course:([\d.]+),\s*Speed:([\d.]+).*?DateTime:\s*(\d{4})-(\d\d)-(\d\d) +(\d\d):(\d\d):(\d\d)/;

/** The content of a text: the SIM number, or the position. */
function readText(draft: RecordDraft, text: string, { timeZone }: TrackerSession): void {
  read(draft, 'iccid', /<ICCID:([0-9A-F]{19,20})>/i.exec(text)?.[1]);
  const found = POSITION.exec(text);
  if (!found) return;
  const [, ns, lat, ew, lng, course, speed, ...time] = found;
  const [year, month, day, hour, minute, second] = time.map(Number) as [number, number, number, number, number, number];
  draft.courseDeg = Number(course);
  draft.speedKmh = Number(speed);
  draft.timestamp = epochOfWallTime({ year, month, day, hour, minute, second }, timeZone);
  putAt(draft, Number(lat) * (ns === 'S' ? -1 : 1), Number(lng) * (ew === 'W' ? -1 : 1), true);
}

/** Concox, Jimi and their clones: one frame format, many contents. */
export const gt06: TrackerProtocol = {
  name: 'gt06',
  wellKnownPort: 5023,
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

/** Types whose contents differ in more than their tail. */
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

/** An unknown type: many of them start with a place. */
const readUnknown = (message: Gt06Message): Gt06Reader | undefined =>
  isGpsAt(message.all, 0) ? readPlaceOnly : undefined;

function decode(bytes: Buffer, session: TrackerSession): DecodedFrame {
  const frame = frameOf(bytes);
  if (frame === undefined) return { records: [], problem: 'Not a GT06 frame.' };
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
  if (isRead === undefined) return { records: [], ...reply, problem: `Type ${hex(frame.type)} is unknown.` };
  const records = saysSomething(draft) ? [draft] : [];
  return isRead ? { records, ...reply } : { records, ...reply, problem: `Type ${hex(frame.type)} is too short.` };
}

const hex = (type: number) => type.toString(16).padStart(2, '0');

const TEXT = 0x15;
const LONG_TEXT = 0x21;
const ADDRESS_REQUEST = 0x2a;
const ADDRESS = 0x97;
const TIME_REQUEST = 0x8a;
/** Types that servers send; they arrive if someone connects a server. */
const TO_DEVICES = new Set([0x80, 0x81, 0x82, ADDRESS]);
/** Acknowledging these before they are stored loses no data. */
const AT_ONCE = new Set([LOGIN, 0x13, 0x23, 0x36, TIME_REQUEST, ADDRESS_REQUEST]);
/** Long frames of these types need no response; others get one in the short form, or in their own. */
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

/** The response repeats the time, without serial and checksum. */
function decodeCounted(message: Gt06Message): DecodedFrame {
  // The only part that garbage does not have.
  if (!/^\d{12}$/.test(message.all.toString('hex', 0, 6))) return { records: [], problem: 'the time is not decimal' };
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
