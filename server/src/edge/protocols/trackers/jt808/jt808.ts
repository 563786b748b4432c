import type { AlarmWord } from '../alarm-words.ts';
import { newDraft, putAt, type RecordDraft, read, saysSomething } from '../record/networks.ts';
import type {
  CommandName,
  DecodedFrame,
  EncodedCommand,
  TrackerCommand,
  TrackerMemory,
  TrackerProtocol,
  TrackerSession,
} from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';
import {
  commandReplyOf,
  generalAnswer,
  type Jt808Answer,
  lockAnswer,
  mediaAnswer,
  RESULT,
  registerAnswer,
  timeAnswer,
} from './answers.ts';
import {
  bytesOf,
  frameOf,
  frameWith,
  identitiesOf,
  idOf,
  isLockReport,
  type Jt808Address,
  type Jt808Frame,
  MAX_FRAME_BYTES,
  recognise,
  split,
  splitDatagram,
  textOf,
} from './frame.ts';
import { batchOf, digits, locationOf, shortBatchOf, timeAt } from './location.ts';
import { transparentOf } from './transparent.ts';

const COMMANDS: readonly CommandName[] = ['position', 'reboot', 'interval', 'engineStop', 'engineResume'];

const SET_PARAMETERS = 0x8103;
const CONTROL = 0x8105;
const POSITION = 0x8201;
const TEXT = 0x8300;
const PASS_THROUGH = 0x8900;
const MAX_BODY = 1023;

/** Memory key for the address format of the device, so that messages to it use the same. */
const ADDRESS = 'address';

function rememberAddress({ id, version, mark }: Jt808Frame, memory: TrackerMemory): TrackerMemory | undefined {
  const address = `${id}/${version ?? ''}/${mark}`;
  return memory[ADDRESS] === address ? undefined : { [ADDRESS]: address };
}

function addressOf({ memory, identity }: TrackerSession): Jt808Address | undefined {
  const [id, version, mark] = String(memory[ADDRESS] ?? '').split('/');
  if (id) return { id, version: version ? Number(version) : undefined, mark: Number(mark) };
  const guessed = identity === undefined ? undefined : idOf(identity);
  return guessed === undefined ? undefined : { id: guessed };
}

/** The device repeats the serial of the message in its reply. */
function encode(command: TrackerCommand, session: TrackerSession): EncodedCommand | undefined {
  const address = addressOf(session);
  if (address === undefined) return undefined;
  const message =
    'text' in command ? textMessage(command.text, address, session.model) : namedMessage(command, session.model);
  if (message === undefined || message.body.length > MAX_BODY) return undefined;
  const serial = command.number & 0xffff;
  return { bytes: frameWith(message.type, address, serial, message.body), correlation: String(serial) };
}

interface Message {
  readonly type: number;
  readonly body: Buffer;
}

function textMessage(text: string, { version }: Jt808Address, model = ''): Message | undefined {
  const bytes = bytesOf(text);
  if (bytes === undefined || bytes.length === 0) return undefined;
  if (/^(?:AL300|GL100|VL300)/i.test(model))
    return bytes.length > 255 ? undefined : { type: SET_PARAMETERS, body: parameters([[0xf030, bytes]]) };
  if (/^JC/i.test(model)) return { type: PASS_THROUGH, body: Buffer.concat([Buffer.from([0xf0]), bytes]) };
  // Urgency 1; since 2019 also whether it is a notice 1.
  return { type: TEXT, body: Buffer.concat([Buffer.from(version === undefined ? [1] : [1, 1]), bytes]) };
}

function namedMessage(
  { name, parameters: given }: Extract<TrackerCommand, { name: CommandName }>,
  model = '',
): Message | undefined {
  switch (name) {
    case 'position':
      return { type: POSITION, body: Buffer.alloc(0) };
    case 'reboot':
      return { type: CONTROL, body: Buffer.from([4]) };
    case 'engineStop':
    case 'engineResume':
      return { type: CONTROL, body: engineBody(name === 'engineStop', model) };
    case 'interval':
      return intervalMessage(given.seconds, given.parkedSeconds);
    default:
      return undefined;
  }
}

function engineBody(isStop: boolean, model: string): Buffer {
  if (/^VL300/i.test(model)) return Buffer.from(isStop ? '#0;1' : '#0;0', 'latin1');
  if (/^W15L/i.test(model)) return Buffer.from([isStop ? 0x64 : 0x65]);
  return Buffer.from([isStop ? 0xf0 : 0xf1]);
}

/** Report intervals in seconds, awake and sleeping. */
function intervalMessage(seconds: unknown, parkedSeconds: unknown): Message | undefined {
  if (!isSeconds(seconds) || (parkedSeconds !== undefined && !isSeconds(parkedSeconds))) return undefined;
  const values: [number, Buffer][] = [[0x29, longOf(seconds)]];
  if (parkedSeconds !== undefined) values.push([0x27, longOf(parkedSeconds)]);
  return { type: SET_PARAMETERS, body: parameters(values) };
}

const isSeconds = (value: unknown): value is number =>
  Number.isInteger(value) && Number(value) >= 1 && Number(value) <= 86_400;

function longOf(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeUInt32BE(value);
  return bytes;
}

/** Count 1, then (identifier 4, length 1, value). */
const parameters = (values: readonly (readonly [id: number, value: Buffer])[]): Buffer =>
  Buffer.concat([
    Buffer.from([values.length]),
    ...values.flatMap(([id, value]) => [longOf(id), Buffer.from([value.length]), value]),
  ]);

/**
 * 5501, 5502 of locks, in decimal digits: ddmmyyhhmmss, latitude ddmmmmmm, longitude dddmmmmmm and a digit of flags,
 * speed 1, course 1, then signal, satellites, odometer, battery, cell, product, status, alarms and items.
 */
function lockReportOf(body: Buffer, isBlind: boolean, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 35) return undefined;
  const draft = newDraft();
  const [day, month, year, hour, minute, second] = Array.from(body.subarray(0, 6), digits) as [
    number,
    number,
    number,
    number,
    number,
    number,
  ];
  draft.timestamp = epochOfWallTime({ year: 2000 + year, month, day, hour, minute, second }, session.timeZone);
  const place = body.toString('hex', 6, 15);
  const flags = Number.parseInt(place[17]!, 16);
  const lat = degrees(place.slice(0, 2), place.slice(2, 8));
  const lng = degrees(place.slice(8, 11), place.slice(11, 17));
  putAt(draft, flags & 2 ? lat : -lat, flags & 4 ? lng : -lng, !isBlind);
  draft.speedKmh = body[15]!;
  draft.courseDeg = body[16]! * 2;
  draft.gsmSignal = body[17]!;
  draft.sats = body[18]!;
  read(draft, 'odometer_m', body.readUInt32BE(19) * 1000);
  const battery = body[23]!;
  if (battery <= 100) draft.batteryPct = battery;
  else if (battery === 0xaa || battery === 0xab) draft.isCharging = true;
  if (body[30] === 3) readLock(draft, body.readUInt16BE(31), body.readUInt16BE(33));
  else draft.standingAlarms = body.readUInt16BE(33) & 1 ? ['lowExternalPower'] : [];
  readItems(draft, body);
  return draft;
}

const degrees = (whole: string, tenThousandthsOfMinutes: string) =>
  Number(whole) + Number(tenThousandthsOfMinutes) / 600_000;

function readLock(draft: RecordDraft, status: number, alarms: number): void {
  read(draft, 'engine_cut', (status & 0x20) !== 0);
  const words: (AlarmWord | undefined)[] = [
    'overspeed',
    'lowExternalPower',
    'vibration',
    'lowBattery',
    undefined,
    'geofenceEnter',
    'geofenceExit',
  ];
  draft.standingAlarms = words.filter((word, bit) => word !== undefined && (alarms >> bit) & 1) as AlarmWord[];
}

function readItems(draft: RecordDraft, body: Buffer): void {
  for (let at = 35; at + 2 <= body.length; ) {
    const end = at + 2 + body[at + 1]!;
    if (end > body.length) return;
    if (body[at] === 0x02 && end === at + 4) draft.altitudeM = body.readInt16BE(at + 2);
    if (body[at] === 0xfc && end === at + 3) read(draft, 'fence', body[at + 2]!);
    at = end;
  }
}

/** The Chinese standard JT/T 808 of 2011, 2013 and 2019, with manufacturer extensions. */
export const jt808: TrackerProtocol = {
  name: 'jt808',
  wellKnownPort: 5015,
  maxFrameBytes: MAX_FRAME_BYTES,
  recognise,
  split,
  splitDatagram,
  decode,
  encode,
  commands: COMMANDS,
  repliesNameCommand: true,
};

function decode(bytes: Buffer, session: TrackerSession): DecodedFrame {
  const frame = frameOf(bytes);
  if (frame === undefined) return { records: [], problem: 'Not a JT/T 808 frame.' };
  if (!frame.isChecksumRight && !session.acceptsWrongChecksum)
    return { records: [], isDamaged: true, problem: 'The checksum is wrong.' };
  const { remember, identities, ...content } = contentOf(frame, session);
  const address = rememberAddress(frame, session.memory);
  return {
    identities: identities ?? identitiesOf(frame.id),
    ...content,
    ...(remember || address ? { remember: { ...remember, ...address } } : {}),
  };
}

type Content = Omit<DecodedFrame, 'isDamaged'>;

/** Responses of devices to server messages are not answered; nor are server messages. */
const UNANSWERED = new Set([0x0001, 0x0104, 0x0201, 0x0500, 0x0302, 0x0701, 0x1300, 0x0805]);
const isOfServer = (type: number) => type >= 0x8000;
/** Heartbeats, logout and the like: acknowledging these before they are stored loses no data. */
const AT_ONCE = new Set([0x0002, 0x0003, 0x0102, 0x0506, 0x1007]);

function contentOf(frame: Jt808Frame, session: TrackerSession): Content {
  const { type, part } = frame;
  if (isOfServer(type)) return { records: [] };
  if (isLockReport(type)) return lockContent(frame, session);
  if (frame.isEncrypted)
    return {
      records: [],
      problem: 'The body is encrypted.',
      ...generalAnswer(frame, session, 'now', RESULT.unsupported),
    };
  if (type === 0x0100) return { records: [], ...registerAnswer(frame, frame.id, session) };
  if (type === 0x0109) return { records: [], ...timeAnswer(frame, session) };
  if (type === 0x0801 && part === undefined && frame.body.length >= 4)
    return { records: [], ...mediaAnswer(frame, session) };
  const reported = reportedBy(frame, session);
  const commandReply = commandReplyOf(frame);
  const answer: Partial<Jt808Answer> = UNANSWERED.has(type)
    ? {}
    : generalAnswer(frame, session, AT_ONCE.has(type) ? 'now' : 'afterDurable');
  const remember = reported.remember || answer.remember ? { ...reported.remember, ...answer.remember } : undefined;
  return {
    ...reported,
    ...(answer.reply ? { reply: answer.reply } : {}),
    ...(commandReply ? { commandReply } : {}),
    ...(remember ? { remember } : {}),
  };
}

function reportedBy(frame: Jt808Frame, session: TrackerSession): Content {
  const { type, body, part } = frame;
  if (part !== undefined && part.number > 1 && type !== 0x0704)
    return { records: [], problem: 'A part of a message whose other parts are missing.' };
  switch (type) {
    case 0x0002:
      return heartbeatOf(body);
    case 0x0102:
      return authenticationOf(frame);
    case 0x0107:
      return one(attributesOf(body));
    case 0x0200:
      return locationContent(frame, body, session);
    case 0x0201:
    case 0x0500:
      return locationContent(frame, body.subarray(2), session);
    case 0x0210:
      return body.length === 7 ? one(shortStatusOf(body, session)) : shortBatchOf(frame, session);
    case 0x0702:
      return one(driverOf(body, session));
    case 0x0704:
      return batchOf(frame, session);
    case 0x0900:
      return one(transparentOf(body, session));
    default:
      return { records: [] };
  }
}

const one = (draft: RecordDraft | undefined): Content => ({
  records: draft && saysSomething(draft) ? [draft] : [],
});

function locationContent(frame: Jt808Frame, body: Buffer, session: TrackerSession): Content {
  const record = locationOf(body, session);
  if (record === undefined) return { records: [], problem: 'The location is too short.', isUnreadable: true };
  // Some manufacturers leave the identity in the header empty.
  const imei = frame.id.startsWith('000000') && /^0+$/.test(frame.id) ? imeiOf(record) : undefined;
  return imei === undefined ? { records: [record] } : { records: [record], identities: [imei, frame.id] };
}

/** Item F6 of eight bytes. */
function imeiOf({ readings }: RecordDraft): string | undefined {
  const items = readings.find(({ type }) => type === 'vendor_items')?.value as Record<string, string> | undefined;
  return /^0(\d{15})$/.exec(items?.f6 ?? '')?.[1];
}

function lockContent(frame: Jt808Frame, session: TrackerSession): Content {
  const record = lockReportOf(frame.body, frame.type === 0x5502, session);
  const answer = frame.isAnswerWanted ? lockAnswer(frame) : {};
  return record ? { records: [record], ...answer } : { records: [], problem: 'The location is too short.', ...answer };
}

/** Some devices add battery 1, signal 1 and status 1 to a heartbeat. */
function heartbeatOf(body: Buffer): Content {
  if (body.length < 3 || body[0]! > 100) return { records: [] };
  const draft = newDraft();
  draft.batteryPct = body[0];
  draft.gsmSignal = body[1];
  return one(draft);
}

/** The code from the registration, or another secret. Since 2019: length 1, code, IMEI 15, version 20. */
function authenticationOf({ body, version, id }: Jt808Frame): Content {
  if (version === undefined) return keyed(textOf(body), id, []);
  const end = 1 + (body[0] ?? 0);
  const imei = body.toString('latin1', end, end + 15);
  const isImei = /^\d{15}$/.test(imei);
  const draft = newDraft();
  read(
    draft,
    'firmware',
    body
      .toString('latin1', end + 15, end + 35)
      .replace(/\0/g, '')
      .trim(),
  );
  const names = identitiesOf(id);
  return {
    ...keyed(body.toString('latin1', 1, end), id, saysSomething(draft) ? [draft] : []),
    ...(isImei && !names.includes(imei) ? { identities: [...names, imei] } : {}),
  };
}

/** The code that all devices receive is not a secret. */
const keyed = (key: string, id: string, records: Content['records']): Content =>
  key === '' || key === id ? { records } : { key, records };

/** Type 2, manufacturer 5, model 20, terminal 7, SIM number 10, versions. */
function attributesOf(body: Buffer): RecordDraft | undefined {
  if (body.length < 44) return undefined;
  const draft = newDraft();
  const iccid = body.toString('hex', 34, 44).replace(/f+$/, '');
  if (/^\d{19,20}$/.test(iccid)) read(draft, 'iccid', iccid);
  return draft;
}

/** Battery 1, time 6. */
function shortStatusOf(body: Buffer, session: TrackerSession): RecordDraft {
  const draft = newDraft();
  draft.batteryPct = body[0]! <= 100 ? body[0] : undefined;
  draft.timestamp = timeAt(body, 1, session);
  return draft;
}

/** Whether the card was inserted 1, time 6, result 1, length 1, name, number of the card 20. */
function driverOf(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  if (body.length < 9) return undefined;
  const draft = newDraft();
  draft.timestamp = timeAt(body, 1, session);
  const end = 9 + body[8]!;
  read(draft, 'driver', textOf(body.subarray(9, end)).trim());
  read(
    draft,
    'driver_id',
    body
      .toString('latin1', end, end + 20)
      .replace(/\0/g, '')
      .trim(),
  );
  return draft;
}
