import { gzipSync } from 'node:zlib';
import { varint } from './protobuf.ts';

/** Writes a small map file in the form of PMTiles, version 3. */

export interface Tile {
  readonly z: number;
  readonly x: number;
  readonly y: number;
  readonly content: Buffer;
}

export interface MapFileFacts {
  /** West, south, east and north in degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly metadata: Readonly<Record<string, unknown>>;
}

const HEADER_BYTES = 127;
const GZIP = 2;
const VECTOR = 1;
/** Readers ask for this much first, and expect the directory in it. */
const FIRST_BYTES = 16_384;

export function pmtiles(tiles: readonly Tile[], { bounds, metadata }: MapFileFacts): Buffer {
  const entries = tiles
    .map(({ z, x, y, content }) => ({ z, id: tileId(z, x, y), content: gzipSync(content) }))
    .sort((a, b) => a.id - b.id);
  const directory = gzipSync(directoryOf(entries));
  if (HEADER_BYTES + directory.length > FIRST_BYTES)
    throw new RangeError('There are too many tiles for one directory.');
  const about = gzipSync(JSON.stringify(metadata));
  const data = Buffer.concat(entries.map(({ content }) => content));
  const header = Buffer.alloc(HEADER_BYTES);
  header.write('PMTiles', 'latin1');
  header[7] = 3;
  const dataAt = HEADER_BYTES + directory.length + about.length;
  const numbers = [
    ...[HEADER_BYTES, directory.length],
    ...[HEADER_BYTES + directory.length, about.length],
    // No leaf directories.
    ...[dataAt, 0],
    ...[dataAt, data.length],
    ...[entries.length, entries.length, entries.length],
  ];
  for (const [index, value] of numbers.entries()) header.writeBigUInt64LE(BigInt(value), 8 + index * 8);
  const zooms = entries.map(({ z }) => z);
  header.set([1, GZIP, GZIP, VECTOR, Math.min(...zooms), Math.max(...zooms)], 96);
  const [west, south, east, north] = bounds;
  const degrees = (value: number, at: number) => header.writeInt32LE(Math.round(value * 1e7), at);
  for (const [index, value] of bounds.entries()) degrees(value, 102 + index * 4);
  header[118] = Math.max(...zooms);
  degrees((west + east) / 2, 119);
  degrees((south + north) / 2, 123);
  return Buffer.concat([header, directory, about, data]);
}

function directoryOf(entries: readonly { readonly id: number; readonly content: Buffer }[]): Buffer {
  const bytes = varint(entries.length);
  let last = 0;
  for (const { id } of entries) {
    bytes.push(...varint(id - last));
    last = id;
  }
  for (const _ of entries) bytes.push(...varint(1));
  for (const { content } of entries) bytes.push(...varint(content.length));
  // Each follows the one before it, which 0 says; the first is at the start, which is written as 1.
  for (const index of entries.keys()) bytes.push(index === 0 ? 1 : 0);
  return Buffer.from(bytes);
}

/** The number of a tile on the Hilbert curve, after those of all lower zooms. */
export function tileId(z: number, x: number, y: number): number {
  let id = (4 ** z - 1) / 3;
  let [left, top] = [x, y];
  for (let half = 2 ** (z - 1); half >= 1; half /= 2) {
    const isRight = (left & half) > 0 ? 1 : 0;
    const isLow = (top & half) > 0 ? 1 : 0;
    id += half * half * ((3 * isRight) ^ isLow);
    if (isLow === 0) {
      if (isRight === 1) [left, top] = [half - 1 - left, half - 1 - top];
      [left, top] = [top, left];
    }
  }
  return id;
}
