import { LOCALE } from '../../format/locale.ts';

const UNITS = ['B', 'kB', 'MB', 'GB', 'TB'];

/** "24.5 MB" */
export function bytes(count: number): string {
  let [value, unit] = [count, 0];
  while (value >= 1000 && unit < UNITS.length - 1) {
    value /= 1000;
    unit++;
  }
  return `${value.toLocaleString(LOCALE, { maximumFractionDigits: value < 100 && unit > 0 ? 1 : 0 })} ${UNITS[unit]}`;
}
