import { closeSync, constants, fdatasyncSync, openSync, readFileSync, writeSync } from 'node:fs';
import { crc32 } from 'node:zlib';
import type { Generation } from './log-file.ts';

/**
 * How far the log had come, written beside it after its frames were flushed. A log that has less at the next start has
 * lost what was committed.
 */
export interface Mark extends Generation {
  /** Committed frames of the log. */
  readonly frames: number;
  /** How many of them are in the database too. Once all are, the log may be deleted. */
  readonly checkpointed: number;
  /**
   * The last pages that were changed and are not in the database yet, with a checksum of each: where the database has
   * them after all, another program has copied the log and deleted it.
   */
  readonly pages: readonly (readonly [page: number, checksum: number])[];
}

/** Two slots, written in turn, so that a write that is torn leaves the other. */
const SLOT_BYTES = 512;

interface Slot extends Mark {
  readonly count: number;
}

export function readMark(path: string): Mark | undefined {
  return newest(path);
}

function newest(path: string): Slot | undefined {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch {
    return undefined;
  }
  const slots = [slotOf(bytes.subarray(0, SLOT_BYTES)), slotOf(bytes.subarray(SLOT_BYTES, 2 * SLOT_BYTES))];
  return slots.reduce((a, b) => (a === undefined || (b !== undefined && b.count > a.count) ? b : a));
}

function slotOf(bytes: Buffer): Slot | undefined {
  const [text = '', sum] = bytes.toString('latin1').split('\n');
  if (text === '' || sum !== String(crc32(text))) return undefined;
  return JSON.parse(text) as Slot;
}

/** Keeps the mark of one folder. Writing it takes one flush of a small file. */
export class MarkFile {
  readonly #path: string;
  #count: number;
  #last: Mark | undefined;

  constructor(path: string) {
    this.#path = path;
    this.#last = newest(path);
    this.#count = (this.#last as Slot | undefined)?.count ?? 0;
  }

  write(mark: Mark): void {
    if (this.#last && isSame(this.#last, mark)) return;
    const { number, salt1, salt2, frames, checkpointed, pages } = mark;
    const count = this.#count + 1;
    const text = JSON.stringify({ count, number, salt1, salt2, frames, checkpointed, pages } satisfies Slot);
    const slot = Buffer.alloc(SLOT_BYTES, '\n');
    slot.write(`${text}\n${crc32(text)}\n`, 'latin1');
    const file = openSync(this.#path, constants.O_WRONLY | constants.O_CREAT, 0o600);
    try {
      writeSync(file, slot, 0, SLOT_BYTES, (count % 2) * SLOT_BYTES);
      fdatasyncSync(file);
    } finally {
      closeSync(file);
    }
    this.#count = count;
    this.#last = mark;
  }
}

const isSame = (a: Mark, b: Mark) =>
  a.number === b.number &&
  a.salt1 === b.salt1 &&
  a.salt2 === b.salt2 &&
  a.frames === b.frames &&
  a.checkpointed === b.checkpointed;
