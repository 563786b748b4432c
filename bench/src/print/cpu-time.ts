import { readFileSync } from 'node:fs';

/** The kernel reports times in hundredths of a second, independent of its own clock. */
const TICK_MS = 10;

/** Milliseconds of processor time of a process with all its threads; undefined if the system cannot report it. */
export function cpuTimeMs(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
