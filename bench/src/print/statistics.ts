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

/** Student's t for 95 %, by degrees of freedom; more than these differ by less than 4 % from the normal distribution. */
const T_95 = [12.71, 4.3, 3.18, 2.78, 2.57, 2.45, 2.36, 2.31, 2.26, 2.23, 2.2, 2.18, 2.16, 2.14, 2.13];

/** The geometric mean of the ratios of pairs, and its 95 % interval. */
export function ratioOf(ratios: readonly number[]): { ratio: number; from: number; to: number } {
  const logs = ratios.map(Math.log);
  const mean = logs.reduce((sum, log) => sum + log, 0) / logs.length;
  const variance = logs.reduce((sum, log) => sum + (log - mean) ** 2, 0) / (logs.length - 1);
  const halfWidth = (T_95[logs.length - 2] ?? 2.05) * Math.sqrt(variance / logs.length);
  return { ratio: Math.exp(mean), from: Math.exp(mean - halfWidth), to: Math.exp(mean + halfWidth) };
}
