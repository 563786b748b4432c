import { closeSync, openSync, readSync, statSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { crc32 } from 'node:zlib';
import { databaseFile, isLater, type LogContent, logFile, markFile, readLog, sameGeneration } from './log-file.ts';
import { type Mark, readMark } from './mark.ts';

/** The database is missing or empty, but the folder holds traces of it. */
export class DatabaseLost extends Error {}

/**
 * Checks the files of a closed database, before SQLite recovers it: recovery takes what it can read of the log and
 * ignores the remainder. Returns what was lost, a sentence each.
 */
export function examineLog(folder: string): string[] {
  const mark = readMark(markFile(folder));
  const log = readLog(logFile(folder));
  const lost = lossOf(log, mark, () => mark !== undefined && isInDatabase(databaseFile(folder), mark));
  return lost === undefined ? [] : [lost];
}

/** Whether the database was closed in order: then there is nothing to look at. */
export function isClosed(folder: string): boolean {
  const mark = readMark(markFile(folder));
  const isCopied = mark === undefined || mark.frames <= mark.checkpointed;
  return isCopied && sizeOf(logFile(folder)) <= 0 && sizeOf(databaseFile(folder)) > 0;
}

/** Refuses a folder whose database is missing, so that it is not taken for a new installation. */
export function requireDatabaseOfTraces(folder: string): void {
  if (sizeOf(databaseFile(folder)) > 0) return;
  const traces = [logFile(folder), markFile(folder)].filter((path) => sizeOf(path) > 0);
  if (traces.length === 0) return;
  const state = sizeOf(databaseFile(folder)) === 0 ? 'is empty' : 'is missing';
  throw new DatabaseLost(
    `The database ${databaseFile(folder)} ${state}, but ${traces.join(' and ')} of an older one ${traces.length === 1 ? 'is' : 'are'} there. Put the database back, or restore a backup with "trackway restore FILE --replace". To start with an empty database on purpose, set TRACKWAY_START_EMPTY=true once.`,
  );
}

/** -1 where there is no such file. */
function sizeOf(path: string): number {
  return statSync(path, { throwIfNoEntry: false })?.size ?? -1;
}

function lossOf(log: LogContent | undefined, mark: Mark | undefined, isCopied: () => boolean): string | undefined {
  const needsLog = mark !== undefined && mark.frames > mark.checkpointed;
  if (log === undefined)
    return needsLog && !isCopied()
      ? lostPages('The write-ahead log is missing', mark.frames - mark.checkpointed)
      : undefined;
  const { generation, committed, provenLost } = log;
  if (generation === undefined) {
    if (needsLog) return lostPages('The write-ahead log has no valid header', mark.frames - mark.checkpointed);
    if (mark === undefined && provenLost !== undefined)
      return lostPages('The write-ahead log has no valid header', provenLost);
    return undefined;
  }
  if (mark !== undefined && sameGeneration(generation, mark) && committed < mark.frames)
    return lostPages(
      committed === 0
        ? 'The write-ahead log is cut off or damaged'
        : 'The write-ahead log is cut off or damaged inside',
      Math.max(mark.frames, provenLost ?? 0) - committed,
    );
  if (provenLost !== undefined) return lostPages('The write-ahead log is damaged inside', provenLost - committed);
  if (needsLog && !sameGeneration(generation, mark) && !isLater(generation, mark) && !isCopied())
    return lostPages('The write-ahead log is not the one that was written last', mark.frames - mark.checkpointed);
  return undefined;
}

/** Whether the database has most of the pages that were only in the log. A few of them may have changed since. */
function isInDatabase(path: string, { pages }: Mark): boolean {
  if (pages === undefined || pages.length === 0) return false;
  const file = openSync(path, 'r');
  try {
    const head = Buffer.alloc(18);
    readSync(file, head, 0, 18, 0);
    const reported = head.readUInt16BE(16);
    const content = Buffer.alloc(reported === 1 ? 65_536 : reported);
    const found = pages.filter(([page, checksum]) => {
      const length = readSync(file, content, 0, content.length, (page - 1) * content.length);
      return length === content.length && crc32(content) === checksum;
    });
    return 2 * found.length >= pages.length;
  } finally {
    closeSync(file);
  }
}

const lostPages = (what: string, pages: number) =>
  `${what}: ${pages} changed pages of committed transactions are lost.`;

export interface DatabaseCheck {
  /** What is wrong, a line each; empty if nothing is. */
  readonly findings: Promise<string[]>;
  end(): Promise<void>;
}

/**
 * Has SQLite check the structure of a database, in a thread of its own.
 * @param thorough also compares indexes with their tables and looks for rows that refer to nothing
 */
export function checkDatabaseFile(file: string, { thorough = false } = {}): DatabaseCheck {
  const worker = new Worker(new URL('./quick-check-worker.ts', import.meta.url), { workerData: { file, thorough } });
  const findings = new Promise<string[]>((resolve, reject) => {
    worker.once('message', resolve);
    worker.once('error', reject);
    worker.once('exit', () => reject(new Error('The check was interrupted.')));
  });
  findings.catch(() => {});
  return {
    findings,
    async end() {
      await worker.terminate();
    },
  };
}
