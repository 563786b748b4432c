import {
  type ParameterUnit,
  TRIGGER_TYPES,
  type TriggerType,
  type TriggerTypeName,
} from '@trackway/contract/triggers.ts';
import { KM_PER_MILE, M_PER_FOOT } from '@trackway/contract/wording/units.ts';
import { LOCALE } from '../format/locale.ts';
import { t } from '../texts/t.ts';
import type { Units } from '../units.ts';

/** Converts a quantity between the viewer's unit and that of the API. */
export interface Scale {
  readonly unit: string;
  readonly shown: (kept: number) => number;
  readonly kept: (shown: number) => number;
}

const units = t.triggers.units;
/** Rounded, so that 50 mph stays 50 mph after a conversion to km/h and back, and 90 km/h is at most 55.9 mph. */
const round = (value: number) => Math.round(value * 10) / 10;
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
  `${scale.shown(kept).toLocaleString(LOCALE, { maximumFractionDigits: 1 })}${scale.unit === '' ? '' : ` ${scale.unit}`}`;

const SCALE_OF: Readonly<Record<ParameterUnit, (viewer: Units) => Scale>> = {
  'km/h': (viewer) => scales(viewer).speed,
  km: (viewer) => scales(viewer).way,
  m: (viewer) => scales(viewer).near,
  '°C': (viewer) => scales(viewer).warmth,
  '%': () => plain(units.percent),
  hPa: () => plain(units.hpa),
  lx: () => plain(units.lux),
};

/** The contract's schema of a parameter. */
export interface ParameterSchema {
  readonly unit?: ParameterUnit;
  readonly default?: number;
  readonly minimum?: number;
  readonly maximum?: number;
  readonly isRequired: boolean;
}

export function schemaOf(type: TriggerTypeName, name: string): ParameterSchema {
  const { parameters }: TriggerType = TRIGGER_TYPES[type];
  const schema = parameters[name] ?? {};
  return { ...schema, isRequired: !('~optional' in schema) };
}

export const scaleOf = (unit: ParameterUnit | undefined, viewer: Units): Scale =>
  unit === undefined ? plain('') : SCALE_OF[unit](viewer);

/** A numeric parameter as the viewer reads it, with the contract's default and unit. */
export function saidParameter(
  type: TriggerTypeName,
  name: string,
  given: number | undefined,
  viewer: Units,
): string | undefined {
  const { unit, default: byDefault } = schemaOf(type, name);
  const value = given ?? byDefault;
  return value === undefined ? undefined : said(scaleOf(unit, viewer), value);
}

/** The unit of the values that a type compares with its limits. */
export const unitOfType = (type: TriggerTypeName): ParameterUnit | undefined =>
  Object.keys(TRIGGER_TYPES[type].parameters)
    .map((name) => schemaOf(type, name).unit)
    .find((unit) => unit !== undefined);
