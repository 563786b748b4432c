import type { AlarmWord } from '../alarm-words.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

const DEGREES = /^[+-]?\d{1,3}\.\d+$/;

interface TextReport {
  readonly event: number;
  readonly record: TrackerRecord;
}

/** A report in text (AAA and the like), or undefined if the fields do not match. */
export function textReport(data: string, model: string | undefined): TextReport | undefined {
  const all = data.split(',');
  // Some firmware sends another number before the event.
  const eventAt = [0, 1].find((at) => DEGREES.test(all[at + 1] ?? '') && DEGREES.test(all[at + 2] ?? ''));
  if (eventAt === undefined) return undefined;
  const [
    event,
    lat,
    lng,
    time,
    validity,
    sats,
    gsm,
    speed,
    course,
    hdop,
    altitude,
    odometer,
    runtime,
    cell,
    io,
    analog,
  ] = all.slice(eventAt);
  const [eventData, , protocol, fuel, temperatures] = all.slice(eventAt + 16);
  const timestamp = timeOf(time ?? '');
  const facts = eventFacts(numberOf(event) ?? 0);
  const { battery, readings: analogReadings } = analogOf(analog ?? '', model);
  const readings = [
    ...facts.readings,
    ...numbered('odometer_m', numberOf(odometer)),
    ...numbered('runtime_s', numberOf(runtime)),
    ...cellOf(cell ?? ''),
    ...portsOf(io ?? ''),
    ...analogReadings,
    ...eventDataOf(numberOf(event), eventData),
    ...fuelOf(fuel ?? ''),
    ...temperaturesOf(temperatures ?? '', numberOf(protocol) ?? 0),
  ];
  return {
    event: numberOf(event) ?? 0,
    record: {
      ...(timestamp === undefined ? {} : { timestamp }),
      ...fixOf(Number(lat), Number(lng), validity === 'A'),
      ...withNumber('sats', sats),
      ...withNumber('gsmSignal', gsm),
      ...withNumber('speedKmh', speed),
      ...withNumber('courseDeg', course),
      ...withNumber('hdop', hdop),
      ...withNumber('altitudeM', altitude),
      ...(battery === undefined ? {} : { batteryVoltage: battery }),
      ...(facts.alarms ? { alarms: facts.alarms } : {}),
      readings,
      recordId: event ?? '',
    },
  };
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^[+-]?\d+(\.\d*)?$/.test(text) ? Number(text) : undefined;
}

function withNumber<Name extends string>(name: Name, text: string | undefined): { [Key in Name]?: number } {
  const value = numberOf(text);
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: number });
}

const numbered = (type: string, value: number | undefined): TrackerReading[] =>
  value === undefined ? [] : [{ type, value }];

/** yymmddhhmmss, UTC. */
function timeOf(text: string): number | undefined {
  const parts = /^(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)(\d\d)$/.exec(text)?.slice(1).map(Number);
  if (!parts) return undefined;
  const [year, month, day, hour, minute, second] = parts as [number, number, number, number, number, number];
  return Date.UTC(2000 + year, month - 1, day, hour, minute, second);
}

function cellOf(text: string): TrackerReading[] {
  const [mcc, mnc, lac, cid] = text.split('|');
  const value = { mcc: Number(mcc), mnc: Number(mnc), lac: hexOf(lac), cid: hexOf(cid) };
  return value.mcc > 0 && value.lac && value.cid && Number.isFinite(value.mnc) ? [{ type: 'cell', value }] : [];
}

const hexOf = (text: string | undefined) =>
  text !== undefined && /^[0-9a-f]{1,8}$/i.test(text) ? Number.parseInt(text, 16) : undefined;

/** Inputs, then outputs. */
function portsOf(text: string): TrackerReading[] {
  if (!/^[0-9a-f]{4}$/i.test(text)) return [];
  const bits = Number.parseInt(text, 16);
  return [...portReadings('din', bits >> 8), ...portReadings('dout', bits & 0xff)];
}

function analogOf(text: string, model: string | undefined): { battery?: number; readings: TrackerReading[] } {
  const parts = text.split('|');
  // Personal trackers send volts: of the battery, the supply, and parts of the device.
  if (parts[0]?.includes('.')) {
    const battery = numberOf(parts[0]);
    return {
      ...(battery === undefined ? {} : { battery }),
      readings: numbered('ext_voltage', numberOf(parts[1])),
    };
  }
  const readings = parts.slice(0, 3).flatMap((part, index) => {
    const value = hexOf(part);
    return value === undefined ? [] : [{ type: `ain${index + 1}`, value: value / 100 }];
  });
  const battery = hexOf(parts[3]);
  const power = hexOf(parts[4]);
  const scale = scaleOf(model, battery ?? 0);
  if (power !== undefined) readings.push({ type: 'ext_voltage', value: volts(power * scale.power) });
  return { ...(battery === undefined ? {} : { battery: volts(battery * scale.battery) }), readings };
}

function eventDataOf(event: number | undefined, data: string | undefined): TrackerReading[] {
  if (!data) return [];
  return [{ type: event === EVENT.rfid ? 'driver_id' : 'event_data', value: data }];
}

/** Percent, and hundredths of it. */
function fuelOf(text: string): TrackerReading[] {
  if (!/^[0-9a-f]{4}$/i.test(text)) return [];
  const value = Number.parseInt(text.slice(0, 2), 16) + Number.parseInt(text.slice(2), 16) / 100;
  return [{ type: 'fuel_pct', value }];
}

/** `NNVVVV|…`: sensor number; hundredths of a degree, or before protocol 3 degrees and hundredths. */
function temperaturesOf(text: string, protocol: number): TrackerReading[] {
  return text.split('|').flatMap((part) => {
    if (!/^[0-9a-f]{6}$/i.test(part)) return [];
    const bytes = Buffer.from(part, 'hex');
    const degrees = bytes.readInt8(1);
    const value =
      protocol >= 3 ? bytes.readInt16BE(1) / 100 : degrees + (degrees < 0 ? -1 : 1) * (bytes.readUInt8(2) / 100);
    const index = bytes[0]!;
    return [{ type: index <= 1 ? 'temp' : `temp${index}`, value }];
  });
}

interface Scale {
  /** Volts per step of the ADC for the battery, and for the external supply. */
  readonly battery: number;
  readonly power: number;
}

const HUNDREDTHS: Scale = { battery: 1 / 100, power: 1 / 100 };
const TEN_BITS: Scale = { battery: (3 * 2) / 1024, power: (3 * 16) / 1024 };
const TWELVE_BITS: Scale = { battery: (3.3 * 2) / 4096, power: (3.3 * 16) / 4096 };

const TEN_BIT_MODELS = /^MVT(340|380)/i;
const TWELVE_BIT_MODELS = /^(MVT(100|600|800)|T1$|T3$|TC68)/i;

/** A battery of this type has 2.8 to 4.6 V, which selects the scale of an unknown model. */
const isBattery = (volts: number) => volts >= 2.8 && volts <= 4.6;

export function scaleOf(model: string | undefined, battery: number): Scale {
  if (model !== undefined && TEN_BIT_MODELS.test(model)) return TEN_BITS;
  if (model !== undefined && TWELVE_BIT_MODELS.test(model)) return TWELVE_BITS;
  return [HUNDREDTHS, TEN_BITS, TWELVE_BITS].find((scale) => isBattery(battery * scale.battery)) ?? HUNDREDTHS;
}

export const volts = (value: number) => Math.round(value * 1000) / 1000;

const ALARMS: ReadonlyMap<number, AlarmWord> = new Map([
  [1, 'sos'],
  [17, 'lowBattery'],
  [18, 'lowExternalPower'],
  [19, 'overspeed'],
  [20, 'geofenceEnter'],
  [21, 'geofenceExit'],
  [22, 'powerRestored'],
  [23, 'powerCut'],
  [28, 'antennaCut'],
  [36, 'tow'],
  [40, 'powerOff'],
  [44, 'jamming'],
  [50, 'temperature'],
  [51, 'temperature'],
  [78, 'crash'],
  [79, 'fall'],
  [90, 'harshCornering'],
  [91, 'harshCornering'],
  [109, 'fatigue'],
  [129, 'harshBraking'],
  [130, 'harshAcceleration'],
  [133, 'idle'],
  [135, 'fatigue'],
]);

export const EVENT = { rfid: 37, stopped: 41, moves: 42, answersPosition: 34, periodic: 35 } as const;

/** The meaning of an event number. */
export function eventFacts(event: number): Pick<TrackerRecord, 'alarms'> & { readings: TrackerReading[] } {
  const alarm = ALARMS.get(event);
  const readings: TrackerReading[] = event === EVENT.periodic ? [] : [{ type: 'event_code', value: event }];
  if (event === EVENT.stopped || event === EVENT.moves) readings.push({ type: 'moving', value: event === EVENT.moves });
  return { ...(alarm ? { alarms: [alarm] } : {}), readings };
}

/** Bits of a port, lowest first. */
export const portReadings = (name: 'din' | 'dout', bits: number): TrackerReading[] =>
  Array.from({ length: 8 }, (_, index) => ({ type: `${name}${index + 1}`, value: (bits & (1 << index)) !== 0 }));
