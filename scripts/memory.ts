import { readFileSync, statfsSync } from 'node:fs';

const PLACE = '/dev/shm';
/** A run has about one gigabyte at a time. */
const ENOUGH_BYTES = 4 * 2 ** 30;

/** Has everything temporary of this process and its children lie in memory, where there is enough: no test is about a disk. */
export function useMemory(): void {
  if (process.env.TMPDIR === undefined && isFit()) process.env.TMPDIR = PLACE;
}

/** PostgreSQL may have to run from there. */
function isFit(): boolean {
  try {
    const mounted = readFileSync('/proc/mounts', 'utf8')
      .split('\n')
      .find((line) => line.split(' ')[1] === PLACE);
    const { bavail, bsize } = statfsSync(PLACE);
    return mounted !== undefined && !/\bnoexec\b/.test(mounted) && bavail * bsize > ENOUGH_BYTES;
  } catch {
    return false;
  }
}
