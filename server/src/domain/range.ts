import type { DateRange } from '@trackway/contract/schema.ts';
import { invalidField } from '../refusals.ts';

const DAY_MS = 86_400_000;
const DEFAULT_DAYS = 90;

/** The range that a caller requests; the last 90 days by default. */
export function rangeOf(parameters: Readonly<Record<string, unknown>>, now: number): { from: number; to: number } {
  const to = parameters.to === undefined ? now : Date.parse(parameters.to as string);
  const from = parameters.from === undefined ? to - DEFAULT_DAYS * DAY_MS : Date.parse(parameters.from as string);
  if (from > to) throw invalidField('query', 'from', 'range', 'must not be later than to');
  return { from, to };
}

/** A range over positions or readings is cut to its latest days. */
const MOST_DAYS = 90;

export interface TimeSpan {
  readonly from: number;
  readonly to: number;
}

/** The requested range; without an end it ends now. */
export const spanOf = ([from, to]: DateRange, now: number): TimeSpan => ({
  from: from ?? Number.MIN_SAFE_INTEGER,
  to: to ?? now,
});

/** The same, cut to its latest 90 days. */
export function cutSpan(range: DateRange, now: number): TimeSpan {
  const { from, to } = spanOf(range, now);
  return { from: Math.max(from, to - MOST_DAYS * DAY_MS), to };
}
