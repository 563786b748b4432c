import type { City } from './city.ts';
import type { Fence } from './fence-shape.ts';
import { type Place, placeOf, spotOf } from './ground.ts';
import { hash, Random } from './random.ts';

/** Fences for a fleet in a city. */

/** A circle around a depot, large enough for its parking spots. */
export function depotFence(city: City, depot: number, radiusM = 90): Fence {
  const address = city.addresses[depot]!;
  return { name: address.name, type: 'depot', center: placeOf(city.ground, address), radius: radiusM };
}

const DISTRICTS = ['Old Town', 'Riverside', 'Mill Quarter', 'Northfields', 'Gardens', 'Docks', 'Market', 'University'];

/** An irregular polygon over some blocks. The first one is in the centre of the city. */
export function districtFence(city: City, number: number): Fence {
  const random = new Random(hash(city.seed, 21, number));
  const { radiusM } = city.network;
  const [turn, away] = [random.between(0, 2 * Math.PI), number === 0 ? 0 : radiusM * random.between(0.35, 0.7)];
  const [x, y] = [away * Math.cos(turn), away * Math.sin(turn)];
  const corners = 5 + random.below(5);
  const name = DISTRICTS[number % DISTRICTS.length]!;
  const outline = Array.from({ length: corners }, (_, i) => {
    const angle = turn + (2 * Math.PI * (i + random.between(-0.3, 0.3))) / corners;
    const m = radiusM * random.between(0.14, 0.28);
    return placeOf(city.ground, { x: x + m * Math.cos(angle), y: y + m * Math.sin(angle) });
  });
  return {
    name: number < DISTRICTS.length ? name : `${name} ${1 + Math.floor(number / DISTRICTS.length)}`,
    type: 'district',
    outline,
  };
}

const QUARTERS = ['Northside', 'Eastgate', 'Southbank', 'Westmoor'];
/** Places outside of all streets belong to a quarter, too. */
const OUTSKIRTS = 1.25;
const CORNERS = 8;

/** The quarters of a city from its centre to its outskirts: every place of it has a name. */
export const quarterFences = (city: City): Fence[] =>
  QUARTERS.map((name, number) => {
    const m = city.network.radiusM * OUTSKIRTS;
    const edge = Array.from({ length: CORNERS + 1 }, (_, corner) => {
      const angle = (Math.PI / 2) * (number - 0.5 + corner / CORNERS);
      return placeOf(city.ground, { x: m * Math.sin(angle), y: m * Math.cos(angle) });
    });
    return { name, type: 'quarter', outline: [placeOf(city.ground, { x: 0, y: 0 }), ...edge] };
  });

/** Fences of all depots, then of districts, `count` in total. */
export const cityFences = (city: City, count = 14): Fence[] =>
  Array.from({ length: count }, (_, i) =>
    i < city.depots ? depotFence(city, i) : districtFence(city, i - city.depots),
  );

/**
 * A circle whose edge is near a place, which is `insideM` metres inside, or outside if negative. For devices parked near
 * an edge, where a naive rule would report entries and exits all day.
 */
export function edgeFence(city: City, at: Place, insideM: number, radiusM = 150, bearingDeg = 90): Fence {
  const { x, y } = spotOf(city.ground, at);
  const angle = (bearingDeg / 180) * Math.PI;
  const m = radiusM - insideM;
  const center = placeOf(city.ground, { x: x + m * Math.sin(angle), y: y + m * Math.cos(angle) });
  return { name: `Edge ${insideM} m`, type: 'edge', center, radius: radiusM };
}
