import type { AlarmWord } from './alarm-words.ts';
import { cellReadings } from './record/networks.ts';
import { cut, safeText, startsLike } from './text/cut.ts';
import {
  countOf,
  decimalOf,
  degreesOf,
  epochOfDigits,
  hexOf,
  KMH_PER_KNOT,
  placeOf,
  readingsOf,
} from './text/numbers.ts';
import type {
  DecodedFrame,
  EncodedCommand,
  TrackerCommand,
  TrackerProtocol,
  TrackerRecord,
  TrackerSession,
} from './tracker.ts';

/** Xexun TK102 and TK103-2: an NMEA sentence without its dollar sign, then the id of the device. */
export const xexun: TrackerProtocol = {
  name: 'xexun',
  wellKnownPort: 5006,
  maxFrameBytes: 4096,
  recognise: (start) =>
    startsLike(
      start,
      /^(?:\d{1,20},[^,]{0,20},)?G[PN]RMC,/,
      /^(?:\d{0,20}|\d{1,20},[^,]{0,20}|(?:\d{1,20},[^,]{0,20},)?(?:G(?:[PN](?:R(?:MC?)?)?)?)?)$/,
    ),
  split: (stream) => cut(stream, xexun.maxFrameBytes, lengthAt),
  decode,
  encode,
  commands: ['engineStop', 'engineResume'],
  repliesNameCommand: false,
};

const SENTENCE = /^G[PN]RMC,/;
const SENTENCE_BEGINNING = /^G(?:[PN](?:R(?:MC?)?)?)?$/;
/** Satellites, altitude and voltage, which some devices send after the id. */
const STATUS = /^\d{1,2},(?:-?\d{1,5}\.\d{1,2})?,[FL]:\d/;
const STATUS_BEGINNING = /^\d{1,2}(?:,(?:-?(?:\d{1,5}(?:\.\d{0,2})?)?|(?:-?\d{1,5}\.\d{1,2})?,(?:[FL]:?)?)?)?$/;
const HEAD_BYTES = 24;
const G = 0x47;
const isDigit = (byte: number) => byte >= 0x30 && byte <= 0x39;

function lengthAt(stream: Buffer, at: number): number | undefined {
  if (stream[at] !== G && !isDigit(stream[at]!)) return 0;
  const head = stream.toString('latin1', at, at + HEAD_BYTES);
  if (SENTENCE.test(head)) return sentenceLength(stream.toString('latin1', at, at + xexun.maxFrameBytes));
  if (STATUS.test(head)) return statusLength(stream.toString('latin1', at, at + xexun.maxFrameBytes));
  return SENTENCE_BEGINNING.test(head) || STATUS_BEGINNING.test(head) ? undefined : 0;
}

/** The length up to the comma after the id; a sentence is invalid if another starts before its id. */
function sentenceLength(text: string): number | undefined {
  const found = /imei:\d*|(?<!^)G[PN]RMC,/.exec(text);
  if (!found) return undefined;
  if (found[0].startsWith('G')) return 0;
  const end = found.index + found[0].length;
  return end === text.length ? undefined : text[end] === ',' ? end + 1 : end;
}

function statusLength(text: string): number | undefined {
  const end = text.search(/[\r\n]/);
  return end < 0 ? undefined : end;
}

function decode(frame: Buffer, { memory }: TrackerSession): DecodedFrame {
  const text = frame.toString('latin1').trim();
  const [, id] = /imei:(\d{6,20})/.exec(text) ?? [];
  const at = text.search(/G[PN]RMC,/);
  const [, status] = /(?:^|imei:\d*,)(\d*,[^,]*,[FL]:.*)$/s.exec(text) ?? [];
  const battery = status === undefined ? {} : statusOf(status.split(','));
  if (id === undefined) {
    if (status === undefined) return { records: [], problem: 'not a report' };
    const timestamp = typeof memory.timestamp === 'number' ? memory.timestamp : undefined;
    return { records: [{ timestamp, isValid: false, ...withoutPlace(battery) }] };
  }
  if (at < 0) return { identities: [id], records: [{ isValid: false, ...battery }] };
  const position = positionOf(text.slice(at));
  const record = {
    ...position,
    ...battery,
    readings: [...(position.readings ?? []), ...(battery.readings ?? [])],
  };
  return {
    identities: [id],
    records: [record],
    ...(record.timestamp === undefined ? {} : { remember: { timestamp: record.timestamp } }),
  };
}

function positionOf(text: string): TrackerRecord {
  const [, time, flag, lat, ns, lng, ew, speed, course, date] = text.split(',', 10);
  const [, said = ''] = /\*[0-9A-F]{2}\s*,[FL],([^,]*),\s*imei:/i.exec(text) ?? [];
  const alarms = ALARMS[said.trim().replace(/!+$/, '').toLowerCase()] ?? [];
  const ignition = alarms.includes('ignitionOn') ? true : alarms.includes('ignitionOff') ? false : undefined;
  const knots = decimalOf(speed);
  return {
    timestamp: epochOfDigits(date, 'dmy', time),
    ...placeOf(degreesOf(lat, ns), degreesOf(lng, ew), flag === 'A'),
    speedKmh: knots === undefined ? undefined : knots * KMH_PER_KNOT,
    courseDeg: decimalOf(course),
    alarms,
    readings: readingsOf({ ignition }),
  };
}

const ALARMS: Readonly<Record<string, readonly AlarmWord[]>> = {
  'help me': ['sos'],
  'low battery': ['lowBattery'],
  move: ['movement'],
  moved: ['movement'],
  speed: ['overspeed'],
  stockade: ['geofence'],
  'acc on': ['ignitionOn'],
  accstart: ['ignitionOn'],
  'acc off': ['ignitionOff'],
  accstop: ['ignitionOff'],
};

/** satellites, altitude, F or L and the voltage, charging, length, checksum, mcc, mnc, lac, cid */
function statusOf([
  sats,
  altitude,
  voltage = '',
  charging,
  ,
  ,
  mcc,
  mnc,
  lac,
  cid,
]: readonly string[]): Partial<TrackerRecord> {
  const [, level, volts] = /^([FL]):(\d{1,2}\.\d{1,3})V/.exec(voltage) ?? [];
  return {
    sats: countOf(sats),
    altitudeM: decimalOf(altitude),
    batteryVoltage: decimalOf(volts),
    isCharging: charging === '1' ? true : charging === '0' ? false : undefined,
    standingAlarms: level === undefined ? undefined : level === 'L' ? ['lowBattery'] : [],
    readings: cellReadings([{ mcc: countOf(mcc), mnc: countOf(mnc), lac: hexOf(lac) ?? 0, cid: hexOf(cid) ?? 0 }]),
  };
}

/** The preceding sentence contained the place. */
const withoutPlace = ({ altitudeM: _, ...status }: Partial<TrackerRecord>) => status;

const DEFAULT_PASSWORD = '123456';

/** The texts of its SMS commands. The device does not reply to them. */
function encode(command: TrackerCommand): EncodedCommand | undefined {
  const said = wordsOf(command);
  return said === undefined ? undefined : { bytes: Buffer.from(said, 'latin1'), isSilent: true };
}

function wordsOf(command: TrackerCommand): string | undefined {
  if ('text' in command) return safeText(command.text, /[\r\n]/);
  const { password = DEFAULT_PASSWORD } = command.parameters;
  if (!/^\w{1,20}$/.test(`${password}`)) return undefined;
  if (command.name === 'engineStop') return `powercar${password} 11`;
  return command.name === 'engineResume' ? `powercar${password} 00` : undefined;
}
