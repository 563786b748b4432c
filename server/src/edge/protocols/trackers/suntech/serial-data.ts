import { textOrHex } from '../frame/cursor.ts';
import type { TrackerReading } from '../tracker.ts';

/** Data of the serial port in a UEX report: its length, arbitrary bytes, a checksum. */
export interface SerialData {
  readonly readings: readonly TrackerReading[];
  /** The fields after the checksum. */
  readonly remaining: readonly string[];
}

const LENGTH = /^(\d{1,4});/;

/** The end of the data at the start of a text, if it starts with its length. */
export function serialEnd(text: string): number | undefined {
  const length = LENGTH.exec(text);
  return length ? length[0].length + Number(length[1]) : undefined;
}

export function serialDataOf(text: string): SerialData {
  const length = LENGTH.exec(text);
  const end = serialEnd(text);
  if (!length || end === undefined || end > text.length) return { readings: [], remaining: [] };
  const data = text.slice(length[0].length, end);
  return { readings: readingsOf(data), remaining: text.slice(end).split(';').slice(2) };
}

function readingsOf(data: string): TrackerReading[] {
  const card = data.startsWith('GTSL|') ? data.split('|')[4] : undefined;
  if (card) return [{ type: 'driver_id', value: card }];
  // A fuel and temperature probe: `t_0=1C;N_0=0419.0`, in hexadecimal digits.
  const pairs = [...data.matchAll(/([tN])_(\d)=([0-9A-F]+)/g)].map(([, what, index, value]) => ({
    type: `${what === 't' ? 'temp' : 'fuel_raw'}${index === '0' ? '' : Number(index) + 1}`,
    value: Number.parseInt(value!, 16),
  }));
  const cab = /^CabAVL"[^,]*,[^,]*,([\d.-]+),([\d.-]+)/.exec(data);
  const tanks = cab
    ? [1, 2]
        .map((index) => ({ type: `fuel_raw${index === 1 ? '' : index}`, value: Number(cab[index]) }))
        .filter(({ value }) => value > 0)
    : [];
  return [{ type: 'text', value: textOrHex(Buffer.from(data, 'latin1')) }, ...pairs, ...tanks];
}
