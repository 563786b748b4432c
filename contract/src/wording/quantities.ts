import { KM_PER_MILE, M_PER_FOOT, type Units } from './units.ts';

/** Formats quantities in a language and the units of a reader. */
export interface Quantities {
  readonly number: (value: number) => string;
  readonly percent: (value: number) => string;
  readonly speed: (kmh: number) => string;
  readonly way: (km: number) => string;
  readonly length: (metres: number) => string;
  readonly temperature: (celsius: number) => string;
}

/** A format costs more than all numbers of a sentence. */
const formats = new Map<string, Intl.NumberFormat>();

function formatOf(locale: string, maximumFractionDigits: 0 | 1): Intl.NumberFormat {
  const key = `${locale} ${maximumFractionDigits}`;
  const known = formats.get(key) ?? new Intl.NumberFormat(locale, { maximumFractionDigits });
  formats.set(key, known);
  return known;
}

export function quantitiesIn(locale: string, units: Units): Quantities {
  const format = formatOf(locale, 1);
  const whole = formatOf(locale, 0);
  const number = (value: number) => format.format(value);
  const isMiles = units.distance === 'imperial';
  return {
    number,
    percent: (value) => `${number(value)} %`,
    speed: (kmh) => (isMiles ? `${number(kmh / KM_PER_MILE)} mph` : `${number(kmh)} km/h`),
    way: (km) => (isMiles ? `${number(km / KM_PER_MILE)} mi` : `${number(km)} km`),
    length: (metres) =>
      units.length === 'imperial' ? `${whole.format(metres / M_PER_FOOT)} ft` : `${whole.format(metres)} m`,
    temperature: (celsius) =>
      units.temperature === 'fahrenheit' ? `${number((celsius * 9) / 5 + 32)} °F` : `${number(celsius)} °C`,
  };
}
