import { i16, u8, u16, u32 } from '../bytes.ts';
import { type RecordDraft, read } from '../record/networks.ts';
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

/** The event of the alarm byte; it takes precedence over the bits of the status. */
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

/** Identifier 2, length 1 or 2, value. */
export function eachModule(
  content: Buffer,
  at: number,
  lengthBytes: 1 | 2,
  take: (id: number, value: Buffer) => void,
): void {
  for (let from = at; from + 2 + lengthBytes <= content.length; ) {
    const valueAt = from + 2 + lengthBytes;
    const end = valueAt + content.readUIntBE(from + 2, lengthBytes);
    if (end > content.length) return;
    take(content.readUInt16BE(from), content.subarray(valueAt, end));
    from = end;
  }
}

export function readModules(draft: RecordDraft, content: Buffer, at: number, lengthBytes: 1 | 2): void {
  eachModule(content, at, lengthBytes, (id, value) => {
    if (id === 0x18) draft.batteryVoltage = hundredths(u16(value, 0));
    else if (id === 0x27) read(draft, 'ext_voltage', hundredths(u16(value, 0)));
    else if (id === 0x2e) read(draft, 'odometer_m', u32(value, 0));
    else if (id === 0x3b) draft.accuracyM = hundredths(u16(value, 0)) || undefined;
    else if (id === 0x6a) draft.batteryPct = u8(value, 0);
    else if (id === 0x2b && value.length === 2) read(draft, 'temp', i16(value, 0)! / 10);
  });
}
