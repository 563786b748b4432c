import {
  type ParameterUnit,
  TRIGGER_TYPES,
  type TriggerType,
  type TriggerTypeName,
} from '@trackway/contract/triggers.ts';
import type { Units } from '../format/quantities.ts';
import { t } from '../texts/t.ts';

/** A quantity as the viewer types it, and as the API keeps it. */
export interface Scale {
  readonly unit: string;
  readonly shown: (kept: number) => number;
  readonly kept: (shown: number) => number;
}

const units = t.triggers.units;
const KM_PER_MILE = 1.609344;
const M_PER_FOOT = 0.3048;
/** So that 50 mph stays 50 mph after a journey through km/h. */
const round = (value: number) => Math.round(value * 1000) / 1000;
const times = (unit: string, factor: number): Scale => ({
  unit,
  shown: (kept) => round(kept / factor),
  kept: (shown) => (factor === 1 ? shown : shown * factor),
});

export const plain = (unit: string) => times(unit, 1);
export const minutes = times(units.min, 60);

export const scales = (system: Units) =>
  system === 'metric'
    ? { speed: plain(units.kmh), way: plain(units.km), near: plain(units.m), warmth: plain(units.celsius) }
    : {
        speed: times(units.mph, KM_PER_MILE),
        way: times(units.mi, KM_PER_MILE),
        near: times(units.ft, M_PER_FOOT),
        warmth: {
          unit: units.fahrenheit,
          shown: (kept: number) => round((kept * 9) / 5 + 32),
          kept: (shown: number) => ((shown - 32) * 5) / 9,
        },
      };

export const said = (scale: Scale, kept: number) =>
  `${scale.shown(kept).toLocaleString(undefined, { maximumFractionDigits: 1 })}${scale.unit === '' ? '' : ` ${scale.unit}`}`;

const SCALE_OF: Readonly<Record<ParameterUnit, keyof ReturnType<typeof scales>>> = {
  'km/h': 'speed',
  km: 'way',
  m: 'near',
  '°C': 'warmth',
};

/** A number among the parameters as the viewer reads it, by the contract's default and unit. */
export function saidParameter(
  type: TriggerTypeName,
  name: string,
  given: number | undefined,
  system: Units,
): string | undefined {
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  const { unit, default: byDefault } = (parameters[name] ?? {}) as { unit?: ParameterUnit; default?: number };
  const value = given ?? byDefault;
  if (value === undefined) return undefined;
  return unit === undefined ? value.toLocaleString() : said(scales(system)[SCALE_OF[unit]], value);
}
