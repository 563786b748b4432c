import { copyFileSync, existsSync, mkdirSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { damageFile, logFile } from './log-file.ts';

/**
 * What was lost with the log can't be seen any more once SQLite has recovered the rest, so it is written down until an
 * operator accepts it.
 */
export interface Damage {
  readonly at: string;
  readonly sentence: string;
}

export function readDamage(folder: string): Damage[] {
  try {
    return JSON.parse(readFileSync(damageFile(folder), 'utf8')) as Damage[];
  } catch {
    // A file that can't be read is damage as well, unless there is none.
    return existsSync(damageFile(folder)) ? [{ at: '', sentence: 'Data was lost at an earlier start.' }] : [];
  }
}

/** Also keeps a copy of the damaged log, because manual recovery may save more than SQLite does. */
export function recordDamage(folder: string, sentences: readonly string[], now: Date): void {
  if (sentences.length === 0) return;
  const at = now.toISOString();
  const all = [...readDamage(folder), ...sentences.map((sentence) => ({ at, sentence }))];
  writeFileSync(damageFile(folder), JSON.stringify(all, undefined, 2), { mode: 0o600, flush: true });
  try {
    copyFileSync(logFile(folder), `${logFile(folder)}.damaged-${stamp(now)}`);
  } catch {
    // It is missing, or there is no space for a copy.
  }
}

/** The operator accepts the damage. The record is kept under another name. */
export function acceptDamage(folder: string, now: Date): void {
  if (existsSync(damageFile(folder))) renameSync(damageFile(folder), `${damageFile(folder)}.accepted-${stamp(now)}`);
}

/** A time in the form that fits into file names. */
export const stamp = (now: Date) => now.toISOString().replaceAll(/[-:]|\.\d+/g, '');

/** The database with its log and its marker files. The caller holds the lock, and keys stay. */
export const OF_DATABASE = /^trackway\.(db|mark|damage|reserve)/;

/** Moves what is left of an older database into a folder of its own, so that a new one can begin. Nothing is deleted. */
export function setAside(folder: string, now: Date): string {
  const aside = join(folder, `before-${stamp(now)}`);
  mkdirSync(aside, { mode: 0o700 });
  for (const name of readdirSync(folder)) if (OF_DATABASE.test(name)) renameSync(join(folder, name), join(aside, name));
  return aside;
}
