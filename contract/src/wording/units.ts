/** The units of a reader, each chosen by itself. */
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

export const KM_PER_MILE = 1.609344;
export const M_PER_FOOT = 0.3048;

export const isMetric = ({ distance, length, temperature }: Units) =>
  distance === 'metric' && length === 'metric' && temperature === 'celsius';
