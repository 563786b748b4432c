import type { TrackerSession } from '../tracker.ts';
import { epochOfWallTime } from '../wall-time.ts';

/** Memory key for the zone of a login: minutes east of Greenwich. */
export const ZONE = 'zoneMinutes';

/** Six bytes: year, month, day, hour, minute, second, in UTC or the zone of the login or the device. */
export function timeAt(bytes: Buffer, at: number, session: TrackerSession): number | undefined {
  if (!isTimeAt(bytes, at)) return undefined;
  const year = 2000 + bytes[at]!;
  const month = bytes[at + 1]!;
  const [day, hour, minute, second] = [bytes[at + 2]!, bytes[at + 3]!, bytes[at + 4]!, bytes[at + 5]!];
  if (session.timeZone !== undefined)
    return epochOfWallTime({ year, month, day, hour, minute, second }, session.timeZone);
  const zone = session.memory[ZONE];
  const utc = Date.UTC(year, month - 1, day, hour, minute, second);
  return typeof zone === 'number' ? utc - zone * 60_000 : utc;
}

export const isTimeAt = (bytes: Buffer, at: number): boolean =>
  at + 6 <= bytes.length &&
  bytes[at]! < 100 &&
  bytes[at + 1]! >= 1 &&
  bytes[at + 1]! <= 12 &&
  bytes[at + 2]! >= 1 &&
  bytes[at + 2]! <= 31 &&
  bytes[at + 3]! < 24 &&
  bytes[at + 4]! < 60 &&
  bytes[at + 5]! <= 60;

/** The same as binary-coded decimal digits. */
export function bcdTimeAt(bytes: Buffer, at: number, session: TrackerSession): number | undefined {
  if (at + 6 > bytes.length) return undefined;
  const plain = Buffer.from(bytes.subarray(at, at + 6).map((byte) => (byte >> 4) * 10 + (byte & 15)));
  return timeAt(plain, 0, session);
}

/** Bits 15–4: hours × 100 + minutes; bit 3: west of Greenwich. */
export function zoneMinutesOf(bits: number): number {
  const value = bits >> 4;
  const minutes = Math.trunc(value / 100) * 60 + (value % 100);
  return bits & 8 ? -minutes : minutes;
}

export function timeBytes(now: number): Buffer {
  const time = new Date(now);
  return Buffer.from([
    time.getUTCFullYear() - 2000,
    time.getUTCMonth() + 1,
    time.getUTCDate(),
    time.getUTCHours(),
    time.getUTCMinutes(),
    time.getUTCSeconds(),
  ]);
}
