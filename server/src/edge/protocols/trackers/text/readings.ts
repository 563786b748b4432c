import type { TrackerReading } from '../tracker.ts';

/** Readings of what is known, by type. */
export const readingsOf = (values: Readonly<Record<string, unknown>>): TrackerReading[] =>
  Object.entries(values)
    .filter(([, value]) => value !== undefined && value !== '')
    .map(([type, value]) => ({ type, value }));

/** Text of a device, as long as is worth keeping. */
export const textOf = (text: string, most = 1000): string => text.trim().slice(0, most);
