import { readdirSync, readFileSync } from 'node:fs';
import type pg from 'pg';

/** The kernel reports times in hundredths of a second, independent of its own clock. */
const TICK_MS = 10;

/** Milliseconds of processor time of a PostgreSQL server of this machine: of all its processes, including ended ones. */
export async function postgresCpuMs(client: pg.Client): Promise<number> {
  const { rows } = await client.query('SELECT pg_backend_pid() AS pid');
  const parent = fieldsOf(String(rows[0].pid))![1]!;
  const own = fieldsOf(parent)!;
  // Its own time, and that of the children it has seen end.
  let ticks = own.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  for (const pid of readdirSync('/proc').filter((name) => /^\d+$/.test(name))) {
    const fields = fieldsOf(pid);
    if (fields?.[1] === parent) ticks += Number(fields[11]) + Number(fields[12]);
  }
  return ticks * TICK_MS;
}

/** From the state on: after the name, which may have blanks. */
function fieldsOf(pid: string): string[] | undefined {
  try {
    return readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]!.split(' ');
  } catch {
    return undefined;
  }
}
