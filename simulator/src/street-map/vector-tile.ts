import { bytesField, numberField, packed, textField, zigzag } from './protobuf.ts';

/** Writes tiles in the form of Mapbox Vector Tiles, version 2. */

export const EXTENT = 4096;

export type TilePoint = readonly [x: number, y: number];
export type Properties = Readonly<Record<string, string | number | boolean>>;

export interface TileFeature {
  readonly layer: string;
  readonly shape: 'point' | 'line' | 'area';
  /** In units of the tile, whose edge is `EXTENT` long. */
  readonly points: readonly TilePoint[];
  readonly properties: Properties;
}

const SHAPES = { point: 1, line: 2, area: 3 } as const;
const COMMANDS = { move: 1, line: 2, close: 7 } as const;
const command = (id: number, count: number) => id | (count << 3);

export function vectorTile(features: readonly TileFeature[]): Buffer {
  const layers = Map.groupBy(features, ({ layer }) => layer);
  return Buffer.concat([...layers].map(([name, of]) => layerOf(name, of)));
}

function layerOf(name: string, features: readonly TileFeature[]): Buffer {
  const keys = new Map<string, number>();
  const values = new Map<string | number | boolean, number>();
  const placeOf = <K>(known: Map<K, number>, key: K) => {
    if (!known.has(key)) known.set(key, known.size);
    return known.get(key)!;
  };
  const written = features.map(({ shape, points, properties }) => {
    const tags = Object.entries(properties).flatMap(([key, value]) => [placeOf(keys, key), placeOf(values, value)]);
    return bytesField(2, [packed(2, tags), numberField(3, SHAPES[shape]), packed(4, geometryOf(shape, points))]);
  });
  return bytesField(3, [
    numberField(15, 2),
    textField(1, name),
    ...written,
    ...[...keys.keys()].map((key) => textField(3, key)),
    ...[...values.keys()].map(cellOf),
    numberField(5, EXTENT),
  ]);
}

function cellOf(value: string | number | boolean): Buffer {
  if (typeof value === 'string') return bytesField(4, [textField(1, value)]);
  return bytesField(4, [typeof value === 'boolean' ? numberField(7, value ? 1 : 0) : numberField(6, zigzag(value))]);
}

function geometryOf(shape: TileFeature['shape'], points: readonly TilePoint[]): number[] {
  const [first, ...others] = shape === 'area' ? clockwise(points) : points;
  let [x, y] = [0, 0];
  const to = ([nextX, nextY]: TilePoint) => {
    const steps = [zigzag(nextX - x), zigzag(nextY - y)];
    [x, y] = [nextX, nextY];
    return steps;
  };
  const start = [command(COMMANDS.move, 1), ...to(first!)];
  if (shape === 'point') return start;
  const line = [...start, command(COMMANDS.line, others.length), ...others.flatMap(to)];
  return shape === 'line' ? line : [...line, command(COMMANDS.close, 1)];
}

/** The outline of an area, as tiles have it: with y downwards its signed area is positive. */
function clockwise(points: readonly TilePoint[]): readonly TilePoint[] {
  let doubled = 0;
  points.forEach(([x, y], index) => {
    const [nextX, nextY] = points[(index + 1) % points.length]!;
    doubled += x * nextY - nextX * y;
  });
  return doubled >= 0 ? points : points.toReversed();
}
