import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';

const MOST_BYTES = 16 * 1024 * 1024;
/** Of a small disk at most this part. */
const PART = 50;
const CHUNK_BYTES = 256 * 1024;

/** How much space is reserved on a disk of this size. */
export const reserveBytes = (totalBytes: number) => Math.min(MOST_BYTES, Math.floor(totalBytes / PART));

/** Fills the file with bytes that no file system can leave out. Returns false where there is no space for it. */
export function makeReserve(path: string, bytes: number): boolean {
  if ((statSync(path, { throwIfNoEntry: false })?.size ?? 0) >= bytes) return true;
  let file: number | undefined;
  try {
    file = openSync(path, 'w', 0o600);
    const chunk = Buffer.alloc(CHUNK_BYTES);
    for (let left = bytes; left > 0; left -= CHUNK_BYTES)
      writeSync(file, randomFillSync(chunk), 0, Math.min(left, CHUNK_BYTES));
    fsyncSync(file);
    return true;
  } catch {
    giveReserve(path);
    return false;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** Gives the space back to the disk, so that what must go on can. */
export function giveReserve(path: string): void {
  rmSync(path, { force: true });
}
