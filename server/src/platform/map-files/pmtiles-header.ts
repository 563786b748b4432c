/** What the first bytes of a PMTiles file, version 3, say about it. */
export interface MapFileHeader {
  readonly kind: 'vector' | 'raster';
  /** West, south, east and north in degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly minZoom: number;
  readonly maxZoom: number;
}

export const HEADER_BYTES = 127;

/** The reader of browsers looks at no more of the name than this, and one writer leaves the rest of it out. */
const MAGIC = 'PM';
const VERSION = 3;
const AT = { version: 7, tileType: 99, minZoom: 100, maxZoom: 101, west: 102 } as const;
const VECTOR = 1;
/** PNG, JPEG, WebP and AVIF. */
const PICTURES = [2, 3, 4, 5];
const WORLD = [-180, -85.0511, 180, 85.0511] as const;

/** Undefined if it is no such file, or has tiles that browsers cannot show. */
export function readHeader(bytes: Buffer): MapFileHeader | undefined {
  if (bytes.length < HEADER_BYTES || bytes.toString('latin1', 0, MAGIC.length) !== MAGIC) return undefined;
  const type = bytes[AT.tileType]!;
  if (bytes[AT.version] !== VERSION || (type !== VECTOR && !PICTURES.includes(type))) return undefined;
  const [minZoom, maxZoom] = [bytes[AT.minZoom]!, bytes[AT.maxZoom]!];
  if (minZoom > maxZoom || maxZoom > 30) return undefined;
  const [west, south, east, north] = [0, 4, 8, 12].map((at) => bytes.readInt32LE(AT.west + at) / 1e7) as [
    number,
    number,
    number,
    number,
  ];
  const isPlausible = west < east && south < north && west >= -180 && east <= 180 && south >= -90 && north <= 90;
  return {
    kind: type === VECTOR ? 'vector' : 'raster',
    bounds: isPlausible ? [west, south, east, north] : [...WORLD],
    minZoom,
    maxZoom,
  };
}
