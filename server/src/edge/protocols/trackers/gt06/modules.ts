import { i16, u8, u16, u32 } from '../bytes.ts';
import { type RecordDraft, read } from '../record/draft.ts';
import { hundredths } from './status.ts';

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
