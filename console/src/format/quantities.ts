import { KM_PER_MILE, M_PER_FOOT } from '@trackway/contract/wording/units.ts';
import { t } from '../texts/t.ts';
import type { Units } from '../units.ts';
import { LOCALE } from './locale.ts';

const number = (value: number, digits: number) =>
  value.toLocaleString(LOCALE, { maximumFractionDigits: digits, minimumFractionDigits: 0 });

export const speed = (kmh: number, { distance }: Units, digits = 0) =>
  distance === 'metric' ? `${number(kmh, digits)} km/h` : `${number(kmh / KM_PER_MILE, digits)} mph`;

/** One digit behind the point, as much as a sensor can be trusted with; values below one keep two digits. */
export const fewDigits = (value: number): string =>
  Math.abs(value) >= 1 || value === 0
    ? number(value, 1)
    : Math.abs(value) < 0.0005
      ? '0'
      : value.toLocaleString(LOCALE, { maximumSignificantDigits: 2 });

export function distance(metres: number, units: Units): string {
  const isShort = units.distance === 'metric' ? metres < 1000 : metres < 0.2 * KM_PER_MILE * 1000;
  // Zero is shown in the larger unit: "0 m" next to miles would be read as miles.
  if (isShort && metres !== 0) return length(metres, units);
  const long = metres / 1000 / (units.distance === 'metric' ? 1 : KM_PER_MILE);
  return `${number(long, long < 100 ? 1 : 0)} ${units.distance === 'metric' ? 'km' : 'mi'}`;
}

/** A length in metres or feet, however long. */
const length = (metres: number, units: Units) =>
  units.length === 'metric' ? `${number(metres, metres < 10 ? 1 : 0)} m` : `${number(metres / M_PER_FOOT, 0)} ft`;

export const altitude = (metres: number, units: Units) =>
  units.length === 'metric' ? `${number(metres, 0)} m` : `${number(metres / M_PER_FOOT, 0)} ft`;

export const temperature = (celsius: number, units: Units) =>
  units.temperature === 'celsius' ? `${number(celsius, 1)} °C` : `${number((celsius * 9) / 5 + 32, 1)} °F`;

/** "45 s", "12 min", "3 h 05 min", "2 d 4 h" */
export function duration(seconds: number): string {
  const whole = Math.max(0, Math.round(seconds));
  if (whole < 60) return `${whole} s`;
  const minutes = Math.round(whole / 60);
  if (minutes < 60) return `${minutes} min`;
  const hours = Math.floor(minutes / 60);
  if (hours < 24) return minutes % 60 === 0 ? `${hours} h` : `${hours} h ${String(minutes % 60).padStart(2, '0')} min`;
  const days = t.quantities.days({ count: Math.floor(hours / 24) });
  return hours % 24 === 0 ? days : `${days} ${hours % 24} h`;
}

/** Small percentages keep a digit, so that they are not shown as zero. */
export const percent = (value: number) => `${number(value, value > 0 && value < 9.95 ? 1 : 0)} %`;
export const count = (value: number) => value.toLocaleString(LOCALE);

/** 52.37403, 4.88969 */
export const latLng = ({ lat, lng }: { lat: number; lng: number }) => `${lat.toFixed(5)}, ${lng.toFixed(5)}`;

export const compass = (degrees: number) => t.quantities.compass[Math.round((((degrees % 360) + 360) % 360) / 45) % 8]!;

/** A number for a small badge. */
export const atMost999 = (value: number) => (value >= 1000 ? '999+' : String(value));
