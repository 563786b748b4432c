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
