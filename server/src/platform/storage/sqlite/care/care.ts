import type { Log } from '../../../log.ts';
import type { StoreCondition } from '../../condition.ts';
import { databaseFile } from './files.ts';
import { checkDatabaseFile, type DatabaseCheck } from './quick-check.ts';
import { watchDisk } from './watch-disk.ts';
import { watchFiles } from './watch-files.ts';

export interface CareOptions {
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
      ? 'Writes are accepted in spite of it (TRACKWAY_ACCEPT_DAMAGE).'
      : 'Nothing is written any more. Restore a backup with "trackway restore", or set TRACKWAY_ACCEPT_DAMAGE=true to go on with what is left.';
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

  /** What is read of files that were taken away or replaced says nothing of the database. */
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
