import {
  type EelinkPackage,
  ENVELOPE,
  envelopeOf,
  MARK,
  obdRecord,
  packageOf,
  packagesIn,
  statusRecord,
  sumOf,
  TYPE,
} from './eelink/package.ts';
import { newRecord, oldRecord } from './eelink/positions.ts';
import { beginsAs, type Cut, cutFrames, exactly, firstSure, fixOf } from './frame/cut.ts';
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

/** TK115, TK116, TK319, GPT. */

const MAX_DATA = 32_768;
/** Packages without a response: old positions and pass-through data. */
const UNANSWERED: readonly number[] = [TYPE.oldPosition, TYPE.data];
const IMEI_BYTES = 8;

export const eelink: TrackerProtocol = {
  name: 'eelink',
  wellKnownPort: 5064,
  maxFrameBytes: MAX_DATA + 6,
  recognise: (start) =>
    firstSure([
      beginsAs(start, [...exactly('gg'), (byte) => (byte > 0 && byte < 0x20) || byte === 0x80 || byte === 0x81]),
      beginsAs(start, exactly('EL')),
    ]),
  split: (stream) => cutFrames(stream, cutAt, isSound),
  decode,
  encode,
  commands: ['position', 'reboot', 'engineStop', 'engineResume'],
  repliesNameCommand: true,
};

function cutAt(stream: Buffer, at: number): Cut {
  const first = stream[at];
  if (first !== 0x67 && first !== 0x45) return 'skip';
  if (at + 2 > stream.length) return 'more';
  const mark = stream.readUInt16BE(at);
  if (mark !== MARK && mark !== ENVELOPE) return 'skip';
  const lengthAt = mark === MARK ? 3 : 2;
  if (at + lengthAt + 2 > stream.length) return 'more';
  const length = stream.readUInt16BE(at + lengthAt);
  return length < 2 || length > MAX_DATA ? 'skip' : lengthAt + 2 + length;
}

const KINDS: ReadonlySet<number | undefined> = new Set(Object.values(TYPE));

/** A package has no checksum: a truncated one is recognised by the start of another inside it. */
function isSound(frame: Buffer): boolean {
  if (frame.length < 7) return false;
  if (frame.readUInt16BE(0) === ENVELOPE) return frame.readUInt16BE(4) === sumOf(frame, 6);
  for (let at = frame.indexOf('gg', 2, 'latin1'); at >= 0; at = frame.indexOf('gg', at + 1, 'latin1'))
    if (at + 2 >= frame.length || KINDS.has(frame[at + 2])) return false;
  return KINDS.has(frame[2]);
}

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  if (frame.length < 7) return { records: [], problem: 'The frame is too short.' };
  if (frame.readUInt16BE(0) !== ENVELOPE) return decodePackages(frame, session, undefined);
  const isWhole = frame.readUInt16BE(2) === frame.length - 4 && frame.readUInt16BE(4) === sumOf(frame, 6);
  if (!isWhole && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const imei = imeiIn(frame.subarray(6, 6 + IMEI_BYTES));
  if (imei === undefined) return { records: [], problem: 'The IMEI is not valid.' };
  return { identities: [imei], ...decodePackages(frame.subarray(6 + IMEI_BYTES), session, imei) };
}

/** Binary-coded decimal digits with a leading zero. */
const imeiIn = (bytes: Buffer) => /^0(\d{15})$/.exec(bytes.toString('hex'))?.[1];

function decodePackages(bytes: Buffer, session: TrackerSession, imei: string | undefined): DecodedFrame {
  const { packages, isWhole } = packagesIn(bytes);
  const decoded = packages.map((one) => ({ ...contentOf(one), answer: answerTo(one, session.now) }));
  const records = decoded.flatMap(({ records }) => records);
  const identities = decoded.flatMap(({ identities = [] }) => identities);
  const commandReply = decoded.map((one) => one.commandReply).find((reply) => reply !== undefined);
  const problem = isWhole
    ? decoded.map((one) => one.problem).find((text) => text !== undefined)
    : 'The package is incomplete.';
  const answers = Buffer.concat(decoded.map(({ answer }) => answer));
  // A heartbeat has a status, but the device does not buffer it.
  const isStored = decoded.some(({ records, isKept }) => isKept && records.length > 0);
  const reply = {
    when: isStored ? ('afterDurable' as const) : ('now' as const),
    bytes: imei === undefined ? answers : envelopeOf(imei, answers),
  };
  return {
    records,
    ...(identities.length > 0 ? { identities } : {}),
    ...(commandReply ? { commandReply } : {}),
    ...(answers.length > 0 ? { reply } : {}),
    ...(problem ? { problem, isUnreadable: true } : {}),
  };
}

type Content = DecodedFrame & { readonly isKept?: boolean };

function contentOf(one: EelinkPackage): Content {
  const { type, body } = one;
  switch (type) {
    case TYPE.login: {
      const imei = imeiIn(body.subarray(0, IMEI_BYTES));
      return imei ? { identities: [imei], records: [] } : { records: [], problem: 'The IMEI is not valid.' };
    }
    case TYPE.heartbeat:
      return recorded(statusRecord(body), false);
    case TYPE.obd:
      return recorded(obdRecord(body), true);
    case TYPE.oldPosition:
    case TYPE.oldAlarm:
    case TYPE.oldState:
    case TYPE.oldMessage:
      return recorded(oldRecord(one), true);
    case TYPE.command:
      return replied(body);
    default:
      return type >= TYPE.normal && type <= TYPE.obdCode
        ? recorded(newRecord(one), true)
        : { records: [], problem: `A package of kind ${type} is not supported.` };
  }
}

const recorded = (record: TrackerRecord | undefined, isKept: boolean): Content =>
  record ? { records: [record], isKept } : { records: [], problem: 'The package is too short.' };

/** The number of the command, and the text of the device. */
function replied(body: Buffer): Content {
  if (body.length < 5) return { records: [], problem: 'The package is too short.' };
  const text = body.toString('utf8', 5).trim();
  const commandReply: CommandReply = { text, correlation: String(body.readUInt32BE(1)) };
  const record = placeInWords(text);
  return { records: record ? [record] : [], commandReply, isKept: true };
}

const WORDS =
  /Lat:([NS])(\d+\.\d+).*?Lon:([EW])(\d+\.\d+).*?Course:(\d+\.\d+).*?Speed:(\d+\.\d+).*?Date ?Time:(\d{4}-\d\d-\d\d) (\d\d:\d\d:\d\d)/s;

/** The response to a location request is text. */
function placeInWords(text: string): TrackerRecord | undefined {
  const match = WORDS.exec(text);
  if (!match) return undefined;
  const [, south, lat, west, lng, course, speed, day, hour] = match;
  const timestamp = Date.parse(`${day}T${hour}Z`);
  if (Number.isNaN(timestamp)) return undefined;
  return {
    timestamp,
    ...fixOf(south === 'S' ? -Number(lat) : Number(lat), west === 'W' ? -Number(lng) : Number(lng), true),
    courseDeg: Number(course),
    speedKmh: Number(speed),
  };
}

/** The response has the same type and serial number; for a login also the time and the protocol version. */
function answerTo({ type, serial }: EelinkPackage, now: number): Buffer {
  if (UNANSWERED.includes(type)) return Buffer.alloc(0);
  const body = Buffer.alloc(type === TYPE.login ? 7 : 0);
  if (type === TYPE.login) {
    body.writeUInt32BE(Math.floor(now / 1000) >>> 0, 0);
    body.writeUInt16BE(1, 4);
  }
  return packageOf(type, serial, body);
}

function encode(command: TrackerCommand, { transport, identity }: TrackerSession): EncodedCommand | undefined {
  const text = 'text' in command ? command.text : textFor(command.name);
  if (!text) return undefined;
  const number = command.number >>> 0;
  const head = Buffer.alloc(5);
  head[0] = 1;
  head.writeUInt32BE(number, 1);
  const bytes = packageOf(TYPE.command, 0, Buffer.concat([head, Buffer.from(text, 'utf8')]));
  const correlation = String(number);
  if (transport === 'tcp') return { bytes, correlation };
  return identity !== undefined && /^\d{15}$/.test(identity)
    ? { bytes: envelopeOf(identity, bytes), correlation }
    : undefined;
}

function textFor(name: CommandName): string | undefined {
  switch (name) {
    case 'position':
      return 'WHERE#';
    case 'reboot':
      return 'RESET#';
    case 'engineStop':
      return 'RELAY,1#';
    case 'engineResume':
      return 'RELAY,0#';
    default:
      return undefined;
  }
}
