import { readFileSync } from 'node:fs';

/** The kernel counts in hundredths of a second for whoever asks, whatever its own clock. */
const TICK_MS = 10;

/** Milliseconds of processor that a process has used, all its threads together; undefined where the system can't tell. */
export function cpuTimeMs(pid: number): number | undefined {
  try {
    const fields = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
    return (Number(fields[11]) + Number(fields[12])) * TICK_MS;
  } catch {
    return undefined;
  }
}
