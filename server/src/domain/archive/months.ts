import type { MonthSpan } from './row-source.ts';

/** A month of UTC, as `2026-03`. */
export const monthOf = (at: number): string => new Date(at).toISOString().slice(0, 7);

export function spanOf(month: string): MonthSpan {
  const [year, number] = month.split('-').map(Number) as [number, number];
  return { from: Date.UTC(year, number - 1), to: Date.UTC(year, number) };
}

/** The months from that of `first` on which end by `before`. */
export function* monthsBetween(first: number, before: number): Generator<string> {
  for (let month = monthOf(first); ; month = monthOf(spanOf(month).to)) {
    if (spanOf(month).to > before) return;
    yield month;
  }
}
