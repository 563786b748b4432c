import { statSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Log } from '../../../log.ts';
import type { StoreCondition } from '../../condition.ts';
import { databaseFile, logFile } from './files.ts';

/** What identifies a file on a machine: another file of the same name has another identity. */
const identityOf = ({ dev, ino }: { dev: bigint; ino: bigint }) => `${dev}:${ino}`;

/**
 * Notices that the folder, the database or its log was removed or replaced. The open files live on without a name, and
 * what is written to them is gone with the process.
 */
export function watchFiles(folder: string, condition: StoreCondition, log: Log): { look(): Promise<void> } {
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
          'Files of the database were removed or replaced while the server runs. Nothing is written, since it would be lost. Put them back, or restart the server.',
      });
    },
  };
}
