import {
  closeSync,
  ftruncateSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  truncateSync,
  writeFileSync,
} from 'node:fs';
import { databaseFile, logFile, markFile, readLog } from '../../platform/storage/sqlite/care/log-file.ts';
import { readMark } from '../../platform/storage/sqlite/care/mark.ts';

/**
 * Ways to damage the files of a closed database, so that SQLite or a check of the log can detect it. Damage of pages is
 * for a database that was closed cleanly, so that its log does not hold a newer version of the page; damage of the log
 * is for a server that was killed at least two seconds after it last stored something.
 */
export type DamageWay = (folder: string, random: () => number) => void;

/** Whether a server has marked its whole log, and some of it is nowhere else: from then on any loss of it is noticed. */
export function isLogMarked(folder: string): boolean {
  const mark = readMark(markFile(folder));
  return mark !== undefined && mark.frames > mark.checkpointed && mark.frames === readLog(logFile(folder))?.committed;
}

const B_TREE = new Set([0x02, 0x05, 0x0a, 0x0d]);

interface Page {
  readonly number: number;
  /** Where the header of its b-tree begins in the file. */
  readonly at: number;
  readonly start: number;
}

function pagesOf(bytes: Buffer): { size: number; pages: Page[] } {
  const reported = bytes.readUInt16BE(16);
  const size = reported === 1 ? 65_536 : reported;
  const free = new Set(freePages(bytes, size));
  const pages: Page[] = [];
  for (let number = 2; number * size <= bytes.length; number++) {
    const start = (number - 1) * size;
    // A page with cells: an empty one has no pointer to damage, and an overflow page begins with zeros.
    const isTree = B_TREE.has(bytes[start]!) && bytes.readUInt16BE(start + 3) > 0;
    if (isTree && !free.has(number)) pages.push({ number, at: start, start });
  }
  return { size, pages };
}

function freePages(bytes: Buffer, size: number): number[] {
  const found: number[] = [];
  for (let trunk = bytes.readUInt32BE(32); trunk !== 0; trunk = bytes.readUInt32BE((trunk - 1) * size)) {
    const start = (trunk - 1) * size;
    found.push(trunk);
    for (let leaf = 0; leaf < bytes.readUInt32BE(start + 4); leaf++)
      found.push(bytes.readUInt32BE(start + 8 + 4 * leaf));
  }
  return found;
}

function change(path: string, edit: (bytes: Buffer) => void): void {
  const bytes = readFileSync(path);
  edit(bytes);
  writeFileSync(path, bytes);
}

const pick = <T>(list: readonly T[], random: () => number): T => list[Math.floor(random() * list.length)]!;

const pageHeader: DamageWay = (folder, random) =>
  change(databaseFile(folder), (bytes) => {
    bytes[pick(pagesOf(bytes).pages, random).at] = 0x77;
  });

const cellPointer: DamageWay = (folder, random) =>
  change(databaseFile(folder), (bytes) => {
    const { at } = pick(pagesOf(bytes).pages, random);
    const headBytes = bytes[at] === 0x02 || bytes[at] === 0x05 ? 12 : 8;
    const cells = bytes.readUInt16BE(at + 3);
    bytes.writeUInt16BE(0xffff, at + headBytes + 2 * Math.floor(random() * cells));
  });

/** The list is said to begin at a page of a table, or beyond the end. */
const freeList: DamageWay = (folder, random) =>
  change(databaseFile(folder), (bytes) => {
    const { pages } = pagesOf(bytes);
    bytes.writeUInt32BE(random() < 0.5 ? pick(pages, random).number : 0x7fff_ffff, 32);
    bytes.writeUInt32BE(Math.max(1, bytes.readUInt32BE(36)), 36);
  });

const schemaPage: DamageWay = (folder, random) =>
  change(databaseFile(folder), (bytes) => {
    if (random() < 0.5) bytes[100] = 0x77;
    else bytes.writeUInt16BE(0xffff, 103);
  });

const fileHeader: DamageWay = (folder, random) =>
  change(databaseFile(folder), (bytes) => {
    bytes[Math.floor(random() * 16)]! ^= 0xff;
  });

const databaseCut: DamageWay = (folder, random) => {
  const { size } = statSync(databaseFile(folder));
  truncateSync(databaseFile(folder), Math.floor((size / 4096) * (0.2 + 0.6 * random())) * 4096);
};

const databaseEmpty: DamageWay = (folder) => truncateSync(databaseFile(folder), 0);
const databaseMissing: DamageWay = (folder) => rmSync(databaseFile(folder));

const FRAME_BYTES = 24 + 4096;

/** Three bad bytes in a frame that was committed; those behind the newest use of the log do not matter. */
const logFrame: DamageWay = (folder, random) =>
  change(logFile(folder), (bytes) => {
    const [salt1, salt2] = [bytes.readUInt32BE(16), bytes.readUInt32BE(20)];
    let frames = 0;
    const isOurs = (at: number) => bytes.readUInt32BE(at + 8) === salt1 && bytes.readUInt32BE(at + 12) === salt2;
    while (32 + (frames + 1) * FRAME_BYTES <= bytes.length && isOurs(32 + frames * FRAME_BYTES)) frames++;
    const start = 32 + Math.floor(random() * frames) * FRAME_BYTES;
    for (let count = 0; count < 3; count++) bytes[start + 24 + Math.floor(random() * 4096)]! ^= 0x55;
  });

const logHeader: DamageWay = (folder, random) =>
  change(logFile(folder), (bytes) => {
    bytes[Math.floor(random() * 24)]! ^= 0x55;
  });

const logCut: DamageWay = (folder, random) => {
  const { size } = statSync(logFile(folder));
  const file = openSync(logFile(folder), 'r+');
  ftruncateSync(file, Math.floor(size * (0.1 + 0.5 * random())));
  closeSync(file);
};

const logMissing: DamageWay = (folder) => rmSync(logFile(folder));

export const PAGE_DAMAGES = {
  pageHeader,
  cellPointer,
  freeList,
  schemaPage,
  fileHeader,
  databaseCut,
  databaseEmpty,
  databaseMissing,
};
export const LOG_DAMAGES = { logFrame, logHeader, logCut, logMissing };
