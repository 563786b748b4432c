import { execFileSync } from 'node:child_process';
import { closeSync, mkdirSync, mkdtempSync, openSync, rmSync, truncateSync, writeFileSync, writeSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

export interface SmallDisk {
  readonly folder: string;
  /** Fills what is free, to the last byte. */
  fill(): void;
  /** Removes what filled it. */
  empty(): void;
  remove(): void;
}

/** A real file system of its own size, in a file. Returns the reason where this machine or user can't have one. */
export function makeSmallDisk(megabytes: number): SmallDisk | string {
  if (process.platform !== 'linux') return 'needs the loop devices of Linux';
  if (process.getuid?.() !== 0) return 'needs root, to mount a file system';
  const place = mkdtempSync(join(tmpdir(), 'trackway-disk-'));
  const [image, folder] = [join(place, 'image'), join(place, 'disk')];
  try {
    writeFileSync(image, '');
    truncateSync(image, megabytes * 1024 * 1024);
    mkdirSync(folder);
    execFileSync('mkfs.ext4', ['-q', '-F', '-m', '0', image], { stdio: 'pipe' });
    execFileSync('mount', ['-o', 'loop', image, folder], { stdio: 'pipe' });
  } catch (error) {
    rmSync(place, { recursive: true, force: true });
    return `cannot mount a file system: ${(error as Error).message.split('\n')[0]}`;
  }
  let fillers = 0;
  return {
    folder,
    fill() {
      const file = openSync(join(folder, `filler-${fillers++}`), 'w');
      for (let bytes = 1 << 20; bytes >= 512; ) {
        try {
          writeSync(file, Buffer.alloc(bytes, 1));
        } catch (error) {
          if ((error as NodeJS.ErrnoException).code !== 'ENOSPC') throw error;
          bytes /= 2;
        }
      }
      closeSync(file);
    },
    empty() {
      for (let filler = 0; filler < fillers; filler++) rmSync(join(folder, `filler-${filler}`), { force: true });
      fillers = 0;
    },
    remove() {
      execFileSync('umount', [folder]);
      rmSync(place, { recursive: true, force: true });
    },
  };
}
