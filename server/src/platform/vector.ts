/**
 * A direction from the centre of the earth, as a unit vector unless stated otherwise. Places are compared as vectors,
 * because vectors have no discontinuity at the antimeridian or the poles.
 */
export interface Vector {
  readonly x: number;
  readonly y: number;
  readonly z: number;
}

export function dot(a: Vector, b: Vector): number {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}

export function cross(a: Vector, b: Vector): Vector {
  return { x: a.y * b.z - a.z * b.y, y: a.z * b.x - a.x * b.z, z: a.x * b.y - a.y * b.x };
}

export function scaled(a: Vector, by: number): Vector {
  return { x: a.x * by, y: a.y * by, z: a.z * by };
}

export function sum(a: Vector, b: Vector): Vector {
  return { x: a.x + b.x, y: a.y + b.y, z: a.z + b.z };
}

export function difference(a: Vector, b: Vector): Vector {
  return { x: a.x - b.x, y: a.y - b.y, z: a.z - b.z };
}

export function lengthOf(a: Vector): number {
  return Math.sqrt(dot(a, a));
}

/** The unit vector along `a`; undefined if `a` is too short to have a direction. */
export function directionOf(a: Vector): Vector | undefined {
  const length = lengthOf(a);
  return length < 1e-30 ? undefined : scaled(a, 1 / length);
}

/**
 * Twice a × b, computed from difference and sum: for two places with a distance of a metre the plain product loses half
 * its digits, this one none.
 */
export function steadyCross(a: Vector, b: Vector): Vector {
  return cross(difference(a, b), sum(b, a));
}

/** Squared length of the straight line through the earth between two places, in earth radii. */
export function chordSquared(a: Vector, b: Vector): number {
  const x = a.x - b.x;
  const y = a.y - b.y;
  const z = a.z - b.z;
  return x * x + y * y + z * z;
}

/** In radians, exact for both near and opposite directions. */
export function angleBetween(a: Vector, b: Vector): number {
  return 2 * Math.atan2(lengthOf(difference(a, b)), lengthOf(sum(a, b)));
}

/** Any unit vector at a right angle to `a`. */
export function perpendicularTo(a: Vector): Vector {
  const axis = Math.abs(a.z) < 0.7 ? { x: 0, y: 0, z: 1 } : { x: 1, y: 0, z: 0 };
  return directionOf(cross(a, axis)) as Vector;
}
