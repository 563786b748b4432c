import { AMERICAN, BRITISH, METRIC, type Units } from '@trackway/contract/wording/units.ts';

export { AMERICAN, BRITISH, METRIC, type Units };

const AS_IN_THE_US = ['US', 'LR', 'PR', 'VI', 'GU', 'AS', 'MP'];
const AS_IN_BRITAIN = ['GB', 'GG', 'JE', 'IM'];

/** The usual units of a locale: `en-GB` gets miles and °C. */
export function usualUnits(language: string): Units {
  const region = regionOf(language);
  if (AS_IN_THE_US.includes(region)) return AMERICAN;
  return AS_IN_BRITAIN.includes(region) ? BRITISH : METRIC;
}

function regionOf(language: string): string {
  try {
    return new Intl.Locale(language).region ?? '';
  } catch {
    return '';
  }
}

/** Units stored by a browser: each separately, or, in earlier versions, one word for all. */
export function readUnits(stored: unknown, usual: Units): Units {
  if (stored === 'metric') return METRIC;
  if (stored === 'imperial') return { ...AMERICAN, temperature: usual.temperature };
  if (typeof stored !== 'object' || stored === null) return usual;
  const { distance, length, temperature } = { ...usual, ...(stored as Partial<Units>) };
  return {
    distance: distance === 'imperial' ? 'imperial' : 'metric',
    length: length === 'imperial' ? 'imperial' : 'metric',
    temperature: temperature === 'fahrenheit' ? 'fahrenheit' : 'celsius',
  };
}
