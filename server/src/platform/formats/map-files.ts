import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';

/** Map files (PMTiles) that the operator has put into a folder. */

interface MapFile extends MapFileHeader {
  readonly name: string;
  readonly bytes: number;
  /** Changes with the content. */
  readonly version: string;
}

export interface OpenMapFile {
  readonly handle: FileHandle;
  readonly bytes: number;
  readonly version: string;
  readonly changedAt: Date;
}

/** No slash, no backslash and no leading dot, so that path traversal is impossible. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,120}\.pmtiles$/u;
const MOST_FILES = 50;

/** The map files of a folder, by name. Other files are not listed. */
export async function mapFiles(folder: string): Promise<MapFile[]> {
  const names = (await readdir(folder).catch(() => [])).filter((name) => NAME.test(name));
  const files = await Promise.all(
    names
      .sort()
      .slice(0, MOST_FILES)
      .map((name) => described(folder, name)),
  );
  return files.filter((file) => file !== undefined);
}

/** Opens a file of the folder; undefined if it does not exist. The caller closes it. */
export async function openMapFile(folder: string, name: string): Promise<OpenMapFile | undefined> {
  if (!NAME.test(name)) return undefined;
  const handle = await open(join(folder, name), 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    // Of the open file, so that the content matches the returned version.
    const status = await handle.stat();
    if (status.isFile()) {
      const version = [status.mtimeMs, status.size, status.ino].map((part) => Math.round(part).toString(36)).join('-');
      return { handle, bytes: status.size, version, changedAt: status.mtime };
    }
  } catch {
    // It was removed while it was opened.
  }
  await handle.close();
  return undefined;
}

async function described(folder: string, name: string): Promise<MapFile | undefined> {
  const file = await openMapFile(folder, name);
  if (file === undefined) return undefined;
  try {
    const { buffer, bytesRead } = await file.handle.read(Buffer.alloc(HEADER_BYTES), 0, HEADER_BYTES, 0);
    const header = readHeader(buffer.subarray(0, bytesRead));
    return header && { name, bytes: file.bytes, version: file.version, ...header };
  } catch {
    return undefined;
  } finally {
    await file.handle.close();
  }
}

/** The header of a PMTiles file, version 3. */
interface MapFileHeader {
  readonly kind: 'vector' | 'raster';
  /** West, south, east and north in degrees. */
  readonly bounds: readonly [number, number, number, number];
  readonly minZoom: number;
  readonly maxZoom: number;
}

const HEADER_BYTES = 127;

/** The reader of browsers checks no more of the magic number than this, and one writer omits the other bytes. */
const MAGIC = 'PM';
const VERSION = 3;
const AT = { version: 7, tileType: 99, minZoom: 100, maxZoom: 101, west: 102 } as const;
const VECTOR = 1;
/** PNG, JPEG, WebP and AVIF. */
const PICTURES = [2, 3, 4, 5];
const WORLD = [-180, -85.0511, 180, 85.0511] as const;

/** Undefined if the file is invalid, or has tiles that browsers cannot show. */
function readHeader(bytes: Buffer): MapFileHeader | undefined {
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
