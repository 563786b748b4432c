import { closeSync, fstatSync, openSync, readSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Reads a write-ahead log as SQLite's recovery does, without SQLite: which frames it would take in, and whether there is
 * proof that it held more. The format is described at https://sqlite.org/fileformat2.html#the_write_ahead_log.
 */

export const LOG_HEADER_BYTES = 32;
export const FRAME_HEADER_BYTES = 24;
const MAGIC = 0x377f0682;
/** Read at a time. */
const CHUNK_BYTES = 1 << 20;

/** One use of the log from its beginning; each restart of the log counts the number up and changes the salts. */
export interface Generation {
  readonly number: number;
  readonly salt1: number;
  readonly salt2: number;
}

export interface LogContent {
  /** Absent where the header is not valid: SQLite then ignores the whole file. */
  readonly generation: Generation | undefined;
  readonly pageBytes: number;
  /** Frames up to the last commit that recovery finds. */
  readonly committed: number;
  /**
   * The last frame, if it lies beyond `committed`, of a transaction that was certainly flushed: a later one was begun
   * behind it, and that happens only after the flush. What a power cut tears was never flushed, and nothing follows it.
   */
  readonly provenLost: number | undefined;
}

export const sameGeneration = (a: Generation, b: Generation) =>
  a.number === b.number && a.salt1 === b.salt1 && a.salt2 === b.salt2;

/** Whether the log was restarted since: SQLite counts the number and the first salt up together. */
export const isLater = (a: Generation, b: Generation) =>
  a.number > b.number && (a.salt1 - b.salt1) >>> 0 === a.number - b.number;

/** The generation that a header names, or undefined where it is not valid. */
function generationOf(header: Buffer): (Generation & { readonly pageBytes: number }) | undefined {
  if (header.length < LOG_HEADER_BYTES || (header.readUInt32BE(0) & ~1) >>> 0 !== MAGIC) return undefined;
  const sum = checksum(isBigEndian(header), header.subarray(0, 24), [0, 0]);
  if (sum[0] !== header.readUInt32BE(24) || sum[1] !== header.readUInt32BE(28)) return undefined;
  const size = header.readUInt32BE(8);
  return {
    number: header.readUInt32BE(12),
    salt1: header.readUInt32BE(16),
    salt2: header.readUInt32BE(20),
    pageBytes: size === 1 ? 65_536 : size,
  };
}

/** Returns undefined if there is no such file, or it is empty. */
export function readLog(path: string): LogContent | undefined {
  let file: number;
  try {
    file = openSync(path, 'r');
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return undefined;
    throw error;
  }
  try {
    const { size } = fstatSync(file);
    return size === 0 ? undefined : readFrames(file, size);
  } finally {
    closeSync(file);
  }
}

/** The current header of the log, for recording its progress. */
export function readGeneration(path: string): (Generation & { readonly pageBytes: number }) | undefined {
  let file: number | undefined;
  try {
    file = openSync(path, 'r');
    const header = Buffer.alloc(LOG_HEADER_BYTES);
    return readSync(file, header, 0, LOG_HEADER_BYTES, 0) < LOG_HEADER_BYTES ? undefined : generationOf(header);
  } catch {
    return undefined;
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

function readFrames(file: number, size: number): LogContent {
  const header = Buffer.alloc(LOG_HEADER_BYTES);
  readSync(file, header, 0, LOG_HEADER_BYTES, 0);
  const reported = generationOf(header);
  // If the header is damaged, the first frame shows what the others must look like.
  const first = Buffer.alloc(FRAME_HEADER_BYTES);
  readSync(file, first, 0, FRAME_HEADER_BYTES, LOG_HEADER_BYTES);
  const salts = reported ?? { salt1: first.readUInt32BE(8), salt2: first.readUInt32BE(12) };
  const pageBytes = reported?.pageBytes ?? 4096;
  const bigEndian = reported ? isBigEndian(header) : false;
  let before: Sum = [header.readUInt32BE(24), header.readUInt32BE(28)];
  let isWhole = reported !== undefined;
  let committed = 0;
  let provenLost: number | undefined;
  /** The frame before, if it bears the salts and ends a transaction. */
  let ended: { readonly page: number } | undefined;

  const frameBytes = FRAME_HEADER_BYTES + pageBytes;
  const frames = Math.floor((size - LOG_HEADER_BYTES) / frameBytes);
  const perChunk = Math.max(1, Math.floor(CHUNK_BYTES / frameBytes));
  const chunk = Buffer.alloc(perChunk * frameBytes);
  for (let start = 0; start < frames; start += perChunk) {
    const count = Math.min(perChunk, frames - start);
    readSync(file, chunk, 0, count * frameBytes, LOG_HEADER_BYTES + start * frameBytes);
    for (let index = 0; index < count; index++) {
      const frame = chunk.subarray(index * frameBytes, (index + 1) * frameBytes);
      const page = frame.readUInt32BE(0);
      const isCommit = frame.readUInt32BE(4) !== 0;
      const isOurs = frame.readUInt32BE(8) === salts.salt1 && frame.readUInt32BE(12) === salts.salt2;
      const stored: Sum = [frame.readUInt32BE(16), frame.readUInt32BE(20)];
      const sum = isOurs ? frameSum(bigEndian, frame, before) : undefined;
      const follows = sum !== undefined && sum[0] === stored[0] && sum[1] === stored[1] && page > 0;
      if (!follows) isWhole = false;
      const number = start + index + 1;
      if (isWhole) {
        if (isCommit) committed = number;
      } else if (follows && ended !== undefined && !(isCommit && ended.page === page)) {
        // SQLite may repeat the last frame of a transaction to fill a sector, before the flush: that proves nothing.
        provenLost = number - 1;
      }
      ended =
        isOurs && isCommit && (follows || isOfOneBlock(LOG_HEADER_BYTES + (number - 1) * frameBytes))
          ? { page }
          : undefined;
      before = stored;
    }
  }
  if (provenLost !== undefined && provenLost <= committed) provenLost = undefined;
  return { generation: reported, pageBytes, committed, provenLost };
}

/** The disk writes at least this much at once. */
const BLOCK_BYTES = 512;

/**
 * Whether a frame's header was written as one. Of another, a power cut may leave the mark of a commit from the new
 * transaction and the sum from an older one, whose next frame then seems to follow.
 */
const isOfOneBlock = (header: number) =>
  Math.floor(header / BLOCK_BYTES) === Math.floor((header + FRAME_HEADER_BYTES - 1) / BLOCK_BYTES);

type Sum = readonly [number, number];

const isBigEndian = (header: Buffer) => (header.readUInt32BE(0) & 1) === 1;

function frameSum(bigEndian: boolean, frame: Buffer, before: Sum): Sum {
  const head = checksum(bigEndian, frame.subarray(0, 8), before);
  return checksum(bigEndian, frame.subarray(FRAME_HEADER_BYTES), head);
}

function checksum(bigEndian: boolean, bytes: Buffer, [first, second]: Sum): Sum {
  let a = first | 0;
  let b = second | 0;
  const view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  for (let at = 0; at + 8 <= bytes.length; at += 8) {
    a = (a + view.getInt32(at, !bigEndian) + b) | 0;
    b = (b + view.getInt32(at + 4, !bigEndian) + a) | 0;
  }
  return [a >>> 0, b >>> 0];
}

/** The files of the data folder. */

export const databaseFile = (folder: string) => join(folder, 'trackway.db');
export const logFile = (folder: string) => `${databaseFile(folder)}-wal`;
/** How far the log came, outside of the log. */
export const markFile = (folder: string) => join(folder, 'trackway.mark');
/** Losses that were found and that no operator has accepted yet. */
export const damageFile = (folder: string) => join(folder, 'trackway.damage');
/** Space that is given back when the disk is full. */
export const reserveFile = (folder: string) => join(folder, 'trackway.reserve');
