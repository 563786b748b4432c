import { stat, statfs } from 'node:fs/promises';
import type { Log } from '../../../log.ts';
import type { StoreCondition } from '../../condition.ts';
import { logFile, reserveFile } from './files.ts';
import { giveReserve, makeReserve, reserveBytes } from './reserve.ts';

/** A disk with less free space than both of these is nearly full. */
const LOW_BYTES = 2_000_000_000;
const LOW_PART = 0.1;
/** With less than this part of the reserve free, the disk counts as full before a write fails. */
const EMPTY_PART = 0.25;
const GIGABYTE = 1_000_000_000;

/**
 * Watches the space on the disk of the database. When it is full, devices are told to send again later, and the reserve
 * is given back, so that people can still sign in and delete. Once there is space again, it is reserved again.
 */
export function watchDisk(folder: string, condition: StoreCondition, log: Log): { look(): Promise<void> } {
  const reserve = reserveFile(folder);
  condition.onTrouble(({ kind }) => {
    if (kind === 'full') becomeFull();
  });

  function becomeFull(): void {
    if (condition.has('full')) return;
    condition.set('full', {
      kind: 'full',
      sentence:
        'The disk with the data folder is full: reports of devices are refused until there is space. Free up space.',
    });
    giveReserve(reserve);
    log.error(
      { folder },
      'The disk with the data folder is full. Reports of devices are refused until there is space.',
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
