import { lstatSync, mkdirSync } from 'node:fs';
import { enableCompileCache } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Keeps compiled sources for later starts, which then load them in a fifth of the time. `NODE_COMPILE_CACHE` names
 * another folder. Threads are told of it by the environment.
 */
export function useCompileCache(): void {
  if (process.env.NODE_COMPILE_CACHE !== undefined) return;
  const folder = ownFolder(join(tmpdir(), `trackway-compiled-${process.getuid?.() ?? 'own'}`));
  if (folder === undefined) return;
  const { directory } = enableCompileCache(folder);
  if (directory !== undefined) process.env.NODE_COMPILE_CACHE = folder;
}

/** What is compiled is run: nobody else may write there, also where all users share a folder for what is temporary. */
export function ownFolder(folder: string): string | undefined {
  try {
    mkdirSync(folder, { mode: 0o700, recursive: true });
    const found = lstatSync(folder);
    // Windows has a temporary folder for each user.
    const isOwn = process.getuid === undefined || (found.uid === process.getuid() && (found.mode & 0o077) === 0);
    return found.isDirectory() && isOwn ? folder : undefined;
  } catch {
    return undefined;
  }
}
