import { xorOf } from '../bytes.ts';
import { countOf, decimalOf, degreesOf, epochOfDigits, KMH_PER_KNOT, placeOf, readingsOf } from '../text/numbers.ts';
import type { DecodedFrame, TrackerMemory, TrackerRecord, TrackerSession } from '../tracker.ts';

/** Talker ids: GPS, several systems, GLONASS, Galileo, BeiDou. */
const TALKER = /^\$(?:G[PNLAB]|BD)/;

export function decodeSentence(sentence: string, session: TrackerSession): DecodedFrame | undefined {
  const fields = sentence.split(',').slice(0, 60);
  if (fields[0] === '$TRCCR') return { records: [trackRecord(fields)] };
  if (fields[0] === '$GPIOP') return { records: [inputsRecord(fields)] };
  if (fields[0] === '$PUBX') return fields[1] === '00' ? ubloxPlace(fields, session) : { records: [] };
  if (!TALKER.test(sentence)) return undefined;
  switch (sentence.slice(3, 6)) {
    case 'RMC':
      return minimum(sentence, fields, session.memory);
    case 'GGA':
      return fix(fields, session);
    case 'GLL':
      return place(fields, session);
    default:
      // Satellites in view, speed over ground and so on: receivers send many sentences without new information.
      return { records: [] };
  }
}

/** $GPRMC, hhmmss, flag, lat, N, lon, E, knots, course, ddmmyy, …*checksum, on some devices followed by vehicle data */
function minimum(sentence: string, fields: readonly string[], memory: TrackerMemory): DecodedFrame {
  const [, time, flag, lat, ns, lng, ew, speed, course, date] = fields;
  const knots = decimalOf(speed);
  const { id, ...vehicle } = vehicleAfter(sentence);
  return {
    ...(id === undefined ? {} : { identities: [id] }),
    records: [
      {
        timestamp: epochOfDigits(date?.slice(0, 6), 'dmy', time),
        ...placeOf(degreesOf(lat, ns), degreesOf(lng, ew), flag === 'A'),
        speedKmh: knots === undefined ? undefined : knots * KMH_PER_KNOT,
        courseDeg: decimalOf(course),
        ...(memory.fixTime === time?.slice(0, 6) ? remembered(memory) : {}),
        ...vehicle,
      },
    ],
    remember: { hasDates: true },
  };
}

/** `*71,11,imei,ignition,fuel,battery,…`: the IMEI identifies the device, the other values have proprietary units. */
function vehicleAfter(sentence: string): { id?: string } & Partial<TrackerRecord> {
  const [, sats, id, ignition, fuel, battery] =
    /\*[^,]+,(\d{1,3}),(\d{6,20}),([01]),(\d{1,6})(?:,(\d{1,6}))?/.exec(sentence) ?? [];
  if (id === undefined) return {};
  return {
    id,
    sats: countOf(sats),
    readings: readingsOf({ ignition: ignition === '1', fuel_raw: countOf(fuel), battery_raw: countOf(battery) }),
  };
}

function remembered({ sats, hdop, altitudeM }: TrackerMemory): Partial<TrackerRecord> {
  const known = Object.entries({ sats, hdop, altitudeM }).filter(([, value]) => typeof value === 'number');
  return Object.fromEntries(known);
}

/**
 * $GPGGA, hhmmss, lat, N, lon, E, quality, satellites, hdop, altitude. Its values are added to the RMC of the same
 * second.
 */
function fix(fields: readonly string[], session: TrackerSession): DecodedFrame {
  const [, time, lat, ns, lng, ew, quality, satellites, dilution, height] = fields;
  const sats = countOf(satellites);
  const hdop = decimalOf(dilution);
  const altitudeM = decimalOf(height);
  const isFix = (countOf(quality) ?? 0) > 0;
  const record = { ...placeOf(degreesOf(lat, ns), degreesOf(lng, ew), isFix), sats, hdop, altitudeM };
  return {
    records: alone(time, record, session),
    // Unknown values are stored as text, so that values of the previous fix are not used for them.
    remember: {
      fixTime: time?.slice(0, 6) ?? '',
      sats: sats ?? '',
      hdop: hdop ?? '',
      altitudeM: (isFix ? altitudeM : undefined) ?? '',
    },
  };
}

/** $GPGLL, lat, N, lon, E, hhmmss, flag */
function place([, lat, ns, lng, ew, time, flag]: readonly string[], session: TrackerSession): DecodedFrame {
  return { records: alone(time, placeOf(degreesOf(lat, ns), degreesOf(lng, ew), flag === 'A'), session) };
}

/** $PUBX, 00, hhmmss, lat, N, lon, E, altitude, status, accuracy, of the height, km/h, course, …, hdop at 15, satellites at 18 */
function ubloxPlace(fields: readonly string[], session: TrackerSession): DecodedFrame {
  const [, , time, lat, ns, lng, ew, altitude, status = 'NF', accuracy, , speed, course] = fields;
  const record = {
    ...placeOf(degreesOf(lat, ns), degreesOf(lng, ew), !['NF', 'TT', ''].includes(status)),
    altitudeM: decimalOf(altitude),
    accuracyM: decimalOf(accuracy),
    speedKmh: decimalOf(speed),
    courseDeg: decimalOf(course),
    hdop: decimalOf(fields[15]),
    sats: countOf(fields[18]),
  };
  return { records: alone(time, record, session) };
}

const DAY_MS = 86_400_000;
/** Clocks of receivers and servers differ by less than this. */
const AHEAD_MS = 600_000;

/**
 * A sentence with a time of day but without a date is used only if the device sends none with a date. It gets the most
 * recent date with that time of day.
 */
function alone(time: string | undefined, record: TrackerRecord, { now, memory }: TrackerSession): TrackerRecord[] {
  const ofFirstDay = epochOfDigits('010100', 'dmy', time);
  if (memory.hasDates || ofFirstDay === undefined || !record.location) return [];
  const ofToday = Math.floor(now / DAY_MS) * DAY_MS + (ofFirstDay % DAY_MS);
  const timestamp = [ofToday + DAY_MS, ofToday, ofToday - DAY_MS].find((at) => at <= now + AHEAD_MS)!;
  return [{ ...record, timestamp }];
}

/** $TRCCR, yyyymmddhhmmss, flag, lat, lon, knots, course, altitude, battery */
function trackRecord([, time = '', flag, lat, lng, speed, course, altitude]: readonly string[]): TrackerRecord {
  const knots = decimalOf(speed);
  return {
    timestamp: epochOfDigits(time.slice(2, 8), 'ymd', time.slice(8)),
    ...placeOf(decimalOf(lat), decimalOf(lng), flag === 'A'),
    speedKmh: knots === undefined ? undefined : knots * KMH_PER_KNOT,
    courseDeg: decimalOf(course),
    altitudeM: decimalOf(altitude),
  };
}

/** $GPIOP, inputs, outputs, four voltages, that of the supply, that of the battery */
function inputsRecord([, , , , , , , supply, battery]: readonly string[]): TrackerRecord {
  return {
    isValid: false,
    batteryVoltage: decimalOf(battery?.split('*')[0]),
    readings: readingsOf({ ext_voltage: decimalOf(supply) }),
  };
}

/** QZE, imei, event, ddmmyyyy, hhmmss, lat, lon, km/h, course, flag, ignition */
export function decodeQze([
  ,
  imei,
  ,
  date = '',
  time,
  lat,
  lng,
  speed,
  course,
  flag,
  acc,
]: readonly string[]): DecodedFrame {
  return {
    ...(/^\d{6,20}$/.test(imei ?? '') ? { identities: [imei!] } : {}),
    records: [
      {
        timestamp: epochOfDigits(`${date.slice(0, 4)}${date.slice(6, 8)}`, 'dmy', time),
        ...placeOf(decimalOf(lat), decimalOf(lng), flag === 'A'),
        speedKmh: decimalOf(speed),
        courseDeg: decimalOf(course),
        readings: readingsOf({ ignition: acc === '1' ? true : acc === '0' ? false : undefined }),
      },
    ],
  };
}

/** Whether a sentence has a checksum after `*` that does not match its characters. */
export function isChecksumWrong(sentence: string): boolean {
  const [whole, given] = /^\$[^*]*\*([0-9A-F]{2})/i.exec(sentence) ?? [];
  if (whole === undefined) return false;
  const covered = Buffer.from(whole.slice(1, -3), 'latin1');
  return xorOf(covered, 0, covered.length) !== Number.parseInt(given!, 16);
}

/** Lines that contain only the identity. */
const LINES: readonly RegExp[] = [
  /^\$?IMEI[ =:,]*(\w{6,20})\s*$/i,
  /^([0-9A-F]{6,20})$/,
  /^\$(?:PGID|DEVID|GPFID|PSIWMDID),(\w{4,40})(?:\*[0-9A-F]{2})?$/,
  /^\$(?:PCPTI|CONNECT),(\w{4,40}),/,
];

export const identityLine = (line: string): string | undefined =>
  LINES.map((pattern) => pattern.exec(line)?.[1]).find((id) => id !== undefined);

/**
 * A sentence, and the identifier that some devices put before it on the same line: `123456789$GPRMC,…`,
 * `…/123456789/$GPRMC,…`.
 */
export function sentenceOf(line: string): { readonly id?: string; readonly sentence: string } {
  const at = line.indexOf('$');
  if (at <= 0) return { sentence: line };
  const [, id] = /(?:^|\/)([\w-]{4,40})[,/]?$/.exec(line.slice(0, at)) ?? [];
  return { ...(id === undefined ? {} : { id }), sentence: line.slice(at) };
}
