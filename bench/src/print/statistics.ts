export const median = (values: readonly number[]) => percentile(values, 50);
export const maximum = (values: readonly number[]) => percentile(values, 100);

/** The value that the given percentage of the values do not exceed. */
export function percentile(values: readonly number[], percent: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil((percent / 100) * sorted.length) - 1)] ?? Number.NaN;
}

/** `count` values, spread evenly over 1 … `last`. */
export function spread(count: number, last: number): number[] {
  return Array.from({ length: count }, (_, i) => 1 + Math.floor((i * last) / count));
}
