import { u16, u32 } from '../bytes.ts';
import { type RecordDraft, read } from '../record/draft.ts';
import { readIgnition } from './gps-block.ts';
import type { Gt06Message } from './message.ts';
import { hundredths, readAlarm, readStatus } from './status.ts';

/** What makers put after place and cell of type 12, told by the length of the frame; unknown ones are left. */
export function readTailOf12(draft: RecordDraft, { content, length, session }: Gt06Message, at: number): void {
  const left = content.length - at;
  if (length === 0x21 && left === 2) readMask(draft, content.readUInt16BE(at));
  else if (length === 0x24 && left === 5) readVoltage(draft, content, at, session.model);
  else if (length === 0x2b && left === 12) {
    readVoltage(draft, content, at, session.model);
    const degrees = content[at + 7]!;
    read(draft, 'temp', degrees & 0x80 ? -(degrees & 0x7f) : degrees);
    read(draft, 'odometer_m', content.readUInt32BE(at + 8) * 10);
  } else if (length === 0x29 && left > 5) readCard(draft, content, at, true);
  else if (length >= 0x71 && left > 5) readCard(draft, content, at, false);
  else if (left === 3 || left === 7) {
    readIgnition(draft, content[at]! > 0);
    if (content[at + 2]! > 0) read(draft, 'buffered', true);
    read(draft, 'odometer_m', u32(content, at + 3));
  } else if (left === 4) read(draft, 'odometer_m', content.readUInt32BE(at));
}

/** Bits: 15 ignition, 14 second input, 12 whether a temperature follows, 13 and 9–0 an analog input. */
function readMask(draft: RecordDraft, mask: number): void {
  readIgnition(draft, (mask & 0x8000) !== 0);
  read(draft, 'din2', (mask & 0x4000) !== 0);
  const low = mask & 0x1ff;
  if (mask & 0x1000) read(draft, 'temp', mask & 0x200 ? -low : low);
  else read(draft, 'ain1', mask & 0x2000 ? mask & 0x3ff : (mask & 0x3ff) / 10);
}

/** Status 1, voltage 2, signal 1, alarm 1. */
export function readVoltage(draft: RecordDraft, content: Buffer, at: number, model: string | undefined): void {
  readStatus(draft, content[at]);
  read(draft, 'ext_voltage', hundredths(u16(content, at + 1)));
  draft.gsmSignal = content[at + 3];
  readAlarm(draft, content[at + 4], model);
}

/** Odometer 4, length 1, text of a card, alarm 1. */
function readCard(draft: RecordDraft, content: Buffer, at: number, hasAlarm: boolean): void {
  read(draft, 'odometer_m', content.readUInt32BE(at));
  const end = at + 5 + content[at + 4]!;
  const text = content.toString('latin1', at + 5, end).trim();
  if (/[^0\s]/.test(text)) read(draft, 'driver_id', text);
  if (hasAlarm && (content[end] ?? 0) > 0) draft.alarms = ['general'];
}
