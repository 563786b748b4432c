import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

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

const QUIET_FOR_MS = 2000;
const QUIET_MS = 200;

/** Waits until a process has next to nothing to do: a server checks the structure of its database after its start. */
export async function untilQuiet(pid: number): Promise<void> {
  for (let before = cpuTimeMs(pid); before !== undefined; ) {
    await pause(QUIET_FOR_MS);
    const now = cpuTimeMs(pid) ?? before;
    if (now - before < QUIET_MS) return;
    before = now;
  }
}
