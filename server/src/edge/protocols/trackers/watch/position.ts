import type { AlarmWord } from '../alarm-words.ts';
import { cellReadings, type NearCell } from '../record/networks.ts';
import {
  countOf,
  decimalOf,
  epochOfDigits,
  hexOf,
  isBitSet,
  percentOf,
  placeOf,
  readable,
  readingsOf,
  textOf,
} from '../text/numbers.ts';
import type { TrackerRecord } from '../tracker.ts';

const LEAST_FIELDS = 7;

/**
 * ddmmyy, hhmmss, flag, lat, N, lon, E, km/h, course, altitude, satellites, gsm, battery, steps, tumbles, status, then
 * the received cells and networks.
 */
export function positionOf(fields: readonly string[], isAlarm: boolean, timeZone?: string): TrackerRecord | undefined {
  if (fields.length < LEAST_FIELDS) return undefined;
  const [date, time, flag, lat, ns, lng, ew, speed, course, altitude, sats, gsm, battery, steps, , word] = fields;
  const status = hexOf(word);
  const { cells, wifi, accuracyM } = aroundOf(fields.slice(16));
  return {
    timestamp: epochOfDigits(date, 'dmy', time, timeZone),
    ...placeOf(degrees(lat, ns), degrees(lng, ew), flag === 'A'),
    speedKmh: decimalOf(speed),
    courseDeg: decimalOf(course),
    altitudeM: decimalOf(altitude),
    accuracyM,
    sats: countOf(sats),
    gsmSignal: countOf(gsm),
    batteryPct: percentOf(battery),
    readings: [
      ...readingsOf({
        steps: countOf(steps),
        moving: status !== undefined && isBitSet(status, MOVING_BIT) ? true : undefined,
      }),
      ...cellReadings(cells),
      ...(wifi.length > 0 ? [{ type: 'wifi', value: wifi }] : []),
    ],
    ...alarmsOf(status, isAlarm),
  };
}

/** A number may be negative and also have the letter S or W: it is negated once. */
function degrees(text: string | undefined, hemisphere: string | undefined): number | undefined {
  const value = decimalOf(text);
  return value !== undefined && (hemisphere === 'S' || hemisphere === 'W') ? -Math.abs(value) : value;
}

const MOVING_BIT = 4;

/** Current states. */
const STATE_BITS: readonly (readonly [number, AlarmWord])[] = [
  [0, 'lowBattery'],
  [14, 'powerCut'],
];
/** Position relative to fences; an alarm only in an alarm message. */
const FENCE_BITS: readonly (readonly [number, AlarmWord])[] = [
  [1, 'geofenceExit'],
  [2, 'geofenceEnter'],
];
const ALARM_BITS: readonly (readonly [number, AlarmWord])[] = [
  [16, 'sos'],
  [17, 'lowBattery'],
  [18, 'geofenceExit'],
  [19, 'geofenceEnter'],
  [20, 'tamper'],
  [21, 'fall'],
  [22, 'fall'],
];

function alarmsOf(status: number | undefined, isAlarm: boolean): Pick<TrackerRecord, 'alarms' | 'standingAlarms'> {
  const among = (bits: readonly (readonly [number, AlarmWord])[]) => [
    ...new Set(bits.filter(([bit]) => isBitSet(status ?? 0, bit)).map(([, alarm]) => alarm)),
  ];
  if (!isAlarm)
    return status === undefined ? {} : { standingAlarms: [...new Set(among([...STATE_BITS, ...ALARM_BITS]))] };
  const alarms = among(ALARM_BITS);
  const states = among([...STATE_BITS, ...FENCE_BITS]);
  return { alarms: alarms.length > 0 ? alarms : states.length > 0 ? states : ['general'] };
}

const MAC = /^(?:[0-9a-f]{2}:){5}[0-9a-f]{2}$/i;
const MOST = 30;

interface Around {
  readonly cells: readonly NearCell[];
  readonly wifi: readonly { mac: string; rssi?: number; name?: string }[];
  readonly accuracyM?: number;
}

/** count of cells, delay, mcc, mnc, count × (lac, cid, rssi), count of networks, count × (name, mac, rssi), accuracy */
function aroundOf(fields: readonly string[]): Around {
  const count = Math.min(countOf(fields[0]) ?? 0, MOST);
  const [, , mcc, mnc] = fields;
  const cells = Array.from({ length: count }, (_, index) => {
    const [lac, cid, rssi] = fields.slice(4 + index * 3, 7 + index * 3);
    return {
      mcc: countOf(mcc),
      mnc: countOf(mnc),
      lac: countOf(lac) ?? hexOf(lac) ?? 0,
      cid: countOf(cid) ?? hexOf(cid) ?? 0,
      rssi: decimalOf(rssi),
    };
  });
  return { cells, ...networksOf(fields.slice(count > 0 ? 4 + count * 3 : 1)) };
}

/** Names may contain commas, so entries are found by the format of the address. */
function networksOf([count, ...fields]: readonly string[]): Pick<Around, 'wifi' | 'accuracyM'> {
  const wifi: { mac: string; rssi?: number; name?: string }[] = [];
  let from = 0;
  for (const [index, field] of fields.entries()) {
    if (!MAC.test(field) || wifi.length >= MOST) continue;
    const name = textOf(readable(fields.slice(from, index).join(',')), 64);
    wifi.push({ mac: field.toUpperCase(), rssi: decimalOf(fields[index + 1]), ...(name === '' ? {} : { name }) });
    from = index + 2;
  }
  const remaining = fields.slice(from);
  const accuracy = (wifi.length > 0 || count === '0') && remaining.length === 1 ? decimalOf(remaining[0]) : undefined;
  return { wifi, accuracyM: accuracy !== undefined && accuracy > 0 ? accuracy : undefined };
}
