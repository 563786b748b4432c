import { fixOf } from '../frame/fix.ts';
import type { TrackerReading, TrackerRecord } from '../tracker.ts';

/** A record while its parts are read. */
export type RecordDraft = { -readonly [Field in keyof TrackerRecord]: TrackerRecord[Field] } & {
  readings: TrackerReading[];
};

export const newDraft = (): RecordDraft => ({ isValid: false, readings: [] });

/** Adds a reading, unless its value is not known. */
export function read(draft: RecordDraft, type: string, value: unknown, meta?: Record<string, unknown>): void {
  if (value === undefined || value === '' || Number.isNaN(value)) return;
  draft.readings.push(meta === undefined ? { type, value } : { type, value, meta });
}

/** Puts the draft at a place, for which the device vouches or not; a place without a time is one of earlier. */
export function putAt(draft: RecordDraft, lat: number, lng: number, isVouchedFor: boolean): void {
  // Adding 0 makes 0 of the −0 of a southern or western zero.
  const { location, isValid } = fixOf(lat + 0, lng + 0, isVouchedFor && draft.timestamp !== undefined);
  draft.location = location;
  draft.isValid = isValid;
}

/** Whether the draft tells anything beside its time. */
export const saysSomething = ({ timestamp, isValid, readings, ...rest }: RecordDraft): boolean =>
  readings.length > 0 || Object.values(rest).some((value) => value !== undefined);
