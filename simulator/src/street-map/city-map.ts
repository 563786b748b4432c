import type { City } from '../city.ts';
import { cityFences } from '../fences.ts';
import { latOf, runningLngOf, type Spot, spotOf } from '../ground.ts';
import { hash, Random } from '../random.ts';
import type { StreetKind } from '../streets.ts';
import { pmtiles } from './pmtiles.ts';
import { nameStreets } from './street-names.ts';
import { type MapFeature, tilesOf } from './tiles.ts';

/** The fictional city as a map file, with the layers that the style of Protomaps draws. */

const [MIN_ZOOM, MAX_ZOOM] = [8, 14];
const RIVER_M = 52;
const PARKS = [
  'City Park',
  'Botanical Garden',
  'Hill Park',
  'Riverside Meadows',
  'Castle Grounds',
  'Fairground',
  'Oak Wood',
];
const ROADS: Readonly<Record<StreetKind, { kind: string; kind_detail: string; minZoom: number }>> = {
  ring: { kind: 'highway', kind_detail: 'motorway', minZoom: 8 },
  link: { kind: 'major_road', kind_detail: 'primary', minZoom: 9 },
  avenue: { kind: 'major_road', kind_detail: 'secondary', minZoom: 10 },
  street: { kind: 'minor_road', kind_detail: 'residential', minZoom: 12 },
};

export function cityMap(city: City, name = 'Westmere'): Buffer {
  const { ground, network, seed } = city;
  const random = new Random(hash(seed, 33));
  const at = ({ x, y }: Spot) => [runningLngOf(ground, x), latOf(ground, y)] as const;
  const feature = (
    layer: string,
    shape: MapFeature['shape'],
    spots: readonly Spot[],
    minZoom: number,
    properties: MapFeature['properties'],
  ): MapFeature => ({ layer, shape, places: spots.map(at), minZoom, properties });
  const parks = parksOf(city, random);
  const isGreen = (spot: Spot) =>
    parks.some(({ middle, radiusM }) => Math.hypot(spot.x - middle.x, spot.y - middle.y) < radiusM * 1.1);
  const toRiver = (spot: Spot) => Math.min(...network.river.map(({ x, y }) => Math.hypot(spot.x - x, spot.y - y)));
  const reach = network.radiusM * 1.75;
  const edge = [-reach, reach];
  const corners = [0, 1, 3, 2].map((corner) => ({ x: edge[corner & 1]!, y: edge[corner >> 1]! }));
  const features: MapFeature[] = [
    feature('earth', 'area', corners, 8, { kind: 'earth' }),
    feature('water', 'area', bandAround(network.river, RIVER_M), 8, { kind: 'water' }),
    feature('water', 'line', network.river, 10, { kind: 'river', name: 'Wester' }),
    ...parks.flatMap(({ outline, middle, pond, ...park }) => [
      feature('landuse', 'area', outline, 9, { kind: 'park' }),
      ...(pond ? [feature('water', 'area', pond, 11, { kind: 'lake' })] : []),
      feature('places', 'point', [middle], 12, { kind: 'neighbourhood', name: park.name, min_zoom: 12 }),
    ]),
    ...nameStreets(network, seed).map(({ line, kind, isBridge, isTunnel, ...street }) => {
      const { minZoom, ...road } = ROADS[kind];
      const built = { ...(isBridge && { is_bridge: true }), ...(isTunnel && { is_tunnel: true }) };
      return feature('roads', 'line', line, minZoom, {
        ...road,
        ...built,
        name: street.name,
        sort_rank: 300,
        min_zoom: minZoom,
      });
    }),
    ...buildingsOf(city, random)
      .filter(([corner]) => !isGreen(corner!) && toRiver(corner!) > RIVER_M + 45)
      .map((outline) => feature('buildings', 'area', outline, 14, { kind: 'building' })),
    ...cityFences(city, city.depots + 8)
      .slice(city.depots)
      .flatMap(({ name: district, outline }) =>
        outline
          ? [
              feature('places', 'point', [meanOf(outline.map((place) => spotOf(ground, place)))], 11, {
                kind: 'neighbourhood',
                name: district!,
              }),
            ]
          : [],
      ),
    feature('places', 'point', [{ x: 0, y: 0 }], 8, {
      kind: 'locality',
      kind_detail: 'city',
      name,
      population: 240_000,
      population_rank: 11,
      min_zoom: 8,
    }),
  ];
  const [west, south] = at({ x: -reach, y: -reach });
  const [east, north] = at({ x: reach, y: reach });
  return pmtiles(tilesOf(features, MIN_ZOOM, MAX_ZOOM), {
    bounds: [west, south, east, north],
    metadata: { name, attribution: 'A fictional city', vector_layers: [] },
  });
}

/** Both banks of a line. */
function bandAround(line: readonly Spot[], halfM: number): Spot[] {
  const bank = (side: 1 | -1) =>
    line.map(({ x, y }, index) => {
      const [before, after] = [line[Math.max(0, index - 1)]!, line[Math.min(line.length - 1, index + 1)]!];
      const length = Math.hypot(after.x - before.x, after.y - before.y) || 1;
      return {
        x: x - (side * halfM * (after.y - before.y)) / length,
        y: y + (side * halfM * (after.x - before.x)) / length,
      };
    });
  return [...bank(1), ...bank(-1).reverse()];
}

const meanOf = (spots: readonly Spot[]): Spot => ({
  x: spots.reduce((sum, { x }) => sum + x, 0) / spots.length,
  y: spots.reduce((sum, { y }) => sum + y, 0) / spots.length,
});

function blob(random: Random, middle: Spot, radiusM: number, corners: number): Spot[] {
  const turn = random.between(0, 6);
  return Array.from({ length: corners }, (_, corner) => {
    const angle = turn + (corner / corners) * 2 * Math.PI;
    const m = radiusM * random.between(0.78, 1.12);
    return { x: middle.x + m * Math.cos(angle), y: middle.y + m * Math.sin(angle) };
  });
}

function parksOf({ network }: City, random: Random) {
  return PARKS.map((name, index) => {
    const [angle, away] = [
      (index / PARKS.length) * 2 * Math.PI + random.between(-0.3, 0.3),
      random.between(0.25, 0.85),
    ];
    const middle = { x: network.radiusM * away * Math.cos(angle), y: network.radiusM * away * Math.sin(angle) };
    const radiusM = random.between(170, 340);
    const pond = random.chance(0.6)
      ? blob(random, { x: middle.x + radiusM * 0.3, y: middle.y }, radiusM * 0.28, 14)
      : undefined;
    return { name, middle, radiusM, outline: blob(random, middle, radiusM, 18), pond };
  });
}

const [SETBACK_M, CORNER_M] = [13, 26];

/** Houses along both sides of the streets. */
function buildingsOf({ network: { nodes, streets } }: City, random: Random): Spot[][] {
  return streets.flatMap(({ a, b, kind, lengthM, isBridge, isTunnel }) => {
    if (isBridge || isTunnel || kind === 'ring' || kind === 'link') return [];
    const [from, to] = [nodes[a]!, nodes[b]!];
    const [dx, dy] = [(to.x - from.x) / lengthM, (to.y - from.y) / lengthM];
    const houses: Spot[][] = [];
    for (const side of [1, -1]) {
      for (let along = CORNER_M; along < lengthM - CORNER_M - 12; ) {
        const [front, deep] = [random.between(12, 30), random.between(11, 20)];
        const end = Math.min(along + front, lengthM - CORNER_M);
        const spot = (m: number, out: number): Spot => ({
          x: from.x + dx * m - dy * side * out,
          y: from.y + dy * m + dx * side * out,
        });
        if (random.chance(0.86))
          houses.push([
            spot(along, SETBACK_M),
            spot(end, SETBACK_M),
            spot(end, SETBACK_M + deep),
            spot(along, SETBACK_M + deep),
          ]);
        along = end + (random.chance(0.35) ? random.between(4, 14) : 0.6);
      }
    }
    return houses;
  });
}
