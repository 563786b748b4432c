import { newDraft, putAt, type RecordDraft, read } from '../record/networks.ts';
import type { TrackerMemory, TrackerSession } from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';
import { alarmsOf } from './alarms.ts';
import type { Jt808Frame } from './frame.ts';
import { readItems } from './items.ts';

/** Alarm 4, status 4, latitude 4, longitude 4, altitude 2, speed 2, course 2, time 6; then items. */
const LOCATION_BYTES = 28;

export function locationOf(body: Buffer, session: TrackerSession): RecordDraft | undefined {
  if (body.length < LOCATION_BYTES) return undefined;
  const draft = newDraft();
  draft.standingAlarms = alarmsOf(body.readUInt32BE(0), session.model);
  draft.timestamp = timeAt(body, 22, session);
  draft.altitudeM = body.readInt16BE(16);
  draft.speedKmh = body.readUInt16BE(18) / 10;
  draft.courseDeg = body.readUInt16BE(20);
  readStatus(draft, body.readUInt32BE(4));
  readPlace(draft, body, 4);
  readItems(draft, body, LOCATION_BYTES, session);
  return draft;
}

/**
 * Status 4, latitude 4, longitude 4. Bit 5 means that the place is encrypted, but devices also set it for unencrypted
 * places.
 */
export function readPlace(draft: RecordDraft, bytes: Buffer, at: number): void {
  const status = bytes.readUInt32BE(at);
  const lat = bytes.readUInt32BE(at + 4) / 1_000_000;
  const lng = bytes.readUInt32BE(at + 8) / 1_000_000;
  putAt(draft, status & 4 ? -lat : lat, status & 8 ? -lng : lng, (status & 2) !== 0);
}

/** Bits: 0 ignition, 10 fuel cut, 11 circuit cut, 12 doors locked, 13–17 a door is open, 26 charging on some models. */
export function readStatus(draft: RecordDraft, status: number): void {
  read(draft, 'ignition', (status & 1) !== 0);
  read(draft, 'engine_cut', (status & 0xc00) !== 0);
  read(draft, 'door', (status & 0x3e000) !== 0);
  if (status & 0x4000000) draft.isCharging = true;
}

/** Devices of the standard use Chinese time. */
const USUAL_ZONE = '+08:00';
const USUAL_OFFSET_MS = 8 * 3_600_000;

/** Six bytes of decimal digits: yymmddhhmmss. */
export function timeAt(bytes: Buffer, at: number, { timeZone }: TrackerSession): number | undefined {
  if (at + 6 > bytes.length) return undefined;
  const year = 2000 + digits(bytes[at]!);
  const month = digits(bytes[at + 1]!);
  const day = digits(bytes[at + 2]!);
  const hour = digits(bytes[at + 3]!);
  const minute = digits(bytes[at + 4]!);
  const second = digits(bytes[at + 5]!);
  return epochOf(year, month, day, hour, minute, second, timeZone);
}

function epochOf(
  year: number,
  month: number,
  day: number,
  hour: number,
  minute: number,
  second: number,
  timeZone: string | undefined,
): number | undefined {
  if (timeZone !== undefined && timeZone !== USUAL_ZONE)
    return epochOfWallTime({ year, month, day, hour, minute, second }, timeZone);
  const isTime = hour < 24 && minute < 60 && second <= 60;
  if (year > 2099 || month < 1 || month > 12 || day < 1 || day > 31 || !isTime) return undefined;
  return Date.UTC(year, month - 1, day, hour, minute, second) - USUAL_OFFSET_MS;
}

/** Returns a number out of any range if a nibble is not a decimal digit. */
export const digits = (byte: number) => ((byte & 15) > 9 || byte > 0x99 ? 999 : (byte >> 4) * 10 + (byte & 15));

interface Batch {
  readonly records: readonly RecordDraft[];
  readonly remember?: TrackerMemory;
  readonly problem?: string;
}

/** Memory key for the remaining bytes of a batch, which precede its next part. */
const NEXT = 'nextPart';
const REMAINING = 'partRemaining';
const IS_BUFFERED = 'partIsBuffered';

/**
 * 0704: count 2, kind 1 (1: buffered while there was no network), then (length 2, body of 0200). A batch may be sent in
 * parts that are split anywhere: each part yields the locations that are complete with it, so that acknowledging it
 * loses at most one.
 */
export function batchOf({ body, part, serial }: Jt808Frame, session: TrackerSession): Batch {
  const { memory } = session;
  const isFirst = part === undefined || part.number === 1;
  if (!isFirst && memory[NEXT] !== `${serial}/${part.number}`)
    return { records: [], problem: 'A part of a batch without the part before it.' };
  if (isFirst && body.length < 3) return { records: [], problem: 'The batch is too short.' };
  const isBuffered = isFirst ? body[2]! > 0 : memory[IS_BUFFERED] === true;
  const bytes = isFirst ? body.subarray(3) : Buffer.concat([Buffer.from(String(memory[REMAINING] ?? ''), 'hex'), body]);
  const { records, remaining } = locationsOf(bytes, 2, session);
  if (isBuffered) for (const record of records) read(record, 'buffered', true);
  if (part === undefined || part.number >= part.total)
    return remaining.length === 0 ? { records } : { records, problem: 'The last location of the batch is incomplete.' };
  return {
    records,
    remember: {
      [NEXT]: `${(serial + 1) & 0xffff}/${part.number + 1}`,
      [REMAINING]: remaining.toString('hex'),
      [IS_BUFFERED]: isBuffered,
    },
  };
}

/** 0210: (length 1, body of 0200). */
export function shortBatchOf({ body }: Jt808Frame, session: TrackerSession): Batch {
  const { records, remaining } = locationsOf(body, 1, session);
  return remaining.length === 0 ? { records } : { records, problem: 'The last location of the batch is incomplete.' };
}

function locationsOf(
  bytes: Buffer,
  lengthBytes: 1 | 2,
  session: TrackerSession,
): { records: RecordDraft[]; remaining: Buffer } {
  const records: RecordDraft[] = [];
  let at = 0;
  while (at + lengthBytes <= bytes.length) {
    const end = at + lengthBytes + bytes.readUIntBE(at, lengthBytes);
    if (end > bytes.length) break;
    const record = locationOf(bytes.subarray(at + lengthBytes, end), session);
    if (record) records.push(record);
    at = end;
  }
  return { records, remaining: bytes.subarray(at) };
}
