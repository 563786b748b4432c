import { chmodSync, readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';

/** Files of ours, and what other programs put into any folder. */
const OURS = /^trackway\b|^lost\+found$/;

/**
 * Lets nobody but their owner read the database, its log and its key. SQLite gives a new log the mode of the database.
 * The folder is closed too if it holds nothing else: it may be one that others share.
 */
export function keepPrivate(folder: string): void {
  // Windows has no modes: a folder of a user is that user's already.
  if (process.platform === 'win32') return;
  const names = readdirSync(folder);
  for (const name of names) if (/^trackway\b/.test(name)) close(join(folder, name), 0o600);
  if (names.every((name) => OURS.test(name))) close(folder, 0o700);
}

function close(path: string, mode: number): void {
  try {
    const stat = statSync(path);
    if (mode === 0o600 && !stat.isFile()) return;
    if ((stat.mode & 0o777 & ~mode) !== 0) chmodSync(path, mode);
  } catch {
    // It went away meanwhile, or belongs to another user who let this one in.
  }
}
