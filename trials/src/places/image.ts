import { execFile } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** A file system of its own, in a file that is mounted by loop. */
export interface Image extends AsyncDisposable {
  /** Where it is mounted. */
  readonly folder: string;
  /**
   * Copies the file itself, which has only what was flushed to it, as a disk has after a power cut, and mounts the copy
   * elsewhere.
   */
  copy(): Promise<Image>;
}

/** What keeps images from being mounted here. */
export function imagesMissing(): string | undefined {
  if (process.platform !== 'linux') return 'it needs Linux';
  if (process.getuid?.() !== 0) return 'only root can mount a file system';
  if (!existsSync('/dev/loop-control')) return 'there are no loop devices';
  return undefined;
}

export async function makeImage(megabytes: number): Promise<Image> {
  const home = mkdtempSync(join(tmpdir(), 'trial-image-'));
  const file = join(home, 'disk.ext4');
  await run('truncate', ['-s', `${megabytes}M`, file]);
  await run('mkfs.ext4', ['-q', '-m', '0', file]);
  return mounted(home, file);
}

async function mounted(home: string, file: string): Promise<Image> {
  const folder = join(home, 'disk');
  mkdirSync(folder);
  await run('mount', ['-o', 'loop', file, folder]);
  return {
    folder,
    async copy() {
      const other = mkdtempSync(join(tmpdir(), 'trial-image-'));
      const copied = join(other, 'disk.ext4');
      await run('cp', ['--sparse=always', file, copied]);
      return mounted(other, copied);
    },
    async [Symbol.asyncDispose]() {
      await run('umount', ['--lazy', folder]);
      rmSync(home, { recursive: true, force: true });
    },
  };
}
