import { putAt, type RecordDraft, read } from '../record/networks.ts';
import type { TrackerSession } from '../tracker.ts';
import { isTimeAt, timeAt } from './clock.ts';

/** Time 6, satellites 1, latitude 4, longitude 4, speed 1, flags 2. */
export const GPS_BYTES = 18;

export function readGps(draft: RecordDraft, bytes: Buffer, at: number, session: TrackerSession): boolean {
  if (at + GPS_BYTES > bytes.length) return false;
  draft.timestamp = timeAt(bytes, at, session);
  // The high nibble is the length of the block.
  draft.sats = bytes[at + 6]! & 15;
  draft.speedKmh = bytes[at + 15]!;
  readPlace(draft, bytes.readUInt32BE(at + 7), bytes.readUInt32BE(at + 11), bytes.readUInt16BE(at + 16));
  return true;
}

const BLOCK_LENGTH = 12;
const MOST_LATITUDE = 90 * 1_800_000;
const MOST_LONGITUDE = 180 * 1_800_000;

/** Whether a block starts here: a time, its own length, and plausible coordinates. */
export const isGpsAt = (bytes: Buffer, at: number): boolean =>
  at + GPS_BYTES <= bytes.length &&
  isTimeAt(bytes, at) &&
  bytes[at + 6]! >> 4 === BLOCK_LENGTH &&
  bytes.readUInt32BE(at + 7) <= MOST_LATITUDE &&
  bytes.readUInt32BE(at + 11) <= MOST_LONGITUDE;

/** Bits of the flags: 15 ignition, 14 whether bit 15 is valid, 12 fix, 11 west, 10 north, 9–0 course. */
export function readPlace(draft: RecordDraft, latitude: number, longitude: number, flags: number): void {
  const lat = latitude / 1_800_000;
  const lng = longitude / 1_800_000;
  putAt(draft, flags & 0x400 ? lat : -lat, flags & 0x800 ? -lng : lng, (flags & 0x1000) !== 0);
  draft.courseDeg = flags & 0x3ff;
  if (flags & 0x4000) read(draft, 'ignition', (flags & 0x8000) !== 0);
}

/** Sets the ignition once; later parts of the frame take precedence over the flags. */
export function readIgnition(draft: RecordDraft, isOn: boolean): void {
  draft.readings = draft.readings.filter(({ type }) => type !== 'ignition');
  read(draft, 'ignition', isOn);
}
