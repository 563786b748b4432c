/** The units of a viewer, each chosen by itself. */
export interface Units {
  /** Ways, with their speeds: kilometres and km/h, or miles and mph. */
  readonly distance: 'metric' | 'imperial';
  /** What is short or high: metres or feet. */
  readonly length: 'metric' | 'imperial';
  readonly temperature: 'celsius' | 'fahrenheit';
}

export const METRIC: Units = { distance: 'metric', length: 'metric', temperature: 'celsius' };
export const BRITISH: Units = { distance: 'imperial', length: 'metric', temperature: 'celsius' };
export const AMERICAN: Units = { distance: 'imperial', length: 'imperial', temperature: 'fahrenheit' };

const AS_IN_THE_US = ['US', 'LR', 'PR', 'VI', 'GU', 'AS', 'MP'];
const AS_IN_BRITAIN = ['GB', 'GG', 'JE', 'IM'];

/** What is usual where a language is spoken: `en-GB` gets miles and °C. */
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

/** What was stored by a browser: each choice by itself, or, from earlier versions, one word for all. */
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
