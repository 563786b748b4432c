import { MAX_VERTICES } from '@trackway/contract/resources/geofence.ts';
import { type FenceShape, outlineOfRing, ringOf } from '../../map/draw/draw-shape.ts';
import { t } from '../../texts/t.ts';

/** Imports and exports geofences as GeoJSON: polygons unchanged, circles as points with a `radius` in metres. */

export interface NewFence {
  readonly name: string | null;
  readonly type: string | null;
  readonly foreignId: string | null;
  readonly meta: Record<string, unknown> | null;
  readonly shape: FenceShape;
}

export interface Skipped {
  readonly what: string;
  readonly why: string;
}

export interface Taken {
  readonly fences: readonly NewFence[];
  readonly skipped: readonly Skipped[];
  /** Changes during the import, by name. */
  readonly remarks: readonly Skipped[];
}

type Json = Record<string, unknown>;
const words = t.geofences.import;
const MOST = 2000;
const MOST_NAME = 200;
const MOST_GROUP = 100;
const TUNING = ['enterAfter', 'exitAfter', 'enterConfidence', 'exitConfidence'];

/** Throws if the text cannot be parsed; an item that cannot be imported is in the result with its reason. */
export function readGeoJson(text: string): Taken {
  let root: unknown;
  try {
    root = JSON.parse(text);
  } catch {
    throw new Error(words.reasons.notJson);
  }
  const features = featuresOf(root);
  const taken: { fences: NewFence[]; skipped: Skipped[]; remarks: Skipped[] } = {
    fences: [],
    skipped: [],
    remarks: [],
  };
  for (const [index, feature] of features.entries()) {
    const properties = isObject(feature.properties) ? feature.properties : {};
    const what = textOf(properties.name, MOST_NAME) ?? words.item({ number: index + 1 });
    const shapes = shapesOf(feature.geometry, properties);
    for (const [part, shape] of shapes.entries()) {
      if (typeof shape === 'string') taken.skipped.push({ what, why: shape });
      else if (taken.fences.length >= MOST) taken.skipped.push({ what, why: words.reasons.tooMany({ most: MOST }) });
      else taken.fences.push(fenceOf(properties, shape, shapes.length > 1 ? part + 1 : undefined));
    }
    if (hasHoles(feature.geometry)) taken.remarks.push({ what, why: words.reasons.holes });
  }
  return taken;
}

interface Feature {
  readonly geometry: unknown;
  readonly properties: unknown;
}

function featuresOf(root: unknown): Feature[] {
  if (isObject(root)) {
    if (root.type === 'FeatureCollection' && Array.isArray(root.features))
      return root.features.map((one) =>
        isObject(one) ? { geometry: one.geometry, properties: one.properties } : EMPTY,
      );
    if (root.type === 'Feature') return [{ geometry: root.geometry, properties: root.properties }];
    if (root.type === 'GeometryCollection' && Array.isArray(root.geometries))
      return root.geometries.map((geometry) => ({ geometry, properties: {} }));
    if (typeof root.type === 'string' && Array.isArray(root.coordinates)) return [{ geometry: root, properties: {} }];
  }
  throw new Error(words.reasons.notGeoJson);
}
const EMPTY: Feature = { geometry: null, properties: {} };

/** The shapes of a geometry; the reason in place of one that cannot be imported. */
function shapesOf(geometry: unknown, properties: Json): (FenceShape | string)[] {
  if (!isObject(geometry)) return [words.reasons.noGeometry];
  const { type, coordinates } = geometry;
  if (type === 'Point') return [circleOf(coordinates, properties)];
  if (type === 'Polygon') return [outlineOf(coordinates)];
  if (type === 'MultiPolygon' && Array.isArray(coordinates)) return coordinates.map(outlineOf);
  return [words.reasons.kind({ kind: String(type) })];
}

function circleOf(coordinates: unknown, properties: Json): FenceShape | string {
  if (!isPosition(coordinates)) return words.reasons.coordinates;
  const { radius } = properties;
  if (radius === undefined || radius === null) return words.reasons.noRadius;
  const metres = Number(radius);
  if (!(metres > 0 && metres <= 20_037_508)) return words.reasons.badRadius;
  return { kind: 'circle', center: { lng: coordinates[0], lat: coordinates[1] }, radius: metres };
}

function outlineOf(rings: unknown): FenceShape | string {
  const ring = Array.isArray(rings) ? rings[0] : undefined;
  if (!Array.isArray(ring) || !ring.every(isPosition)) return words.reasons.coordinates;
  if (new Set(ring.map(([lng, lat]) => `${lng},${lat}`)).size < 3) return words.reasons.fewCorners;
  const shape = outlineOfRing(ring);
  const corners = shape.kind === 'polygon' ? shape.outline.length : 0;
  return corners > MAX_VERTICES ? words.reasons.manyCorners({ count: corners, most: MAX_VERTICES }) : shape;
}

const hasHoles = (geometry: unknown) =>
  isObject(geometry) &&
  ((geometry.type === 'Polygon' && Array.isArray(geometry.coordinates) && geometry.coordinates.length > 1) ||
    (geometry.type === 'MultiPolygon' &&
      Array.isArray(geometry.coordinates) &&
      geometry.coordinates.some((rings) => Array.isArray(rings) && rings.length > 1)));

function fenceOf(properties: Json, shape: FenceShape, part: number | undefined): NewFence {
  const name = textOf(properties.name, MOST_NAME - 8);
  const color = textOf(properties.color ?? properties.stroke ?? properties.fill, 7);
  const meta: Json = { ...(color && /^#[0-9a-f]{6}$/i.test(color) && { color }) };
  for (const key of TUNING) if (typeof properties[key] === 'number') meta[key] = properties[key];
  return {
    name: name && part ? `${name} (${part})` : name,
    type: textOf(properties.type ?? properties.group, MOST_GROUP),
    foreignId: textOf(properties.foreignId, MOST_NAME),
    meta: Object.keys(meta).length > 0 ? meta : null,
    shape,
  };
}

interface Kept extends Omit<NewFence, 'shape'> {
  readonly id: number;
}

export function geoJsonOf(fences: readonly { fence: Kept; shape: FenceShape }[]): GeoJSON.FeatureCollection {
  return {
    type: 'FeatureCollection',
    features: fences.map(({ fence, shape }) => {
      const { color, ...meta } = fence.meta ?? {};
      const tuning = Object.fromEntries(TUNING.filter((key) => meta[key] !== undefined).map((key) => [key, meta[key]]));
      return {
        type: 'Feature',
        properties: {
          name: fence.name,
          type: fence.type,
          ...(typeof color === 'string' && { color }),
          ...(fence.foreignId && { foreignId: fence.foreignId }),
          ...(shape.kind === 'circle' && { radius: shape.radius }),
          ...tuning,
        },
        geometry:
          shape.kind === 'circle'
            ? { type: 'Point', coordinates: [shape.center.lng, shape.center.lat] }
            : { type: 'Polygon', coordinates: [ringOf(shape)] },
      };
    }),
  };
}

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const isPosition = (value: unknown): value is [number, number] =>
  Array.isArray(value) &&
  typeof value[0] === 'number' &&
  typeof value[1] === 'number' &&
  Math.abs(value[0]) <= 180 &&
  Math.abs(value[1]) <= 90;

const textOf = (value: unknown, most: number) =>
  (typeof value === 'string' || typeof value === 'number') && String(value).trim() !== ''
    ? String(value).trim().slice(0, most)
    : null;
