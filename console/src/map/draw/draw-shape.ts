import { type CorridorProblem, corridorIn, corridorOutline } from '@trackway/contract/corridor.ts';
import { circleRing, distanceM, type LatLng } from '../../geo/place.ts';

/** The area of a fence: a circle, or an outline that is closed implicitly. */
export type FenceShape =
  | { readonly kind: 'circle'; readonly center: LatLng; readonly radius: number }
  | { readonly kind: 'polygon'; readonly outline: readonly LatLng[] }
  | {
      readonly kind: 'corridor';
      readonly path: readonly LatLng[];
      readonly widthM: number;
      readonly outline: readonly LatLng[];
      /** The reason why it has no outline. */
      readonly problem?: CorridorProblem;
    };

export type Box = [[west: number, south: number], [east: number, north: number]];

interface Shaped {
  readonly outline: readonly LatLng[] | null;
  readonly center: LatLng | null;
  readonly radius: number | null;
  readonly meta?: Readonly<Record<string, unknown>> | null;
}

/** The outline takes precedence; undefined if a fence has neither. */
export function shapeOf({ outline, center, radius, meta }: Shaped): FenceShape | undefined {
  const corridor = corridorIn(meta);
  if (corridor && outline && outline.length >= 3) return { kind: 'corridor', ...corridor, outline: opened(outline) };
  if (outline && outline.length >= 3) return { kind: 'polygon', outline: opened(outline) };
  return center && radius ? { kind: 'circle', center, radius } : undefined;
}

/** The area within a width of a path, in metres. */
export function corridorOf(path: readonly LatLng[], widthM: number): FenceShape {
  const made = corridorOutline({ path, widthM });
  return 'problem' in made
    ? { kind: 'corridor', path, widthM, outline: [], problem: made.problem }
    : { kind: 'corridor', path, widthM, outline: made.outline };
}

/** The fields of a fence for a shape; fields of other shapes are cleared. */
export const fieldsOf = (shape: FenceShape) =>
  shape.kind === 'circle'
    ? { center: rounded(shape.center), radius: Math.round(shape.radius * 100) / 100, outline: null }
    : { outline: shape.outline.map(rounded), center: null, radius: null };

/** A closed ring of [lng, lat]. */
export function ringOf(shape: FenceShape, corners = 96): [number, number][] {
  if (shape.kind === 'circle') return circleRing(shape.center, shape.radius, corners);
  const ring = shape.outline.map(({ lat, lng }): [number, number] => [lng, lat]);
  return ring.length === 0 ? [] : [...ring, ring[0]!];
}

export const polygonOf = (shape: FenceShape): GeoJSON.Polygon => ({ type: 'Polygon', coordinates: [ringOf(shape)] });

export function boxOf(shapes: readonly FenceShape[]): Box | undefined {
  let [west, south, east, north] = [180, 90, -180, -90];
  for (const shape of shapes) {
    for (const [lng, lat] of ringOf(shape, 16)) {
      west = Math.min(west, lng);
      east = Math.max(east, lng);
      south = Math.min(south, lat);
      north = Math.max(north, lat);
    }
  }
  return west > east
    ? undefined
    : [
        [west, south],
        [east, north],
      ];
}

/** The middle of its northern edge: a name there hides nothing inside. */
export function topOf(shape: FenceShape): LatLng {
  const [[west], [east, north]] = boxOf([shape])!;
  return { lat: north, lng: (west + east) / 2 };
}

/** The circle that a ring of [lng, lat] represents: its centre, and the distance of its vertices. */
export function circleOfRing(ring: readonly (readonly number[])[]): FenceShape {
  const corners = opened(ring.map(([lng, lat]) => ({ lat: lat!, lng: lng! })));
  const sum = (value: (corner: LatLng) => number) => corners.reduce((all, corner) => all + value(corner), 0);
  const center = { lat: sum(({ lat }) => lat) / corners.length, lng: sum(({ lng }) => lng) / corners.length };
  return { kind: 'circle', center, radius: sum((corner) => distanceM(center, corner)) / corners.length };
}

export const outlineOfRing = (ring: readonly (readonly number[])[]): FenceShape => ({
  kind: 'polygon',
  outline: opened(ring.map(([lng, lat]) => ({ lat: lat!, lng: lng! }))),
});

function opened(outline: readonly LatLng[]): readonly LatLng[] {
  const [first, last] = [outline[0]!, outline.at(-1)!];
  return outline.length > 3 && first.lat === last.lat && first.lng === last.lng ? outline.slice(0, -1) : outline;
}

/** Precision of a hundredth of a millimetre, for readability. */
const rounded = ({ lat, lng }: LatLng): LatLng => ({ lat: round(lat), lng: round(lng) });
const round = (degrees: number) => Math.round(degrees * 1e7) / 1e7;
