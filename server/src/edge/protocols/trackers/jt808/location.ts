import { newDraft, putAt, type RecordDraft, read } from '../record/draft.ts';
import type { TrackerSession } from '../tracker.ts';
import { alarmsOf } from './alarms.ts';
import { timeAt } from './clock.ts';
import { readItems } from './items.ts';

/** Alarm 4, status 4, latitude 4, longitude 4, altitude 2, speed 2, course 2, time 6; then items. */
export const LOCATION_BYTES = 28;

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

/** Status 4, latitude 4, longitude 4. Bit 5 says that the place is encrypted, but devices set it where it is not. */
export function readPlace(draft: RecordDraft, bytes: Buffer, at: number): void {
  const status = bytes.readUInt32BE(at);
  const lat = bytes.readUInt32BE(at + 4) / 1_000_000;
  const lng = bytes.readUInt32BE(at + 8) / 1_000_000;
  putAt(draft, status & 4 ? -lat : lat, status & 8 ? -lng : lng, (status & 2) !== 0);
}

/** Bits: 0 ignition, 10 fuel cut, 11 circuit cut, 12 doors locked, 13–17 a door is open, 26 charging on some. */
export function readStatus(draft: RecordDraft, status: number): void {
  read(draft, 'ignition', (status & 1) !== 0);
  read(draft, 'engine_cut', (status & 0xc00) !== 0);
  read(draft, 'door', (status & 0x3e000) !== 0);
  if (status & 0x4000000) draft.isCharging = true;
}
