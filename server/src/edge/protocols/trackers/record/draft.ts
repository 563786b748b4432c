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

/** Whether the draft tells anything beside its time. */
export const saysSomething = ({ timestamp, isValid, readings, ...rest }: RecordDraft): boolean =>
  readings.length > 0 || Object.values(rest).some((value) => value !== undefined);
