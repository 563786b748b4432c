import { crcArc } from '../bytes.ts';
import { cellReadings } from '../record/networks.ts';
import {
  countOf,
  decimalOf,
  degreesOf,
  epochOfDigits,
  isBitSet,
  placeOf,
  readable,
  readingsOf,
  textOf,
} from '../text/numbers.ts';
import type { DecodedFrame, ReplyPlan, TrackerReading, TrackerRecord, TrackerSession } from '../tracker.ts';

const LINE = /^(?:(\d\.\d);([^#;\s]{1,40})|(\d{8,20}))?#([A-Z]{1,3})#(.*)$/s;
const VERSION_WITH_CHECKSUM = /^[2-9]\./;
const MOST_MESSAGES = 4096;

/** `#TYPE#body`, decoded as Latin-1. */
export function decodeLine(line: string, session: TrackerSession): DecodedFrame {
  const [, version, named, bare, type, body] = LINE.exec(line) ?? [];
  if (type === undefined) return { records: [], problem: 'not a message' };
  const known = version ?? session.memory.version;
  const isChecked = typeof known === 'string' && VERSION_WITH_CHECKSUM.test(known);
  const decoded = bodyOf(type, body!, isChecked, session.acceptsWrongChecksum);
  const imei = named ?? bare;
  return imei === undefined ? decoded : { identities: [imei], ...decoded };
}

function bodyOf(type: string, body: string, isChecked: boolean, acceptsWrong: boolean): DecodedFrame {
  switch (type) {
    case 'L':
      return login(body, acceptsWrong);
    case 'SD':
      return single(type, checked(body, SHORT_FIELDS, isChecked), acceptsWrong);
    case 'D':
      return single(type, checked(body, LONG_FIELDS, isChecked), acceptsWrong);
    case 'B':
      return blackBox(body, isChecked, acceptsWrong);
    case 'P':
      return { records: [], reply: answer('AP', '', 'now') };
    case 'M':
      return driverMessage(isChecked ? withoutChecksum(body, ';') : unchecked(body), acceptsWrong);
    case 'AM':
      return { records: [], commandReply: { text: textOf(body), isFailure: body.trim().startsWith('0') } };
    case 'I':
      return picture(body);
    default:
      return { records: [], problem: `unknown type ${type}` };
  }
}

const answer = (type: string, body: string | number, when: ReplyPlan['when'], refusal?: string): ReplyPlan => ({
  when,
  bytes: Buffer.from(`#${type}#${body}\r\n`),
  ...(refusal === undefined ? {} : { refusal: Buffer.from(refusal) }),
});

const DAMAGED: DecodedFrame = { records: [], isDamaged: true };

const unchecked = (body: string): Checked => ({ body, isWrong: false });

/** An additional field is the checksum, regardless of the version in the login. */
function checked(body: string, fields: number, isChecked: boolean): Checked {
  const given = body.split(';').length;
  const hasChecksum = given === fields + 1 || (isChecked && given !== fields);
  return hasChecksum ? withoutChecksum(body, ';') : unchecked(body);
}

/** `imei;password`, or `2.0;imei;password;checksum`. NA: no password. */
function login(body: string, acceptsWrong: boolean): DecodedFrame {
  const first = body.split(';')[0]!.trim();
  const isNewer = /^\d\.\d$/.test(first);
  const { body: inner, isWrong } = isNewer ? withoutChecksum(body, ';') : unchecked(body);
  const [imei = '', password = ''] = inner
    .split(';')
    .slice(isNewer ? 1 : 0)
    .map((field) => field.trim());
  if (isWrong && !acceptsWrong) return DAMAGED;
  if (!/^[\x21-\x7e]{1,50}$/.test(imei)) return { records: [], problem: 'a login without a number' };
  return {
    identities: [imei],
    ...(password === '' || password === 'NA' ? {} : { key: readable(password).slice(0, 200) }),
    records: [],
    ...(isNewer ? { remember: { version: first } } : {}),
    reply: answer('AL', 1, 'now', '#AL#0\r\n'),
  };
}

function single(type: 'D' | 'SD', { body, isWrong }: Checked, acceptsWrong: boolean): DecodedFrame {
  if (isWrong && !acceptsWrong) return DAMAGED;
  const { record, verdict } = messageOf(body);
  return {
    records: record ? [record] : [],
    reply: answer(`A${type}`, verdict, 'afterDurable'),
    ...(record ? {} : { problem: `an unreadable message (${verdict})`, isUnreadable: true }),
  };
}

/**
 * Positions buffered without a connection. All are confirmed, including undecodable ones, since the device would send
 * them again.
 */
function blackBox(body: string, isChecked: boolean, acceptsWrong: boolean): DecodedFrame {
  const last = body.slice(body.lastIndexOf('|') + 1);
  const hasChecksum = isChecked || /^\s*[0-9a-f]{1,4}\s*$/i.test(last);
  const { body: inner, isWrong } = hasChecksum ? withoutChecksum(body, '|') : unchecked(body);
  if (isWrong && !acceptsWrong) return DAMAGED;
  const bodies = inner
    .split('|')
    .filter((each) => each.trim() !== '')
    .slice(0, MOST_MESSAGES);
  const records = bodies.flatMap((each) => messageOf(each).record ?? []);
  const unread = bodies.length - records.length;
  return {
    records,
    reply: answer('AB', bodies.length, 'afterDurable'),
    ...(unread > 0 ? { problem: `${unread} unreadable messages`, isUnreadable: true } : {}),
  };
}

function driverMessage({ body, isWrong }: Checked, acceptsWrong: boolean): DecodedFrame {
  if (isWrong && !acceptsWrong) return DAMAGED;
  return { records: [], commandReply: { text: textOf(readable(body)) }, reply: answer('AM', 1, 'afterDurable') };
}

/**
 * `size;index;…` and the bytes of a part of a picture. It is confirmed, because the device would send it again for
 * ever.
 */
function picture(body: string): DecodedFrame {
  const [, index = '0'] = body.slice(0, 100).split(';');
  return {
    records: [],
    problem: 'pictures are not kept',
    reply: answer('AI', `${/^\d{1,6}$/.test(index) ? index : 0};1`, 'afterDurable'),
  };
}

/** A body, without its checksum if it has one. */
interface Checked {
  readonly body: string;
  readonly isWrong: boolean;
}

/**
 * Removes the mandatory checksum of a body. It covers all preceding characters including the separator; leading zeros
 * may be missing.
 */
function withoutChecksum(body: string, separator: ';' | '|'): Checked {
  const end = body.lastIndexOf(separator) + 1;
  const given = body.slice(end).trim();
  const covered = Buffer.from(body.slice(0, end), 'latin1');
  const isRight = /^[0-9a-f]{1,4}$/i.test(given) && Number.parseInt(given, 16) === crcArc(covered, 0, covered.length);
  return { body: body.slice(0, Math.max(0, end - 1)), isWrong: !isRight };
}

const SHORT_FIELDS = 10;
const LONG_FIELDS = 16;

/** The response code: 1, or an error. */
type MessageVerdict = -1 | 0 | 1 | 10;

interface Message {
  readonly verdict: MessageVerdict;
  readonly record?: TrackerRecord;
}

/** ddmmyy;hhmmss;lat;N;lon;E;speed;course;altitude;satellites, and in the long form the fields of `extrasOf`. */
function messageOf(body: string): Message {
  const fields = body.split(';');
  if (fields.length < SHORT_FIELDS) return { verdict: -1 };
  const [date, time, lat, ns, lng, ew, speed, course, altitude, sats] = fields.map(orNothing);
  const timestamp = epochOfDigits(date, 'dmy', time);
  if (timestamp === undefined && (date !== undefined || time !== undefined)) return { verdict: 0 };
  const [north, east] = [degreesOf(lat, ns), degreesOf(lng, ew)];
  if ((north === undefined && lat !== undefined) || (east === undefined && lng !== undefined)) return { verdict: 10 };
  const satellites = countOf(sats);
  return {
    verdict: 1,
    record: {
      timestamp,
      ...placeOf(north, east, satellites === undefined || satellites >= 3),
      speedKmh: decimalOf(speed),
      courseDeg: decimalOf(course),
      altitudeM: decimalOf(altitude),
      sats: satellites,
      ...extrasOf(fields.slice(SHORT_FIELDS).map(orNothing)),
    },
  };
}

const orNothing = (field: string) => (field.trim() === 'NA' || field.trim() === '' ? undefined : field.trim());

/** hdop;inputs;outputs;adc,adc;ibutton;parameters */
function extrasOf(fields: readonly (string | undefined)[]): Partial<TrackerRecord> {
  const [hdop, inputs, outputs, adc, driver, parameters] = fields;
  if (fields.length === 0) return {};
  const { readings = [], ...reported } = parametersOf(parameters ?? '');
  return {
    ...reported,
    hdop: decimalOf(hdop),
    readings: [
      ...bitsOf('din', countOf(inputs)),
      ...bitsOf('dout', countOf(outputs)),
      ...(adc ?? '')
        .split(',')
        .slice(0, 16)
        .flatMap((value, index) => readingsOf({ [`ain${index + 1}`]: decimalOf(value) })),
      ...readingsOf({ driver_id: driver === undefined ? undefined : textOf(readable(driver), 100) }),
      ...readings,
    ],
  };
}

const LEAST_BITS = 4;
const MOST_BITS = 16;

function bitsOf(name: string, word: number | undefined): TrackerReading[] {
  if (word === undefined) return [];
  const count = Math.min(MOST_BITS, Math.max(LEAST_BITS, word === 0 ? 0 : Math.floor(Math.log2(word)) + 1));
  return Array.from({ length: count }, (_, bit) => ({ type: `${name}${bit + 1}`, value: isBitSet(word, bit) }));
}

const MOST_PARAMETERS = 100;
const OURS = /^(?:alarm|last_place|cell|wifi)$/;

type Value = number | string | boolean;

/** `name:type:value,…`. Unknown parameters become readings with their names. */
function parametersOf(
  text: string,
): Pick<TrackerRecord, 'batteryPct' | 'batteryVoltage' | 'accuracyM' | 'alarms' | 'readings'> {
  const values = valuesOf(text);
  const battery = numberOf(values, 'battery');
  const level = numberOf(values, 'bat') ?? (battery !== undefined && battery > 5 ? battery : undefined);
  const accuracy = numberOf(values, 'accuracy');
  return {
    batteryPct: level !== undefined && level >= 0 && level <= 100 ? level : undefined,
    batteryVoltage: battery !== undefined && battery > 0 && battery <= 5 ? battery : undefined,
    accuracyM: accuracy !== undefined && accuracy >= 0 ? accuracy : undefined,
    alarms: values.get('sos') === 1 ? ['sos'] : [],
    readings: readingsFrom(values),
  };
}

function valuesOf(text: string): Map<string, Value> {
  const values = new Map<string, Value>();
  for (const parameter of text.split(',').slice(0, MOST_PARAMETERS)) {
    const [, name, value] = /^\s*([^:]{1,40}):[1-3]:(.*)$/s.exec(parameter) ?? [];
    if (name !== undefined) values.set(readable(name).toLowerCase(), parameterOf(value!));
  }
  return values;
}

const parameterOf = (text: string): Value =>
  /^(?:true|false)$/i.test(text) ? text.toLowerCase() === 'true' : (decimalOf(text) ?? textOf(readable(text), 200));

function numberOf(values: ReadonlyMap<string, Value>, name: string): number | undefined {
  const value = values.get(name);
  return typeof value === 'number' ? value : undefined;
}

const REPORTED_ELSEWHERE = /^(?:bat|battery|accuracy|sos|(?:mcc|mnc|lac|cell_id)\d?)$/;
const NAMES: Readonly<Record<string, string>> = { motion: 'moving', ign: 'ignition' };
const FLAGS = /^(?:moving|ignition|charging|door)$/;

function readingsFrom(values: ReadonlyMap<string, Value>): TrackerReading[] {
  const cells = ['', 1, 2, 3, 4, 5, 6, 7, 8, 9].map((suffix) => ({
    mcc: numberOf(values, `mcc${suffix}`),
    mnc: numberOf(values, `mnc${suffix}`),
    lac: numberOf(values, `lac${suffix}`) ?? 0,
    cid: numberOf(values, `cell_id${suffix}`) ?? 0,
  }));
  const others = [...values]
    .filter(([name]) => !REPORTED_ELSEWHERE.test(name))
    .map(([name, value]) => {
      const type = OURS.test(name) ? `param_${name}` : (NAMES[name] ?? name);
      return { type, value: FLAGS.test(type) && typeof value === 'number' ? value !== 0 : value };
    });
  return [...cellReadings(cells), ...others];
}
