import { clipArea, clipLine } from './clip.ts';
import type { Tile } from './pmtiles.ts';
import { EXTENT, type Properties, type TileFeature, type TilePoint, vectorTile } from './vector-tile.ts';

/** Something on the map, with its places as `[lng, lat]`. */
export interface MapFeature {
  readonly layer: string;
  readonly shape: TileFeature['shape'];
  readonly places: readonly (readonly [lng: number, lat: number])[];
  readonly properties: Properties;
  readonly minZoom: number;
}

/** Beyond the edge of a tile, so that wide lines have no gaps there. */
const BUFFER = 96;

/** Cuts features into tiles of these zooms. */
export function tilesOf(features: readonly MapFeature[], minZoom: number, maxZoom: number): Tile[] {
  const tiles: Tile[] = [];
  for (let z = minZoom; z <= maxZoom; z++) {
    const found = new Map<string, TileFeature[]>();
    for (const feature of features) if (feature.minZoom <= z) spread(feature, z, found);
    for (const [key, of] of found) {
      const [x, y] = key.split('/').map(Number) as [number, number];
      tiles.push({ z, x, y, content: vectorTile(of) });
    }
  }
  return tiles;
}

/** Where a place is in the square of the world, at a zoom in units of tiles. */
const inWorld = (lng: number, lat: number, z: number): TilePoint => {
  const sine = Math.sin((lat * Math.PI) / 180);
  return [(lng / 360 + 0.5) * 2 ** z, (0.5 - Math.log((1 + sine) / (1 - sine)) / (4 * Math.PI)) * 2 ** z];
};

function spread({ layer, shape, places, properties }: MapFeature, z: number, into: Map<string, TileFeature[]>): void {
  const spots = places.map(([lng, lat]) => inWorld(lng, lat, z));
  const margin = BUFFER / EXTENT;
  const range = (axis: 0 | 1) => {
    const values = spots.map((spot) => spot[axis]);
    return [Math.floor(Math.min(...values) - margin), Math.floor(Math.max(...values) + margin)] as const;
  };
  const [[left, right], [top, bottom]] = [range(0), range(1)];
  for (let x = left; x <= right; x++) {
    for (let y = top; y <= bottom; y++) {
      const local = spots.map(([a, b]): TilePoint => [(a - x) * EXTENT, (b - y) * EXTENT]);
      for (const part of partsOf(shape, local)) {
        const points = rounded(part);
        if (shape === 'line' && points.length < 2) continue;
        if (shape === 'area' && points.length < 3) continue;
        const key = `${x}/${y}`;
        if (!into.has(key)) into.set(key, []);
        into.get(key)!.push({ layer, shape, points, properties });
      }
    }
  }
}

function partsOf(shape: TileFeature['shape'], points: readonly TilePoint[]): readonly (readonly TilePoint[])[] {
  const [low, high] = [-BUFFER, EXTENT + BUFFER];
  if (shape === 'line') return clipLine(points, low, high);
  if (shape === 'area') return [clipArea(points, low, high)];
  return points.filter(([x, y]) => x >= 0 && y >= 0 && x < EXTENT && y < EXTENT).map((point) => [point]);
}

/** In whole units, without what then falls on the point before it. */
function rounded(points: readonly TilePoint[]): TilePoint[] {
  const whole = points.map(([x, y]): TilePoint => [Math.round(x), Math.round(y)]);
  return whole.filter(([x, y], index) => index === 0 || x !== whole[index - 1]![0] || y !== whole[index - 1]![1]);
}
