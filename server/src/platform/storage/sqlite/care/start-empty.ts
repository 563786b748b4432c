import { mkdirSync, readdirSync, renameSync } from 'node:fs';
import { join } from 'node:path';
import { stamp } from './damage-record.ts';

/** The database with its log and its marker files. The caller holds the lock, and keys stay. */
export const OF_DATABASE = /^trackway\.(db|mark|damage|reserve)/;

/** Moves what is left of an older database into a folder of its own, so that a new one can begin. Nothing is deleted. */
export function setAside(folder: string, now: Date): string {
  const aside = join(folder, `before-${stamp(now)}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of readdirSync(folder)) if (OF_DATABASE.test(name)) renameSync(join(folder, name), join(aside, name));
  return aside;
}
