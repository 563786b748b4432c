import { degreesOf, KMH_PER_KNOT, placeOf } from '../text/degrees.ts';
import { countOf, decimalOf } from '../text/numbers.ts';
import { readingsOf } from '../text/readings.ts';
import { epochOfDigits } from '../text/times.ts';
import type { DecodedFrame, TrackerMemory, TrackerRecord, TrackerSession } from '../tracker.ts';

/** Whoever speaks to the satellites: GPS, several, GLONASS, Galileo, BeiDou. */
const TALKER = /^\$(?:G[PNLAB]|BD)/;

export function decodeSentence(sentence: string, session: TrackerSession): DecodedFrame | undefined {
  const fields = sentence.split(',').slice(0, 60);
  if (fields[0] === '$TRCCR') return { records: [trackRecord(fields)] };
  if (fields[0] === '$GPIOP') return { records: [inputsRecord(fields)] };
  if (!TALKER.test(sentence)) return undefined;
  switch (sentence.slice(3, 6)) {
    case 'RMC':
      return minimum(sentence, fields, session.memory);
    case 'GGA':
      return fix(fields, session);
    case 'GLL':
      return place(fields, session);
    default:
      // Satellites in view, speed over ground and so on: a receiver sends many that tell nothing more.
      return { records: [] };
  }
}

/** $GPRMC, hhmmss, flag, lat, N, lon, E, knots, course, ddmmyy, …*checksum, then, by some, the vehicle */
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

/** `*71,11,imei,ignition,fuel,battery,…`: the number is a device's, the rest has units of its own. */
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

/** $GPGGA, hhmmss, lat, N, lon, E, quality, satellites, hdop, altitude. What it adds belongs to the RMC of its second. */
function fix(fields: readonly string[], session: TrackerSession): DecodedFrame {
  const [, time, lat, ns, lng, ew, quality, satellites, dilution, height] = fields;
  const sats = countOf(satellites);
  const hdop = decimalOf(dilution);
  const altitudeM = decimalOf(height);
  const isFix = (countOf(quality) ?? 0) > 0;
  const record = { ...placeOf(degreesOf(lat, ns), degreesOf(lng, ew), isFix), sats, hdop, altitudeM };
  return {
    records: alone(time, record, session),
    // Unknown values are told by a text, so that those of the last fix are not taken for them.
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

const DAY_MS = 86_400_000;
const LIVE_MS = 600_000;

/**
 * A position whose sentence has a time of day and no date is taken only from a device that sends none with a date, and
 * only if it can be of now.
 */
function alone(time: string | undefined, record: TrackerRecord, { now, memory }: TrackerSession): TrackerRecord[] {
  const ofFirstDay = epochOfDigits('010100', 'dmy', time);
  if (memory.hasDates || ofFirstDay === undefined || !record.location) return [];
  const ofToday = Math.floor(now / DAY_MS) * DAY_MS + (ofFirstDay % DAY_MS);
  const timestamp = [ofToday - DAY_MS, ofToday, ofToday + DAY_MS].find((at) => Math.abs(at - now) <= LIVE_MS);
  return timestamp === undefined ? [] : [{ ...record, timestamp }];
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
