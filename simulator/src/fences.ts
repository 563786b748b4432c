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

const AROUND = ['Gardens', 'Docks', 'Market', 'Riverside', 'Mill Quarter'];
/** Corners on each side of a district. */
const CORNERS = 4;

/** All districts of a city, around its old town, with common borders. Every place of the city is in one of them. */
export function allDistricts(city: City): Fence[] {
  const random = new Random(hash(city.seed, 22));
  const total = AROUND.length * CORNERS;
  const ring = (from: number, to: number) =>
    Array.from({ length: total }, (_, i) => ({
      angle: (2 * Math.PI * (i + random.between(-0.3, 0.3))) / total,
      m: city.network.radiusM * random.between(from, to),
    }));
  // Beyond the last street, because a fix can be off the street.
  const [inner, outer] = [ring(0.26, 0.38), ring(1.08, 1.25)];
  const borders = AROUND.map((_, number) => {
    const [from, to] = [inner[number * CORNERS]!, outer[number * CORNERS]!];
    return [0.35, 0.7].map((share) => ({
      angle: from.angle + (to.angle - from.angle) * share + random.between(-0.15, 0.15),
      m: from.m + (to.m - from.m) * share,
    }));
  });
  const fence = (name: string, corners: typeof inner): Fence => ({
    name,
    type: 'district',
    outline: corners.map(({ angle, m }) => placeOf(city.ground, { x: m * Math.sin(angle), y: m * Math.cos(angle) })),
  });
  const side = (of: typeof inner, number: number) =>
    Array.from({ length: CORNERS + 1 }, (_, i) => of[(number * CORNERS + i) % total]!);
  return [
    fence('Old Town', inner),
    ...AROUND.map((name, number) =>
      fence(name, [
        ...borders[number]!,
        ...side(outer, number),
        ...borders[(number + 1) % AROUND.length]!.toReversed(),
        ...side(inner, number).toReversed(),
      ]),
    ),
  ];
}

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
