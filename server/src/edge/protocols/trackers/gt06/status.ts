import { u8 } from '../bytes.ts';
import { type RecordDraft, read } from '../record/draft.ts';
import { alarmOf, alarmOfStatus } from './alarms.ts';
import { readIgnition } from './gps-block.ts';

/** Bits of the status: 7 engine cut, 6 GPS on, 5–3 alarm, 2 charging, 1 ignition, 0 armed. */
export function readStatus(draft: RecordDraft, status: number | undefined): void {
  if (status === undefined) return;
  draft.isCharging = (status & 4) !== 0;
  readIgnition(draft, (status & 2) !== 0);
  read(draft, 'engine_cut', (status & 0x80) !== 0);
  read(draft, 'armed', (status & 1) !== 0);
  const alarm = alarmOfStatus(status);
  draft.standingAlarms = alarm === undefined ? [] : [alarm];
}

/** A level from 0 to 6; clones send a percentage. */
export function readBattery(draft: RecordDraft, level: number | undefined): void {
  if (level === undefined || level > 100) return;
  draft.batteryPct = level <= 6 ? Math.floor((level * 100) / 6) : level;
}

/** What the alarm byte says happened; then the bits of the status say nothing more. */
export function readAlarm(draft: RecordDraft, code: number | undefined, model: string | undefined): void {
  if (code === undefined || code === 0) return;
  const alarm = alarmOf(code, model);
  read(draft, 'event_code', code);
  if (alarm === undefined) return;
  draft.alarms = [alarm];
  draft.standingAlarms = undefined;
}

/** Status 1, battery 1, GSM 1, alarm 1, language 1. */
export const STATUS_BYTES = 5;

export function readStatusBlock(
  draft: RecordDraft,
  bytes: Buffer,
  at: number,
  model: string | undefined,
  isWide = false,
) {
  readStatus(draft, u8(bytes, at));
  readBattery(draft, u8(bytes, at + 1));
  draft.gsmSignal = u8(bytes, at + 2);
  const high = isWide ? (u8(bytes, at + 4) ?? 0) >> 4 : 0;
  readAlarm(draft, (u8(bytes, at + 3) ?? 0) | (high << 8), model);
}

export const hundredths = (value: number | undefined) => (value === undefined ? undefined : value / 100);
