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

/** Both clocks are read at one time: `steady` is the monotonic time at `now`, by default that of the call. */
interface Uptime {
  /** For how many milliseconds since a moment a server was up. */
  since(moment: number, now: number, steady?: number): number;
  /** This server is still up. */
  note(now: number, steady?: number): Promise<void>;
}

/**
 * A wall clock that moves otherwise than the monotonic one by more than this was set, or the machine slept: silence
 * could not be detected in that time.
 */
const SET_MS = 2000;

/** @param monotonic milliseconds that pass evenly while the machine is awake, whatever happens to the clock */
export async function startUptime(
  store: Store,
  now: number,
  monotonic: () => number = () => performance.now(),
): Promise<Uptime> {
  const before = await readRuns(store);
  /** The last stored runs, including the runs of other servers. */
  let stored: readonly Run[] = [];
  let from = now;
  let last = { wall: now, steady: monotonic() };
  /** The time the clock had reached before it was set back: data received until then is not from the future. */
  let aheadUntil = Number.NEGATIVE_INFINITY;
  await begin(store, now);

  /** The wall clock says `until`: whether it went on evenly since it was last looked at. */
  function look(until: number, steady: number): boolean {
    // It was read before what is known already.
    if (steady < last.steady) return true;
    const expected = last.wall + (steady - last.steady);
    const isSet = Math.abs(until - expected) > SET_MS;
    if (isSet) {
      before.push({ from, until: Math.max(from, expected) });
      if (until < expected) aheadUntil = Math.max(aheadUntil, expected);
      from = until;
    }
    last = { wall: until, steady };
    return !isSet;
  }

  return {
    since(moment, until, steady = monotonic()) {
      look(until, steady);
      const reportedAt = moment > until && moment <= aheadUntil ? from : moment;
      return upSince(reportedAt, [...before, ...stored, { from, until }], until);
    },
    async note(until, steady = monotonic()) {
      const run = from;
      const end = last.wall + (steady - last.steady);
      if (!look(until, steady)) {
        await store.query
          .updateTable('settings')
          .set({ value: String(Math.round(end)) })
          .where('name', '=', `${NAME}${run}`)
          .execute();
        await begin(store, from);
        return;
      }
      await begin(store, from);
      await store.query
        .updateTable('settings')
        .set({ value: String(until) })
        .where('name', '=', `${NAME}${from}`)
        .execute();
      if (store.dialect.isShared) stored = await readRuns(store);
    },
  };
}

async function begin(store: Store, from: number): Promise<void> {
  await store.query
    .insertInto('settings')
    .values({ name: `${NAME}${from}`, value: String(from) })
    .onConflict((on) => on.column('name').doNothing())
    .execute();
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

/** Runs of several servers may overlap. If a clock was set back later, a part may be in the future. */
function upSince(moment: number, runs: readonly Run[], now: number): number {
  let counted = moment;
  let upMs = 0;
  for (const { from, until } of runs.toSorted((a, b) => a.from - b.from)) {
    const end = Math.min(until, now);
    upMs += Math.max(0, end - Math.max(from, counted));
    counted = Math.max(counted, end);
  }
  return upMs;
}
