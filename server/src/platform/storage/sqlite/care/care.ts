import { randomFillSync } from 'node:crypto';
import { closeSync, fsyncSync, openSync, rmSync, statSync, writeSync } from 'node:fs';
import { stat, statfs } from 'node:fs/promises';
import type { Log } from '../../../log.ts';
import type { StoreCondition } from '../../condition.ts';
import { checkDatabaseFile, type DatabaseCheck } from './examine.ts';
import { databaseFile, logFile, reserveFile } from './log-file.ts';

interface CareOptions {
  readonly log: Log;
  /** What was lost with the log, as found before the database was opened. */
  readonly losses: readonly string[];
  /** The operator wants writes in spite of damage. */
  readonly isAccepted: boolean;
}

const LOOK_MS = 2000;
/** The first check leaves the start alone. */
const FIRST_CHECK_MS = 3000;
const CHECK_MS = 24 * 3_600_000;

/** Looks after the files of a database while a server runs on it: damage, space, and whether they are still there. */
export function startCare(
  folder: string,
  condition: StoreCondition,
  { log, losses, isAccepted }: CareOptions,
): { stop(): Promise<void> } {
  const disk = watchDisk(folder, condition, log);
  const files = watchFiles(folder, condition, log);
  let check: DatabaseCheck | undefined;
  let isStopped = false;

  function foundDamage(name: string, found: readonly string[]): void {
    const first = found.slice(0, 3).join('; ');
    log.error({ folder, found }, 'THE DATABASE IS DAMAGED. Restore a backup with "trackway restore".');
    const consequence = isAccepted
      ? 'Writes are accepted nevertheless (TRACKWAY_ACCEPT_DAMAGE).'
      : 'Nothing is written any more. Restore a backup with "trackway restore", or set TRACKWAY_ACCEPT_DAMAGE=true to continue with the remaining data.';
    condition.set(name, {
      kind: 'damaged',
      refuses: !isAccepted,
      isWarning: isAccepted,
      sentence: `The database is damaged: ${first}${/[.!]$/.test(first) ? '' : '.'} ${consequence}`,
    });
  }
  if (losses.length > 0) foundDamage('lost', losses);
  condition.onTrouble(({ kind, message }) => {
    if (kind === 'damaged') void meet(message);
  });
  async function meet(message: string): Promise<void> {
    if (condition.has('found') || condition.has('met') || (await isGone())) return;
    foundDamage('met', [message]);
  }

  /** Files that were removed or replaced no longer belong to the database. */
  async function isGone(): Promise<boolean> {
    await files.look();
    return condition.has('gone');
  }

  async function checkNow(): Promise<void> {
    if (check !== undefined || isStopped || (await isGone())) return;
    const startedAt = performance.now();
    try {
      check = checkDatabaseFile(databaseFile(folder));
      const found = await check.findings;
      if (await isGone()) return;
      const seconds = Math.round((performance.now() - startedAt) / 100) / 10;
      condition.checkedAt = Date.now();
      if (found.length > 0) foundDamage('found', found);
      else log.info({ seconds }, 'The database was checked: no damage found');
    } catch (error) {
      if (!isStopped) log.error({ error }, 'The database could not be checked for damage');
    } finally {
      check = undefined;
    }
  }

  let looking: Promise<void> | undefined;
  function look(): void {
    looking ??= Promise.all([files.look(), disk.look()])
      .then(() => {})
      // A folder that is gone has no disk.
      .catch(() => {})
      .finally(() => {
        looking = undefined;
      });
  }
  look();
  const timers = [
    setInterval(look, LOOK_MS).unref(),
    setTimeout(checkNow, FIRST_CHECK_MS).unref(),
    setInterval(checkNow, CHECK_MS).unref(),
  ];
  return {
    async stop() {
      isStopped = true;
      for (const timer of timers) clearInterval(timer);
      await check?.end();
      await looking;
    },
  };
}

/** What identifies a file on a machine: another file of the same name has another identity. */
const identityOf = ({ dev, ino }: { dev: bigint; ino: bigint }) => `${dev}:${ino}`;

/**
 * Notices that the folder, the database or its log was removed or replaced. The open files live on without a name, and
 * what is written to them is gone with the process.
 */
function watchFiles(folder: string, condition: StoreCondition, log: Log): { look(): Promise<void> } {
  const known = new Map<string, string>();
  for (const path of [folder, databaseFile(folder), logFile(folder)]) {
    const seen = statSync(path, { bigint: true, throwIfNoEntry: false });
    if (seen) known.set(path, identityOf(seen));
  }

  return {
    async look() {
      const changed: string[] = [];
      for (const [path, identity] of known) {
        const now = await stat(path, { bigint: true }).then(identityOf, () => undefined);
        if (now !== identity) changed.push(path);
      }
      if (changed.length > 0 === condition.has('gone')) return;
      if (changed.length === 0) {
        condition.set('gone', undefined);
        log.warn({ folder }, 'The files of the database are in their place again.');
        return;
      }
      log.error({ changed }, 'Files of the database were removed or replaced. Nothing is written any more.');
      condition.set('gone', {
        kind: 'gone',
        refuses: true,
        sentence:
          'Files of the database were removed or replaced while the server runs. Nothing is written, because it would be lost. Put the files back, or restart the server.',
      });
    },
  };
}

/** A disk with less free space than both of these is nearly full. */
const LOW_BYTES = 2_000_000_000;
const LOW_PART = 0.1;
/** With less than this part of the reserve free, the disk counts as full before a write fails. */
const EMPTY_PART = 0.25;
const GIGABYTE = 1_000_000_000;

/**
 * Watches the space on the disk of the database. When it is full, devices are asked to send again later, and the
 * reserve is given back, so that people can still sign in and delete. Once there is space again, it is reserved again.
 */
function watchDisk(folder: string, condition: StoreCondition, log: Log): { look(): Promise<void> } {
  const reserve = reserveFile(folder);
  condition.onTrouble(({ kind }) => {
    if (kind === 'full') becomeFull();
  });

  function becomeFull(): void {
    if (condition.has('full')) return;
    condition.set('full', {
      kind: 'full',
      sentence:
        'The disk with the data folder is full: reports of devices are rejected until there is space. Free up space.',
    });
    giveReserve(reserve);
    log.error(
      { folder },
      'The disk with the data folder is full. Reports of devices are rejected until there is space.',
    );
  }

  return {
    async look() {
      const { bavail, blocks, bsize } = await statfs(folder);
      const [free, total] = [bavail * bsize, blocks * bsize];
      const logBytes = await stat(logFile(folder)).then(
        ({ size }) => size,
        () => 0,
      );
      condition.disk = { free, total, logBytes };
      const wanted = reserveBytes(total);
      if (condition.has('full')) {
        // Twice the reserve, since its own space became free.
        if (free < 3 * wanted) return;
        condition.set('full', undefined);
        log.warn({ folder, free }, 'The disk with the data folder has space again.');
      }
      if (free < wanted * EMPTY_PART) becomeFull();
      else if (free > 2 * wanted) makeReserve(reserve, wanted);
      const isLow = free < LOW_BYTES && free < total * LOW_PART;
      if (isLow === condition.has('low')) return;
      if (isLow) log.warn({ folder, free, total }, 'The disk with the data folder is nearly full.');
      condition.set(
        'low',
        isLow
          ? {
              kind: 'full',
              isWarning: true,
              sentence: `The disk with the data folder is nearly full: ${(free / GIGABYTE).toFixed(1)} GB are left. Free up space soon.`,
            }
          : undefined,
      );
    },
  };
}

const MOST_BYTES = 16 * 1024 * 1024;
/** Of a small disk at most this part. */
const PART = 50;
const CHUNK_BYTES = 256 * 1024;

/** How much space is reserved on a disk of this size. */
const reserveBytes = (totalBytes: number) => Math.min(MOST_BYTES, Math.floor(totalBytes / PART));

/** Fills the file with bytes that no file system can leave out. Returns false where there is no space for it. */
function makeReserve(path: string, bytes: number): boolean {
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
function giveReserve(path: string): void {
  rmSync(path, { force: true });
}
