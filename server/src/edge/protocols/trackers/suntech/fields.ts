import type { TrackerReading } from '../tracker.ts';

/** yyyymmdd and hh:mm:ss, UTC. */
export function timeOf(date: string | undefined, time: string | undefined): number | undefined {
  const day = /^(\d{4})(\d\d)(\d\d)$/.exec(date ?? '');
  const hour = /^(\d\d):(\d\d):(\d\d)$/.exec(time ?? '');
  if (!day || !hour) return undefined;
  return Date.UTC(
    Number(day[1]),
    Number(day[2]) - 1,
    Number(day[3]),
    Number(hour[1]),
    Number(hour[2]),
    Number(hour[3]),
  );
}

export const numberOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[+-]?\d+(\.\d*)?$/.test(text) ? Number(text) : undefined;

export const hexOf = (text: string | undefined): number | undefined =>
  text !== undefined && /^[0-9a-f]{1,10}$/i.test(text) ? Number.parseInt(text, 16) : undefined;

export const isDegrees = (text: string | undefined) => /^[+-]?\d{1,3}\.\d{3,}$/.test(text ?? '');

export function withNumber<Name extends string>(name: Name, text: string | undefined): { [Key in Name]?: number } {
  const value = numberOf(text);
  return value === undefined ? {} : ({ [name]: value } as { [Key in Name]?: number });
}

export const reading = (type: string, value: unknown): TrackerReading[] =>
  value === undefined ? [] : [{ type, value }];

/** Ports as a word of bits: the ignition, then inputs. */
export const inputReadings = (bits: number | undefined): TrackerReading[] =>
  bits === undefined
    ? []
    : [
        { type: 'ignition', value: (bits & 1) !== 0 },
        ...[1, 2, 3].map((index) => ({ type: `din${index}`, value: (bits & (1 << index)) !== 0 })),
      ];

export const outputReadings = (bits: number | undefined): TrackerReading[] =>
  bits === undefined ? [] : [1, 2].map((index) => ({ type: `dout${index}`, value: (bits & (1 << (index - 1))) !== 0 }));
