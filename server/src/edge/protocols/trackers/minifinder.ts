import type { AlarmWord } from './alarm-words.ts';
import { cut, safeText, startsLike } from './text/cut.ts';
import { countOf, decimalOf, hexOf, isBitSet, percentOf, placeOf, readingsOf, textOf } from './text/numbers.ts';
import type { DecodedFrame, TrackerProtocol, TrackerRecord, TrackerSession } from './tracker.ts';
import { epochOfWallTime } from './wall-time.ts';

/**
 * MiniFinder Pico and Atto: `!`, a letter or digit, fields, `;`. The login identifies the device; no responses are
 * sent.
 */
export const minifinder: TrackerProtocol = {
  name: 'minifinder',
  wellKnownPort: 5062,
  maxFrameBytes: 1024,
  recognise: (start) => startsLike(start, /^!1,\d{5}/, /^!(?:1(?:,\d{0,4})?)?$/),
  split: (stream) => cut(stream, minifinder.maxFrameBytes, lengthAt),
  decode,
  encode(command) {
    const said = 'text' in command ? safeText(command.text, /[;!]/) : undefined;
    return said === undefined ? undefined : { bytes: Buffer.from(said, 'latin1') };
  },
  commands: [],
  repliesNameCommand: false,
};

const HEAD_BYTES = 3;
const MARK = 0x21;

function lengthAt(stream: Buffer, at: number): number | undefined {
  if (stream[at] !== MARK) return 0;
  const head = stream.toString('latin1', at, at + HEAD_BYTES);
  if (!/^![1-9A-Z],/.test(head)) return /^!(?:[1-9A-Z])?$/.test(head) ? undefined : 0;
  const text = stream.toString('latin1', at, at + minifinder.maxFrameBytes);
  const end = text.search(/[;\r\n\0]/);
  if (end < 0) return undefined;
  // A message that contains the start of another was truncated.
  const next = text.slice(1, end).search(/![1-9A-Z],/);
  return next < 0 ? end + 1 : -(next + 1);
}

function decode(frame: Buffer, session: TrackerSession): DecodedFrame {
  const text = frame.toString('latin1').replace(/[;\s\0]+$/, '');
  const [, type, data] = /^!([1-9A-Z]),(.*)$/s.exec(text) ?? [];
  if (type === undefined) return { records: [], problem: 'not a message' };
  const fields = data!.split(',').slice(0, 50);
  switch (type) {
    case '1':
      return login(fields);
    case '3':
      return { records: [], commandReply: { text: textOf(data!) } };
    case '4':
      return { records: [] };
    case '5':
      return {
        records: [{ isValid: false, gsmSignal: countOf(fields[0]), batteryPct: percentOf(fields[2]) }],
      };
    case 'A':
    case 'B':
    case 'C':
    case 'D':
      return positionIn(type, fields, session.timeZone);
    default:
      return { records: [], problem: `unknown type ${type}` };
  }
}

function login([imei = '', firmware, battery]: readonly string[]): DecodedFrame {
  if (!/^\d{5,20}$/.test(imei)) return { records: [], problem: 'a login without a number' };
  const status = { batteryPct: percentOf(battery), readings: readingsOf({ firmware: textOf(firmware ?? '', 50) }) };
  return { identities: [imei], records: firmware === undefined ? [] : [{ isValid: false, ...status }] };
}

function positionIn(type: string, fields: readonly string[], timeZone: string | undefined): DecodedFrame {
  const [, , lat, lng] = fields;
  const hasPlace = decimalOf(lat) !== undefined && decimalOf(lng) !== undefined;
  return hasPlace
    ? { records: [positionOf(type, fields, timeZone)] }
    : { records: [], problem: 'a position without coordinates' };
}

/** dd/mm/yy, hh:mm:ss, lat, lon, km/h, course, flags, altitude, battery, satellites used, in view, hdop; A has no flags */
function positionOf(type: string, fields: readonly string[], timeZone: string | undefined): TrackerRecord {
  const [date, time, lat, lng, speed, course, flags, altitude, battery, sats, , hdop] = fields;
  const reported = type === 'A' ? undefined : flagsOf(hexOf(flags) ?? 0);
  const degrees = decimalOf(course);
  return {
    timestamp: timestampOf(date, time, timeZone),
    ...placeOf(decimalOf(lat), decimalOf(lng), reported?.hasFix ?? true),
    speedKmh: decimalOf(speed),
    courseDeg: degrees !== undefined && degrees <= 360 ? degrees : undefined,
    ...reported?.status,
    ...(type === 'A' ? {} : { altitudeM: decimalOf(altitude), batteryPct: percentOf(battery) }),
    ...(type === 'B' || type === 'D' ? { sats: countOf(sats), hdop: decimalOf(hdop) || undefined } : {}),
  };
}

function timestampOf(date = '', time = '', timeZone?: string): number | undefined {
  const [, day, month, year] = /^(\d{1,2})\/(\d{1,2})\/(\d\d)$/.exec(date.trim()) ?? [];
  const [, hour, minute, second] = /^(\d{1,2}):(\d{1,2}):(\d{1,2})$/.exec(time.trim()) ?? [];
  if (year === undefined || second === undefined) return undefined;
  return epochOfWallTime(
    {
      year: 2000 + Number(year),
      month: Number(month),
      day: Number(day),
      hour: Number(hour),
      minute: Number(minute),
      second: Number(second),
    },
    timeZone,
  );
}

const ALARM_BITS: readonly (readonly [number, AlarmWord])[] = [
  [2, 'fault'],
  [6, 'sos'],
  [7, 'overspeed'],
  [8, 'fall'],
  [9, 'geofence'],
  [10, 'geofence'],
  [11, 'geofence'],
  [12, 'lowBattery'],
  [14, 'movement'],
  [15, 'movement'],
];
const FIX_BITS = 0b11;
const BY_CELL_BIT = 1;
const CHARGING_BIT = 22;

function flagsOf(word: number): { hasFix: boolean; status: Partial<TrackerRecord> } {
  return {
    hasFix: (word & FIX_BITS) !== 0,
    status: {
      locationType: isBitSet(word, BY_CELL_BIT) ? 'gsm' : 'gps',
      gsmSignal: Math.floor(word / 2 ** 16) % 32,
      isCharging: isBitSet(word, CHARGING_BIT),
      standingAlarms: [...new Set(ALARM_BITS.filter(([bit]) => isBitSet(word, bit)).map(([, alarm]) => alarm))],
    },
  };
}
