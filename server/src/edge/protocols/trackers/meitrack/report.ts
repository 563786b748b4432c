import { fixOf } from '../frame/fix.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { EVENT, eventFacts, portReadings } from './events.ts';
import { scaleOf, volts } from './voltages.ts';

const DEGREES = /^[+-]?\d{1,3}\.\d+$/;

export interface TextReport {
  readonly event: number;
  readonly record: TrackerRecord;
}

/** A report in text (AAA and the like), or undefined if the fields are something else. */
export function textReport(data: string, model: string | undefined): TextReport | undefined {
  const all = data.split(',');
  // Some firmware has another number before the event.
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
  // Personal trackers give volts: of the battery, the supply, and parts of the device.
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

/** Per cent, and hundredths of it. */
function fuelOf(text: string): TrackerReading[] {
  if (!/^[0-9a-f]{4}$/i.test(text)) return [];
  const value = Number.parseInt(text.slice(0, 2), 16) + Number.parseInt(text.slice(2), 16) / 100;
  return [{ type: 'fuel_pct', value }];
}

/** `NNVVVV|…`: the number of the sensor; hundredths of a degree, or before protocol 3 degrees and hundredths. */
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
