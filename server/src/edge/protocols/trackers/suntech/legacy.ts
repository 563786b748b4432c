import type { AlarmWord } from '../alarm-words.ts';
import { fixOf } from '../frame/cut.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';
import { ALERTS, EMERGENCIES } from './alerts.ts';
import { hexOf, inputReadings, isDegrees, numberOf, outputReadings, reading, timeOf, withNumber } from './fields.ts';
import { serialDataOf } from './serial-data.ts';

/** The fields that all dialects have in this order. */
interface Position {
  readonly record: TrackerRecord;
  /** The field after the course. */
  readonly next: number;
}

/** Fields between the time and the place: none, the cell, or all cell data. */
const MAX_BETWEEN = 7;
const CELL_FIELDS = 5;

/** Finds date, time, latitude and longitude by their format: the fields before and between them differ by model. */
function positionIn(fields: readonly string[]): Position | undefined {
  const dateAt = fields.findIndex((field, at) => timeOf(field, fields[at + 1]) !== undefined);
  if (dateAt < 0) return undefined;
  const between = Array.from({ length: MAX_BETWEEN + 1 }, (_, count) => count).find(
    (count) => isDegrees(fields[dateAt + 2 + count]) && isDegrees(fields[dateAt + 3 + count]),
  );
  if (between === undefined) return undefined;
  const at = dateAt + 2 + between;
  return {
    record: {
      timestamp: timeOf(fields[dateAt], fields[dateAt + 1])!,
      ...fixOf(Number(fields[at]), Number(fields[at + 1]), true),
      ...withNumber('speedKmh', fields[at + 2]),
      ...withNumber('courseDeg', fields[at + 3]),
      readings: between === CELL_FIELDS ? cellOf(fields.slice(dateAt + 2, at)) : [],
    },
    next: at + 4,
  };
}

/** Cell, country, network, area, signal. */
function cellOf([cid, mcc, mnc, lac]: readonly string[]): TrackerReading[] {
  const value = { mcc: numberOf(mcc), mnc: numberOf(mnc), lac: hexOf(lac), cid: hexOf(cid) };
  return value.mcc && value.cid && value.lac !== undefined && value.mnc !== undefined ? [{ type: 'cell', value }] : [];
}

/** ST200, ST300, ST500, ST600 and similar. `type` follows the model in the first field. */
export function legacyRecord(type: string, text: string): TrackerRecord | undefined {
  const fields = text.split(';');
  const found = positionIn(fields);
  if (!found) return undefined;
  const [sats, fix, odometer, volts, io = ''] = fields.slice(found.next);
  const ports = [...io].map((bit) => (bit === '1' ? 1 : 0));
  const remaining = fields.slice(found.next + 5);
  const serial = type === 'UEX' ? serialDataOf(remaining.join(';')) : undefined;
  const number = numberOf(remaining[0]);
  const alarm = alarmOf(type, number);
  const tail = tailOf(serial ? serial.remaining : remaining.slice(1));
  return {
    ...found.record,
    isValid: found.record.isValid && fix === '1',
    ...withNumber('sats', sats),
    ...tail.facts,
    ...(alarm ? { alarms: [alarm] } : {}),
    readings: [
      ...found.record.readings!,
      ...reading('odometer_m', numberOf(odometer)),
      ...reading('ext_voltage', numberOf(volts)),
      ...(ports.length >= 6
        ? [
            ...inputReadings(ports[0]! + 2 * ports[1]! + 4 * ports[2]! + 8 * ports[3]!),
            ...outputReadings(ports[4]! + 2 * ports[5]!),
          ]
        : []),
      ...(serial?.readings ?? []),
      ...tail.readings,
      ...(type === 'STT' || type === 'UEX' ? [] : reading('event_code', number)),
    ],
    recordId: `${type}.${(type === 'STT' ? remaining[1] : remaining[0]) ?? ''}`,
  };
}

function alarmOf(type: string, number: number | undefined): AlarmWord | undefined {
  if (number === undefined) return undefined;
  if (type === 'EMG') return EMERGENCIES.get(number) ?? 'general';
  return type === 'ALT' ? ALERTS.get(number) : undefined;
}

const MAX_BEFORE_TAIL = 4;

/**
 * Engine minutes, volts of the second battery, whether it is sent live; then model-specific fields, by their format.
 */
function tailOf(fields: readonly string[]): { facts: Partial<TrackerRecord>; readings: TrackerReading[] } {
  const at = fields.findIndex(
    (field, index) =>
      index < MAX_BEFORE_TAIL &&
      /^\d+$/.test(field) &&
      /^\d+\.\d+$/.test(fields[index + 1] ?? '') &&
      /^[01]$/.test(fields[index + 2] ?? ''),
  );
  if (at < 0) return { facts: {}, readings: [] };
  const [hours, battery, live] = fields.slice(at);
  const more = fields.slice(at + 3);
  const driver = more.find((field) => /^[0-9A-F]{14,16}$/i.test(field) && !/^0+$/.test(field));
  return {
    facts: { batteryVoltage: Number(battery) },
    readings: [
      { type: 'engine_hours', value: Number(hours) / 60 },
      { type: 'buffered', value: live === '0' },
      ...reading('driver_id', driver),
      ...temperaturesOf(more),
      ...servingCellOf(more),
    ],
  };
}

/** `<number of the probe>:+2.5`; a missing probe leaves only the colon. */
function temperaturesOf(fields: readonly string[]): TrackerReading[] {
  return fields
    .filter((field) => field.includes(':'))
    .flatMap((field, index) => {
      const value = numberOf(field.slice(field.indexOf(':') + 1));
      return reading(index === 0 ? 'temp' : `temp${index + 1}`, value);
    });
}

/** The last six fields of some models: cell, country, network, signal, area, timing advance, in decimal digits. */
function servingCellOf(fields: readonly string[]): TrackerReading[] {
  const match = /(?:^|;)(\d+);(\d{3});(\d{1,3});-\d+;(\d+);\d+$/.exec(fields.join(';'));
  if (!match) return [];
  const [cid, mcc, mnc, lac] = match.slice(1).map(Number);
  return [{ type: 'cell', value: { mcc, mnc, lac, cid } }];
}

/** ST4xx: received cells, battery; a place if it has one. */
export function record4(type: string, text: string): TrackerRecord | undefined {
  const fields = text.split(';');
  const found = positionIn(fields);
  const cellsAt = fields[3] === '41' ? 5 : 4;
  const battery = numberOf(fields[cellsAt + 42]);
  const [cid, mcc, mnc, , lac] = fields.slice(cellsAt, cellsAt + 5).map(numberOf);
  const readings = [
    ...(cid && mcc && mnc !== undefined && lac ? [{ type: 'cell', value: { mcc, mnc, lac, cid } }] : []),
    ...reading('firmware', fields[2]),
  ];
  const batteryFact = battery === undefined ? {} : { batteryVoltage: battery };
  if (!found) return battery === undefined ? undefined : { isValid: false, ...batteryFact, readings };
  const [sats, fix] = fields.slice(found.next);
  return {
    ...found.record,
    isValid: found.record.isValid && fix === '1',
    ...withNumber('sats', sats),
    ...batteryFact,
    ...(type === 'ALT' ? { alarms: ['general' as const] } : {}),
    readings,
    recordId: `${type}.${fields[cellsAt + 44] ?? ''}`,
  };
}

/** ST9xx: `ST910;Location;id;…`. It contains no satellites. */
export function record9(type: string, text: string): TrackerRecord | undefined {
  const fields = text.split(';');
  const found = positionIn(fields);
  if (!found) return undefined;
  const [fix, next] = fields.slice(found.next);
  // Models that send the cell send the odometer, others the battery voltage.
  const isBattery = /^\d\.\d+$/.test(next ?? '');
  return {
    ...found.record,
    isValid: found.record.isValid && fix === '1',
    ...(isBattery ? { batteryVoltage: Number(next) } : {}),
    ...(type === 'Location' ? {} : { alarms: ['general' as const] }),
    readings: isBattery ? [] : reading('odometer_m', numberOf(next)),
    recordId: type,
  };
}
