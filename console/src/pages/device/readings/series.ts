import { KM_PER_MILE, M_PER_FOOT } from '@trackway/contract/wording/units.ts';
import { useMemo } from 'react';
import { usePoints } from '../../../api/devices.ts';
import { useReadings } from '../../../api/readings.ts';
import { nameOfType, scaleOf } from '../../../forms/reading-type.ts';
import { t } from '../../../texts/t.ts';
import type { ChartLine } from '../../../ui/figures/chart.tsx';
import type { Units } from '../../../units.ts';
import { numbersIn } from './values.ts';

/** Quantities of positions, not of readings. */
export const OF_POSITIONS = ['speed', 'altitude', 'batteryPct', 'batteryVoltage', 'accuracy', 'gsmSignal'] as const;
export type OfPosition = (typeof OF_POSITIONS)[number];

/** `position.speed` in the address, to distinguish it from reading types. */
const PREFIX = 'position.';
export const positionType = (name: OfPosition) => `${PREFIX}${name}`;
export const ofPosition = (type: string): OfPosition | undefined =>
  OF_POSITIONS.find((name) => positionType(name) === type);

export const nameOf = (type: string) => {
  const quantity = ofPosition(type);
  return quantity ? t.deviceReadings.ofPositions[quantity] : nameOfType(type);
};

/** Maximum page size of the API. */
export const MOST_VALUES = 10_000;

export interface Sample {
  readonly at: number;
  readonly value: unknown;
}

/** The values of one type in a range, oldest first. */
export function useSamples(deviceId: number, type: string, { from, to }: { from: number; to: number }) {
  const quantity = ofPosition(type);
  const time = { gte: new Date(from).toISOString(), lt: new Date(to).toISOString() };
  const filter = { order: 'timestamp DESC', limit: MOST_VALUES };
  const readings = useReadings(
    deviceId,
    { ...filter, where: { type, timestamp: time }, fields: ['timestamp', 'value'] },
    { enabled: quantity === undefined, keepsPrevious: true },
  );
  const points = usePoints(
    deviceId,
    { ...filter, where: { timestamp: time }, fields: ['timestamp', ...(quantity ? [quantity] : [])] },
    { enabled: quantity !== undefined, keepsPrevious: true },
  );
  const { data, error, isPending, refetch } = quantity === undefined ? readings : points;
  const samples = useMemo(
    () =>
      (data as readonly (Record<string, unknown> & { timestamp: string })[] | undefined)
        ?.flatMap((row): Sample[] => {
          const value = row[quantity ?? 'value'];
          return value === null || value === undefined ? [] : [{ at: Date.parse(row.timestamp), value }];
        })
        .reverse(),
    [data, quantity],
  );
  return { data: samples, error, isPending, refetch, isShortened: data?.length === MOST_VALUES };
}

/** How numbers of a type are shown, in the units of the viewer. */
export function scale(type: string, units: Units): { unit: string; shown: (value: number) => number } {
  const quantity = ofPosition(type);
  if (quantity === undefined) return scaleOf(type, units);
  if (quantity === 'speed')
    return units.distance === 'imperial'
      ? { unit: 'mph', shown: (kmh) => kmh / KM_PER_MILE }
      : { unit: 'km/h', shown: (kmh) => kmh };
  if (quantity === 'altitude' || quantity === 'accuracy')
    return units.length === 'imperial' ? { unit: 'ft', shown: (m) => m / M_PER_FOOT } : { unit: 'm', shown: (m) => m };
  return { unit: t.deviceReadings.unitsOfPositions[quantity] ?? '', shown: (value) => value };
}

/** More lines than this would not be distinguishable. */
const MOST_LINES = 4;

export interface Drawn {
  readonly times: readonly number[];
  readonly lines: readonly ChartLine[];
}

/** The numbers of the samples as lines: one, or one for each key of object values. */
export function linesOf(samples: readonly Sample[], shown: (value: number) => number): Drawn {
  const numbers = samples
    .map(({ at, value }) => ({ at, of: numbersIn(value) }))
    .filter(({ of }) => Object.keys(of).length > 0);
  const names = [...new Set(numbers.flatMap(({ of }) => Object.keys(of)))].slice(0, MOST_LINES);
  return {
    times: numbers.map(({ at }) => at / 1000),
    lines: names.map((label) => ({
      label,
      values: numbers.map(({ of }) => (of[label] === undefined ? null : shown(of[label]))),
    })),
  };
}
