import { EARTH_RADIUS_M, type Place, RADIANS } from './ground.ts';

/** A fence as in the body of `POST /api/users/{id}/geofences`: a circle or a polygon. */
export interface Fence {
  readonly name: string;
  readonly type?: string;
  readonly center?: Place;
  /** Metres. */
  readonly radius?: number;
  readonly outline?: readonly Place[];
}

/** A fence in the gnomonic projection around its centre, in which great circles are straight lines. */
export interface Shape {
  isInside(place: Place): boolean;
  /** The intersections of the line from a to b with the edge, as shares of the line in ascending order. */
  cuts(a: Place, b: Place): number[];
}

export function shapeOf({ name, center, radius, outline }: Fence): Shape {
  if (outline !== undefined && outline.length >= 3) return polygon(outline);
  if (center !== undefined && radius !== undefined && radius > 0) return circle(center, radius);
  throw new RangeError(`The fence ${name} has no shape.`);
}

/** Earth radii east and north of the centre. NaN beyond the horizon, where nothing is inside. */
type Flat = readonly [number, number];

function plane({ lat, lng }: Place): (place: Place) => Flat {
  const [sin0, cos0] = [Math.sin(lat * RADIANS), Math.cos(lat * RADIANS)];
  return (place) => {
    const [sin, cos] = [Math.sin(place.lat * RADIANS), Math.cos(place.lat * RADIANS)];
    const d = (place.lng - lng) * RADIANS;
    const height = sin0 * sin + cos0 * cos * Math.cos(d);
    if (height <= 0) return [Number.NaN, Number.NaN];
    return [(cos * Math.sin(d)) / height, (cos0 * sin - sin0 * cos * Math.cos(d)) / height];
  };
}

function circle(center: Place, radiusM: number): Shape {
  const flat = plane(center);
  const radius = Math.tan(radiusM / EARTH_RADIUS_M);
  return {
    isInside: (place) => Math.hypot(...flat(place)) <= radius,
    cuts(from, to) {
      const [[px, py], [qx, qy]] = [flat(from), flat(to)];
      const [dx, dy] = [qx - px, qy - py];
      const a = dx * dx + dy * dy;
      const b = px * dx + py * dy;
      const root = Math.sqrt(b * b - a * (px * px + py * py - radius * radius));
      // NaN if the line misses the circle. The filter drops it.
      return [(-b - root) / a, (-b + root) / a].filter((share) => share >= 0 && share <= 1);
    },
  };
}

function polygon(outline: readonly Place[]): Shape {
  const flat = plane(middleOf(outline));
  const corners = outline.map(flat);
  const edges = corners.map((corner, i) => [corner, corners[(i + 1) % corners.length]!] as const);
  return {
    isInside(place) {
      const [x, y] = flat(place);
      let inside = false;
      for (const [[ax, ay], [bx, by]] of edges) {
        if (ay > y !== by > y && x < ax + ((y - ay) / (by - ay)) * (bx - ax)) inside = !inside;
      }
      return inside;
    },
    cuts(from, to) {
      const [[px, py], [qx, qy]] = [flat(from), flat(to)];
      const [dx, dy] = [qx - px, qy - py];
      return edges
        .map(([[ax, ay], [bx, by]]) => {
          const [ex, ey] = [bx - ax, by - ay];
          const cross = dx * ey - dy * ex;
          const along = ((ax - px) * ey - (ay - py) * ex) / cross;
          const onEdge = ((ax - px) * dy - (ay - py) * dx) / cross;
          return onEdge >= 0 && onEdge <= 1 ? along : Number.NaN;
        })
        .filter((share) => share >= 0 && share <= 1)
        .sort((a, b) => a - b);
    },
  };
}

/** The mean of the corners as vectors, so that the antimeridian needs no special case. */
function middleOf(outline: readonly Place[]): Place {
  let [x, y, z] = [0, 0, 0];
  for (const { lat, lng } of outline) {
    x += Math.cos(lat * RADIANS) * Math.cos(lng * RADIANS);
    y += Math.cos(lat * RADIANS) * Math.sin(lng * RADIANS);
    z += Math.sin(lat * RADIANS);
  }
  return { lat: Math.atan2(z, Math.hypot(x, y)) / RADIANS, lng: Math.atan2(y, x) / RADIANS };
}
