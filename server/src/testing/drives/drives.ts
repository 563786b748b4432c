import fc from 'fast-check';
import type { Place } from '../../platform/sphere.ts';
import type { Report } from '../../reports.ts';
import { NOW } from '../people.ts';
import type { PlainPoint, PlainReading } from './report-by-positions.ts';

/** Drives of any kind, as a device reports them, for tests that hold reports against all positions. */

const M = 1 / 111_195;
const HOME = { lat: 0.5, lng: 11.5 };

/** The vehicle drives, waits or is parked during some fixes. */
export interface Phase {
  readonly steps: number;
  readonly gapS: number;
  readonly metres: number;
  readonly east: number;
  readonly ignition: boolean | null;
}

export const phase = fc.oneof(
  fc.record<Phase>({
    steps: fc.integer({ min: 2, max: 14 }),
    gapS: fc.integer({ min: 20, max: 150 }),
    metres: fc.integer({ min: 100, max: 900 }),
    east: fc.integer({ min: -4, max: 4 }),
    ignition: fc.constantFrom(true, null),
  }),
  fc.record<Phase>({
    steps: fc.integer({ min: 1, max: 6 }),
    gapS: fc.constantFrom(30, 60, 300, 900, 3600),
    metres: fc.constant(0),
    east: fc.constant(0),
    ignition: fc.constantFrom(true, false, null),
  }),
);

export interface Drive {
  readonly points: PlainPoint[];
  readonly readings: PlainReading[];
}

/** @param isRounded whether places are whole ten-millionths of a degree, as most devices report them */
export function driveOf(phases: readonly Phase[], isRounded: boolean): Drive {
  const points: PlainPoint[] = [];
  const readings: PlainReading[] = [];
  let at = NOW;
  let [north, east] = [0, 0];
  for (const [index, { steps, gapS, metres, east: turn, ignition }] of phases.entries()) {
    if (ignition !== null) readings.push({ timestamp: at + (gapS * 1000) / 4, isOn: ignition });
    // It goes away and comes back, so that it passes its zones.
    const sign = index % 4 < 2 ? 1 : -1;
    for (let step = 0; step < steps; step++) {
      at += gapS * 1000;
      north += sign * metres;
      east += (metres * turn) / 8;
      const location = placeAt(north, east);
      const rounded = { lat: Math.round(location.lat * 1e7) / 1e7, lng: Math.round(location.lng * 1e7) / 1e7 };
      const speedKmh = metres === 0 ? 0 : Math.round((metres / gapS) * 3.6);
      points.push({ timestamp: at, location: isRounded ? rounded : location, speedKmh, accuracyM: 5 + (step % 3) });
    }
  }
  return { points, readings };
}

export const placeAt = (north: number, east: number): Place => ({
  lat: HOME.lat + north * M,
  lng: HOME.lng + east * M,
});
export const circle = (north: number, east: number, radius: number) => ({ center: placeAt(north, east), radius });

/** Parts of what a device said, some of them late. */
export function reportsOf({ points, readings }: Drive, order: readonly number[]): Report[] {
  const parts = order.map((): Report & { points: object[] } => ({
    points: [],
    readings: [],
    gatewayReadings: [],
    messages: [],
  }));
  const partOf = (index: number, count: number) => parts[order[Math.floor((index * order.length) / count)]!]!;
  for (const [index, point] of points.entries()) partOf(index, points.length).points.push(point);
  for (const [index, { timestamp, isOn }] of readings.entries())
    (partOf(index, readings.length).readings as object[]).push({ timestamp, type: 'ignition', value: isOn });
  return parts;
}
