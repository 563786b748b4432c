/** The units of a reader, each selected separately. */
export interface Units {
  /** Distances and speeds: kilometres and km/h, or miles and mph. */
  readonly distance: 'metric' | 'imperial';
  /** Short lengths and altitudes: metres or feet. */
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
