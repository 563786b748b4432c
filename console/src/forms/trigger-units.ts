import {
  type ParameterUnit,
  TRIGGER_TYPES,
  type TriggerType,
  type TriggerTypeName,
} from '@trackway/contract/triggers.ts';
import { KM_PER_MILE, M_PER_FOOT } from '../format/quantities.ts';
import { t } from '../texts/t.ts';
import type { Units } from '../units.ts';

/** A quantity as the viewer types it, and as the API keeps it. */
export interface Scale {
  readonly unit: string;
  readonly shown: (kept: number) => number;
  readonly kept: (shown: number) => number;
}

const units = t.triggers.units;
/** So that 50 mph stays 50 mph after a journey through km/h. */
const round = (value: number) => Math.round(value * 1000) / 1000;
const times = (unit: string, factor: number): Scale => ({
  unit,
  shown: (kept) => round(kept / factor),
  kept: (shown) => (factor === 1 ? shown : shown * factor),
});

export const plain = (unit: string) => times(unit, 1);
export const minutes = times(units.min, 60);

const fahrenheit: Scale = {
  unit: units.fahrenheit,
  shown: (kept) => round((kept * 9) / 5 + 32),
  kept: (shown) => ((shown - 32) * 5) / 9,
};

export const scales = ({ distance, length, temperature }: Units) => ({
  speed: distance === 'metric' ? plain(units.kmh) : times(units.mph, KM_PER_MILE),
  way: distance === 'metric' ? plain(units.km) : times(units.mi, KM_PER_MILE),
  near: length === 'metric' ? plain(units.m) : times(units.ft, M_PER_FOOT),
  warmth: temperature === 'celsius' ? plain(units.celsius) : fahrenheit,
});

export const said = (scale: Scale, kept: number) =>
  `${scale.shown(kept).toLocaleString(undefined, { maximumFractionDigits: 1 })}${scale.unit === '' ? '' : ` ${scale.unit}`}`;

const SCALE_OF: Readonly<Record<ParameterUnit, (units: Units) => Scale>> = {
  'km/h': (units) => scales(units).speed,
  km: (units) => scales(units).way,
  m: (units) => scales(units).near,
  '°C': (units) => scales(units).warmth,
  '%': () => plain(units.percent),
  hPa: () => plain(units.hpa),
  lx: () => plain(units.lux),
};

interface ParameterSchema {
  readonly unit?: ParameterUnit;
  readonly default?: number;
}

/** A number among the parameters as the viewer reads it, by the contract's default and unit. */
export function saidParameter(
  type: TriggerTypeName,
  name: string,
  given: number | undefined,
  units: Units,
): string | undefined {
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  const { unit, default: byDefault } = (parameters[name] ?? {}) as ParameterSchema;
  const value = given ?? byDefault;
  if (value === undefined) return undefined;
  return unit === undefined ? value.toLocaleString() : said(SCALE_OF[unit](units), value);
}

/** The unit of what a type compares with its limits. */
export function unitOfType(type: TriggerTypeName): ParameterUnit | undefined {
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  return Object.values(parameters as Record<string, ParameterSchema>).find(({ unit }) => unit !== undefined)?.unit;
}
