import { type CellReading, newDraft, putAt, type RecordDraft, read, readCells, readWifi } from '../record/networks.ts';
import type { TrackerSession } from '../tracker.ts';
import { epochOf, MAC, macOf, numberOf, type QueclinkText } from './fields.ts';

/**
 * A location group: accuracy, speed, course, altitude, longitude, latitude, time of the fix, then country, network,
 * area and cell, and a field that is an odometer or a mask. It is found by its format, because the preceding fields
 * differ by model.
 */
export function locationAt(
  text: QueclinkText,
  at: number,
  session: TrackerSession,
): { draft: RecordDraft; tailAt: number } {
  const { fields } = text;
  const draft = newDraft();
  draft.timestamp = epochOf(fields[at + 2], session.timeZone);
  putAt(draft, Number(fields[at + 1]), Number(fields[at]), true);
  draft.altitudeM = numberOf(fields[at - 1]);
  draft.courseDeg = numberOf(fields[at - 2]);
  draft.speedKmh = numberOf(fields[at - 3]);
  draft.hdop = numberOf(fields[at - 4]) || undefined;
  const cellAt = readNetworks(draft, fields, at + 3);
  const cell = cellOf(fields, cellAt);
  if (cell) readCells(draft, [cell]);
  const tailAt = cellAt + 4;
  // Bit 0 of the mask means that the number of satellites follows.
  if (isMask(fields[tailAt]) && /^\d{1,2}$/.test(fields[tailAt + 1] ?? '')) draft.sats = Number(fields[tailAt + 1]);
  return { draft, tailAt };
}

export const isMask = (field: string | undefined) => field !== undefined && /^0[1-9A-F]$/i.test(field);

/** Some models add access points before the cell: a count, then (address, signal, three empty fields). */
function readNetworks(draft: RecordDraft, fields: readonly string[], at: number): number {
  const count = /^\d{1,2}$/.test(fields[at] ?? '') && MAC.test(fields[at + 1] ?? '') ? Number(fields[at]) : 0;
  if (count === 0) return at;
  readWifi(draft, wifiOf(fields, at + 1, count));
  return at + 1 + count * 5;
}

/** (address, signal, three empty fields) */
export function wifiOf(fields: readonly string[], from: number, count: number) {
  const found = [];
  for (let index = 0; index < count; index += 1) {
    const at = from + index * 5;
    const rssi = numberOf(fields[at + 1]);
    if (!MAC.test(fields[at] ?? '')) break;
    found.push(rssi === undefined ? { mac: macOf(fields[at]!) } : { mac: macOf(fields[at]!), rssi });
  }
  return found;
}

/** Country and network in decimal, area and cell in hexadecimal digits. */
export function cellOf(fields: readonly string[], at: number): CellReading | undefined {
  const [mcc = '', mnc = '', lac = '', cid = ''] = fields.slice(at, at + 4);
  const isCell = /^0?[2-7]\d\d$/.test(mcc) && /^\d{2,4}$/.test(mnc) && /^[0-9A-F]{4}$/i.test(lac);
  if (!isCell || !/^[0-9A-F]{4,8}$/i.test(cid)) return undefined;
  return { mcc: Number(mcc), mnc: Number(mnc), lac: Number.parseInt(lac, 16), cid: Number.parseInt(cid, 16) };
}

/** The cell of a message without a fix. */
export function readLoneCell(draft: RecordDraft, { fields, from, to }: QueclinkText): void {
  for (let at = from; at + 4 <= to; at += 1) {
    const cell = cellOf(fields, at);
    if (cell === undefined) continue;
    readCells(draft, [cell]);
    return;
  }
}

/** Fields after the last group: odometer, hours, battery, and the vehicle status. */
export function readTail(draft: RecordDraft, { fields, to }: QueclinkText, tailAt: number): number | undefined {
  const odometerAt = [tailAt, tailAt + 1, tailAt + 2, ...(isMask(fields[tailAt]) ? [tailAt + 3] : [])].find(
    (at) => at < to && /^\d+\.\d+$/.test(fields[at]!),
  );
  if (odometerAt !== undefined) read(draft, 'odometer_m', Math.round(Number(fields[odometerAt]) * 1000));
  const hours = fields.slice(tailAt, to).find((field) => /^\d+:[0-5]\d:[0-5]\d$/.test(field));
  if (hours !== undefined) {
    const [hour, minute, second] = hours.split(':').map(Number) as [number, number, number];
    read(draft, 'engine_hours', hour + minute / 60 + second / 3600);
  }
  return readStatus(draft, fields, tailAt + 1, to);
}

const IGNITION = new Map([
  ['11', false],
  ['12', false],
  ['16', false],
  ['1A', false],
  ['21', true],
  ['22', true],
]);
const MOVING = new Map([
  ['11', false],
  ['12', true],
  ['16', true],
  ['1A', true],
  ['21', false],
  ['22', true],
  ['41', false],
  ['42', true],
]);
const STATUS = /^(?:1[126A]|2[12]|4[12])[0-9A-F]{4}(?:[0-9A-F]{4})?$/i;

/** State 2, inputs 2, outputs 2 in hexadecimal digits; the battery is before it, or before the time of sending. */
function readStatus(draft: RecordDraft, fields: readonly string[], from: number, to: number): number | undefined {
  let at = from;
  while (at < to && !STATUS.test(fields[at]!)) at += 1;
  const battery = fields[at - 1];
  if (at - 1 >= from && /^(?:100|[1-9]?\d)$/.test(battery ?? '')) draft.batteryPct = Number(battery);
  if (at >= to) return undefined;
  const status = fields[at]!;
  readState(draft, status.slice(0, 2));
  if (status.length === 6) {
    const inputs = Number.parseInt(status.slice(2, 4), 16);
    const outputs = Number.parseInt(status.slice(4, 6), 16);
    // Bit 0 of the inputs is the ignition line.
    read(draft, 'din1', (inputs & 2) !== 0);
    read(draft, 'dout1', (outputs & 1) !== 0);
  }
  return at;
}

/**
 * 11 ignition off and resting, 12 moving, 16 towed, 1A possibly towed; 21 on and resting, 22 moving; 41, 42 without
 * ignition.
 */
export function readState(draft: RecordDraft, state: string): void {
  read(draft, 'ignition', IGNITION.get(state.toUpperCase()));
  read(draft, 'moving', MOVING.get(state.toUpperCase()));
}

export const isMovingState = (state: string) => MOVING.get(state.toUpperCase()) === true;
