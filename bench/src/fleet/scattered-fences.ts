import type { Fence } from '@trackway/simulator/fence-shape.ts';
import { type Place, placeOf } from '@trackway/simulator/ground.ts';
import { Random } from '@trackway/simulator/random.ts';
import { CITY } from '../load/sending.ts';

const RADIUS_M: readonly [number, number] = [40, 160];

/** Yards, stations and customers spread over a square around the city: circles and polygons in turn. */
export function scatteredFences(count: number, acrossM: number, seed = 1): Fence[] {
  const random = new Random(seed);
  return Array.from({ length: count }, (_, number) => {
    const at = { x: random.between(-0.5, 0.5) * acrossM, y: random.between(-0.5, 0.5) * acrossM };
    const radius = random.between(...RADIUS_M);
    // One in a hundred has a type that a trigger watches.
    const named = { name: `Fence ${number}`, type: number % 100 === 0 ? 'watched' : 'other' };
    if (number % 2 === 0) return { ...named, center: placeOf(CITY.ground, at), radius };
    return { ...named, outline: outlineAround(at, radius, random) };
  });
}

function outlineAround(at: { x: number; y: number }, radiusM: number, random: Random): Place[] {
  const corners = 4 + random.below(9);
  return Array.from({ length: corners }, (_, corner) => {
    const angle = (2 * Math.PI * corner) / corners;
    const m = radiusM * random.between(0.7, 1);
    return placeOf(CITY.ground, { x: at.x + m * Math.cos(angle), y: at.y + m * Math.sin(angle) });
  });
}
