import { setTimeout as pause } from 'node:timers/promises';
import { type Kysely, sql } from 'kysely';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { defineWork, type Work, type Workplace } from '../../platform/storage/work.ts';
import { installationLease } from '../schema/installation-lease.ts';
import { pointsView } from '../schema/migrations/0055-slim-positions.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { carryRows, isCarrying, OLD_POINTS } from './write.ts';

/**
 * Carries the positions of an earlier version over into the table of today, while everything else goes on: a slice in each
 * transaction, so that it can end at any time and goes on where it was. In the end the old table goes, and the view shows
 * the new one alone. Of several servers one does it.
 */

const SLICE = 2000;
/** For each moment of work so long a pause. */
const PATIENCE = 0.5;
const LEASE_MS = 60_000;
const RETRY_MS = 5000;
/** Shorter than PostgreSQL takes to see that two wait for each other, so that it is this one that gives way. */
const LOCK_MS = 500;
const TELL_MS = 10_000;

interface Slice {
  /** The last id that was looked at; undefined where there are no more. */
  readonly last: number | undefined;
  readonly rows: number;
}

class CarrySlice implements Work<Tables, number, Slice, Slice> {
  readonly #storeKind: StoreKind;

  constructor({ storeKind }: Workplace<Tables>) {
    this.#storeKind = storeKind;
  }

  async run(tx: Kysely<Tables>, after: number): Promise<Slice> {
    const asked = tx.selectFrom('oldPoints').select('id').where('id', '>', after).orderBy('id').limit(SLICE);
    const ids = (await asked.execute()).map(({ id }) => id);
    return { last: ids.at(-1), rows: ids.length === 0 ? 0 : await carryRows(tx, this.#storeKind, ids) };
  }

  committed(slice: Slice): Slice {
    return slice;
  }
}

export const carrySlice = defineWork(import.meta.url, (workplace: Workplace<Tables>) => new CarrySlice(workplace));

/** How far positions of an earlier version are carried over. */
export interface CarryProgress {
  readonly done: number;
  readonly of: number;
}

export interface CarryOver {
  /** Undefined where there is nothing to do, or not by this process. */
  progress(): CarryProgress | undefined;
  /** Resolves once all is carried over, or it was stopped. */
  readonly ended: Promise<void>;
  stop(): Promise<void>;
}

export function startCarryOver(store: Store, log: Log): CarryOver {
  const stopping = new AbortController();
  const { signal } = stopping;
  const lease = installationLease(store, 'oldPointsLease', LEASE_MS);
  const carry = store.work(carrySlice, {});
  let progress: CarryProgress | undefined;

  async function carryAll(): Promise<void> {
    const { count } = await store.query
      .selectFrom(OLD_POINTS)
      .select(({ fn }) => fn.countAll<number>().as('count'))
      .executeTakeFirstOrThrow();
    progress = { done: 0, of: Number(count) };
    log.info(progress, 'Positions of an earlier version are being carried over');
    let toldAt = performance.now();
    for (let after = 0; !signal.aborted; ) {
      const startedAt = performance.now();
      const { last, rows } = await carry(after);
      if (last === undefined) return;
      after = last;
      progress = { ...progress, done: progress.done + rows };
      if (performance.now() - toldAt > TELL_MS) {
        toldAt = performance.now();
        log.info(progress, 'Positions of an earlier version are being carried over');
        if (!(await lease.hold(timeNow()))) return;
      }
      await rest((performance.now() - startedAt) * PATIENCE);
    }
  }

  const rest = (ms: number) => pause(ms, undefined, { signal, ref: false }).catch(() => {});

  async function run(): Promise<void> {
    while (!signal.aborted && (await isLeft(store))) {
      try {
        if (await lease.hold(timeNow())) {
          await carryAll();
          if (!signal.aborted && (await finish(store)))
            log.info('All positions of an earlier version were carried over');
        }
      } catch (error) {
        log.warn({ err: error }, 'Carrying over positions of an earlier version failed; it is tried again');
      }
      progress = undefined;
      if (!signal.aborted && (await isLeft(store))) await rest(RETRY_MS);
    }
    await lease.release();
  }

  const ended = run().catch((error) => {
    if (!signal.aborted) log.error({ err: error }, 'Positions of an earlier version could not be carried over');
  });
  return {
    progress: () => progress,
    ended,
    async stop() {
      stopping.abort();
      await ended;
    },
  };
}

const isLeft = ({ query }: Pick<Store, 'query'>) => isCarrying(query);

/** False where somebody else uses it just now, or some are left. */
async function finish(store: Store): Promise<boolean> {
  const { storeKind } = store;
  const view = pointsView(storeKind, { hasOld: false });
  return store.transaction(async (tx) => {
    const run = (text: string) => sql.raw(text).execute(tx);
    if (storeKind === 'postgres') {
      await run(`SET LOCAL lock_timeout = ${LOCK_MS}`);
      await run(`LOCK TABLE "${OLD_POINTS}" IN ACCESS EXCLUSIVE MODE`);
    }
    if ((await tx.selectFrom(OLD_POINTS).select('id').limit(1).execute()).length > 0) return false;
    await tx.deleteFrom('settings').where('name', '=', OLD_POINTS).execute();
    if (storeKind === 'postgres') await run(view.replace('CREATE VIEW', 'CREATE OR REPLACE VIEW'));
    else {
      await run('DROP VIEW "points"');
      await run(view);
    }
    await run(`DROP TABLE "${OLD_POINTS}"`);
    return true;
  });
}
