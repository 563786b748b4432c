import type { Store } from '../../schema/tables.ts';

/**
 * When servers were up: only then can silence be noticed. Each run of a server is stored with its end, which moves while
 * it runs, so that silence that began before a restart still counts after it.
 */

interface Run {
  readonly from: number;
  readonly until: number;
}

const NAME = 'up since ';
/** A server that restarts more often than this forgets how long it was up before. */
const MAX_RUNS = 200;

export interface Uptime {
  /** For how many milliseconds since a moment a server was up. */
  since(moment: number, now: number): number;
  /** This server is still up. */
  note(now: number): Promise<void>;
}

export async function startUptime(store: Store, now: number): Promise<Uptime> {
  const before = await readRuns(store);
  const name = `${NAME}${now}`;
  await store.query
    .insertInto('settings')
    .values({ name, value: String(now) })
    .onConflict((on) => on.column('name').doNothing())
    .execute();
  return {
    since: (moment, until) => upSince(moment, [...before, { from: now, until }]),
    async note(until) {
      await store.query
        .updateTable('settings')
        .set({ value: String(until) })
        .where('name', '=', name)
        .execute();
    },
  };
}

/** The oldest beyond the limit are deleted. */
async function readRuns(store: Store): Promise<Run[]> {
  const rows = await store.query.selectFrom('settings').selectAll().where('name', 'like', `${NAME}%`).execute();
  const runs = rows
    .map(({ name, value }) => ({ name, from: Number(name.slice(NAME.length)), until: Number(value) }))
    .sort((a, b) => b.from - a.from);
  for (const { name } of runs.splice(MAX_RUNS))
    await store.query.deleteFrom('settings').where('name', '=', name).execute();
  return runs.reverse();
}

/** Runs come in the order of their beginnings, and those of several servers may overlap. */
function upSince(moment: number, runs: readonly Run[]): number {
  let counted = moment;
  let upMs = 0;
  for (const { from, until } of runs) {
    upMs += Math.max(0, until - Math.max(from, counted));
    counted = Math.max(counted, until);
  }
  return upMs;
}
