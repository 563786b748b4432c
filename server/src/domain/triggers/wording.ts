/** Quantities inside sentences. */

export const rounded = (value: unknown) =>
  typeof value === 'number' ? Math.round(value * 10) / 10 : JSON.stringify(value)?.slice(0, 100);

/** "90 seconds", "2 minutes", "3 days". */
export function lasting(seconds: number): string {
  if (seconds < 120) return plural(seconds, 'second');
  if (seconds < 7200) return plural(Math.round(seconds / 60), 'minute');
  return seconds < 172_800 ? plural(Math.round(seconds / 3600), 'hour') : plural(Math.round(seconds / 86_400), 'day');
}

const plural = (count: number, unit: string) => `${count} ${unit}${count === 1 ? '' : 's'}`;

/** How long the condition of a rule had to last, in seconds, where it had to. */
export const lastedFor = (seconds: number | undefined) => (seconds ? { lasted: seconds } : {});
