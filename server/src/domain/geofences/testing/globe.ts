import fc from 'fast-check';
import { along, arcOf, EARTH_RADIUS_M, type Place, placeOf, vectorOf } from '../../../platform/sphere.ts';
import { perpendicularTo, type Vector } from '../../../platform/vector.ts';
import { areaOf } from '../area.ts';

/** Anywhere; poles and the antimeridian as often as other places. */
export const anyVector: fc.Arbitrary<Vector> = fc
  .tuple(between(-1, 1), between(-Math.PI, Math.PI))
  .map(([z, turn]) => ({ x: Math.sqrt(1 - z * z) * Math.cos(turn), y: Math.sqrt(1 - z * z) * Math.sin(turn), z }));

export const anyPlace: fc.Arbitrary<Place> = fc.oneof(
  anyVector.map(placeOf),
  fc.constantFrom({ lat: 90, lng: 0 }, { lat: -90, lng: 77 }, { lat: 0, lng: 180 }, { lat: 10, lng: -180 }),
);

export function between(min: number, max: number): fc.Arbitrary<number> {
  // Not fc.double: half of its numbers are close to zero.
  return fc.integer({ min: 0, max: 2 ** 30 }).map((n) => min + ((max - min) * n) / 2 ** 30);
}

/** Spread evenly over the orders of magnitude. */
export function ofMagnitude(min: number, max: number): fc.Arbitrary<number> {
  return between(Math.log(min), Math.log(max)).map(Math.exp);
}

/** The place at a distance in metres and a bearing from another. */
export function away(from: Place, meters: number, bearing: number): Place {
  const center = vectorOf(from);
  const east = perpendicularTo(center);
  const north = {
    x: east.y * center.z - east.z * center.y,
    y: east.z * center.x - east.x * center.z,
    z: east.x * center.y - east.y * center.x,
  };
  const [c, s] = [Math.cos(bearing), Math.sin(bearing)];
  const angle = meters / EARTH_RADIUS_M;
  const ahead = { x: c * north.x + s * east.x, y: c * north.y + s * east.y, z: c * north.z + s * east.z };
  return placeOf(along({ start: center, ahead, angle: 1 }, angle));
}

export interface Drawn {
  readonly middle: Place;
  readonly reachM: number;
  readonly outline: Place[];
}

/**
 * Random vertices in a disc, either equal or with a distance of at least some millimetres: mostly an outline that
 * crosses itself.
 */
export function tangle(reach: fc.Arbitrary<number>, corners = 12): fc.Arbitrary<Drawn> {
  const corner = fc.tuple(fc.integer({ min: 1, max: 50 }), fc.integer({ min: 0, max: 1008 }));
  return fc
    .tuple(anyPlace, reach, fc.array(corner, { minLength: 3, maxLength: corners }))
    .map(([middle, reachM, polar]) => ({
      middle,
      reachM,
      outline: polar.map(([r, turn]) => away(middle, (r / 50) * reachM, (2 * Math.PI * turn) / 1009)),
    }))
    .filter(({ outline }) => areaOf({ outline }) !== undefined);
}

/** An outline around the centre that never crosses itself. */
export function shore(reach: fc.Arbitrary<number>, minLength = 3, maxLength = 60): fc.Arbitrary<Drawn> {
  return fc
    .tuple(anyPlace, reach, fc.array(between(0.2, 1), { minLength, maxLength }))
    .map(([middle, reachM, rays]) => ({
      middle,
      reachM,
      outline: rays.map((r, i) => away(middle, r * reachM, (2 * Math.PI * i) / rays.length)),
    }));
}

/** A rotation of the whole globe. */
export const anyTurn: fc.Arbitrary<(place: Place) => Place> = fc
  .tuple(anyVector, between(0, 2 * Math.PI))
  .map(([axis, angle]) => (place) => {
    const v = vectorOf(place);
    const [c, s] = [Math.cos(angle), Math.sin(angle)];
    const remaining = (1 - c) * (axis.x * v.x + axis.y * v.y + axis.z * v.z);
    return placeOf({
      x: c * v.x + s * (axis.y * v.z - axis.z * v.y) + remaining * axis.x,
      y: c * v.y + s * (axis.z * v.x - axis.x * v.z) + remaining * axis.y,
      z: c * v.z + s * (axis.x * v.y - axis.y * v.x) + remaining * axis.z,
    });
  });

/** Brute force: samples each edge at many places, then more closely around the nearest. */
export function nearestByLookingM(outline: readonly Place[], place: Place): number {
  const target = vectorOf(place);
  let nearest = Infinity;
  for (const [i, corner] of outline.entries()) {
    const edge = arcOf(vectorOf(corner), vectorOf(outline[(i + 1) % outline.length]!));
    const chordAt = (f: number) => {
      const p = along(edge, f);
      return Math.hypot(p.x - target.x, p.y - target.y, p.z - target.z);
    };
    const steps = 100;
    const looked = Array.from({ length: steps + 1 }, (_, step) => chordAt(step / steps));
    const best = looked.indexOf(Math.min(...looked));
    let [low, high] = [Math.max(0, best - 1) / steps, Math.min(steps, best + 1) / steps];
    for (let round = 0; round < 80; round++) {
      const [a, b] = [low + (high - low) / 3, high - (high - low) / 3];
      if (chordAt(a) < chordAt(b)) high = b;
      else low = a;
    }
    nearest = Math.min(nearest, chordAt(low), chordAt(high), ...looked);
  }
  return 2 * Math.asin(Math.min(1, nearest / 2)) * EARTH_RADIUS_M;
}

/**
 * Even-odd by a ray in the plane: in the gnomonic projection around the centre, great circles are straight lines. Only
 * for places within less than a quarter of the globe from the centre.
 */
export function isInsideByRay(drawn: Drawn, place: Place): boolean {
  const center = vectorOf(drawn.middle);
  const right = perpendicularTo(center);
  const up = {
    x: center.y * right.z - center.z * right.y,
    y: center.z * right.x - center.x * right.z,
    z: center.x * right.y - center.y * right.x,
  };
  const flat = (p: Place) => {
    const v = vectorOf(p);
    const depth = v.x * center.x + v.y * center.y + v.z * center.z;
    return {
      depth,
      x: (v.x * right.x + v.y * right.y + v.z * right.z) / depth,
      y: (v.x * up.x + v.y * up.y + v.z * up.z) / depth,
    };
  };
  const p = flat(place);
  if (p.depth <= 0) return false;
  const corners = drawn.outline.map(flat);
  let inside = false;
  for (const [i, a] of corners.entries()) {
    const b = corners[(i + 1) % corners.length]!;
    if (a.y > p.y !== b.y > p.y && p.x < a.x + ((b.x - a.x) * (p.y - a.y)) / (b.y - a.y)) inside = !inside;
  }
  return inside;
}
