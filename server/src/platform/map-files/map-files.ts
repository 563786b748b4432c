import { type FileHandle, open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { HEADER_BYTES, type MapFileHeader, readHeader } from './pmtiles-header.ts';

/** Map files (PMTiles) that the operator has put into a folder. */

export interface MapFile extends MapFileHeader {
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

/** No slash, no backslash and no leading dot, so that no name leads out of the folder. */
const NAME = /^[\p{L}\p{N}][\p{L}\p{N} ._()-]{0,120}\.pmtiles$/u;
const MOST_FILES = 50;

/** The map files of a folder, by name. Whatever else is there is not listed. */
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

/** Opens a file of the folder; undefined if there is none of this name. The caller closes it. */
export async function openMapFile(folder: string, name: string): Promise<OpenMapFile | undefined> {
  if (!NAME.test(name)) return undefined;
  const handle = await open(join(folder, name), 'r').catch(() => undefined);
  if (handle === undefined) return undefined;
  try {
    // Of the open file, so that what is read belongs to the version that is told.
    const status = await handle.stat();
    if (status.isFile()) {
      const version = [status.mtimeMs, status.size, status.ino].map((part) => Math.round(part).toString(36)).join('-');
      return { handle, bytes: status.size, version, changedAt: status.mtime };
    }
  } catch {
    // It went while it was opened.
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
