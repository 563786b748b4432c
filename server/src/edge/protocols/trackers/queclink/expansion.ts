import { type RecordDraft, read } from '../record/draft.ts';
import type { HeardReading } from '../tracker.ts';
import { MAC, macOf, numberOf, type QueclinkText } from './fields.ts';

/**
 * ERI: after status and kind of the serial port, what its mask says: bit 0 a fuel sensor, 1 thermometers, 3 and 4 levels
 * of fuel, 8 Bluetooth sensors. What stands behind something unknown cannot be found, so reading ends there.
 */
export function readExpansion(draft: RecordDraft, text: QueclinkText, statusAt: number | undefined): void {
  const { fields, from, to, version = '' } = text;
  const mask = Number.parseInt(fields[from] ?? '', 16);
  if (statusAt === undefined || Number.isNaN(mask) || /^F1/i.test(version)) return;
  let at = statusAt + 2;
  if (mask & 1) at += 1;
  if (mask & 2) at = readThermometers(draft, fields, at, to);
  if (mask & 4) return;
  if (mask & 0x18) at = readFuel(draft, fields, at, to, mask);
  if (mask & 0x80) return;
  if (mask & 0x100) readSensors(draft, text, at);
}

/** Count, then (identifier, kind, sixteenths of a degree in hexadecimal digits). */
function readThermometers(draft: RecordDraft, fields: readonly string[], at: number, to: number): number {
  const count = numberOf(fields[at]) ?? 0;
  for (let index = 0; index < count && at + 3 + index * 3 < to; index += 1) {
    const value = Number.parseInt(fields[at + 3 + index * 3]!, 16);
    const signed = value & 0x8000 ? value - 0x10000 : value;
    read(draft, index === 0 ? 'temp' : `temp${index + 1}`, signed * 0.0625);
  }
  return at + 1 + count * 3;
}

/** Count, then (kind, percent if bit 3, litres if bit 4). */
function readFuel(draft: RecordDraft, fields: readonly string[], at: number, to: number, mask: number): number {
  const count = numberOf(fields[at]) ?? 0;
  let next = at + 1;
  for (let index = 0; index < count && next < to; index += 1) {
    next += 1;
    if (mask & 8) {
      read(draft, 'fuel_pct', numberOf(fields[next]));
      next += 1;
    }
    if (mask & 0x10) {
      read(draft, 'fuel_l', numberOf(fields[next]));
      next += 1;
    }
  }
  return next;
}

const TEMPERATURE = 4;
const HUMIDITY = 5;
const FINE_TEMPERATURE = 11;
const BATTERY_PCT = 13;

/** Count, then (number, kind, model, raw data, mask, and a field for each bit of the mask). */
function readSensors(draft: RecordDraft, { fields, to, version = '' }: QueclinkText, at: number): void {
  const count = numberOf(fields[at]) ?? 0;
  const heard: HeardReading[] = [];
  let next = at + 1;
  for (let index = 0; index < count && next < to; index += 1) {
    next += /^C2/i.test(version) ? 5 : 4;
    const mask = Number.parseInt(fields[next] ?? '', 16);
    if (Number.isNaN(mask)) break;
    const told = new Map<number, string>();
    for (let bit = 0; bit < 15; bit += 1)
      if (mask & (1 << bit) && bit !== 6) {
        next += 1;
        told.set(bit, fields[next] ?? '');
      }
    next += 1;
    const address = told.get(1) ?? '';
    if (!MAC.test(address)) continue;
    const sensorDeviceId = macOf(address);
    const add = (type: string, value: number | undefined) =>
      value !== undefined && heard.push({ sensorDeviceId, type, value });
    add('temp', numberOf(told.get(FINE_TEMPERATURE)) ?? numberOf(told.get(TEMPERATURE)));
    add('humidity', numberOf(told.get(HUMIDITY)));
    add('battery_pct', numberOf(told.get(BATTERY_PCT)));
  }
  if (heard.length > 0) draft.heard = [...(draft.heard ?? []), ...heard];
}
