import { setTimeout } from 'node:timers/promises';
import { type Expression, type RawBuilder, type SqlBool, sql } from 'kysely';
import type { Log } from '../log.ts';
import { lockableTogether } from './bulk.ts';
import type { AnyDatabase, AnyQuery } from './database.ts';
import { failureLog, StoreTrouble } from './trouble.ts';

/**
 * A transaction at the server of a device that also wrote to a table of the coordinator would be committed in two
 * phases. So such rows are staged in the shard of the device, and a relay moves them right after. What a node left
 * behind, since it died or the store failed, is moved by the node that runs the timers of the device.
 */

/** A row of a staging table, whose columns also include `deviceId`. */
export interface StagedRow {
  readonly id: number;
  readonly created: number;
}

/** Where rows are staged, and how they are moved. */
export interface Staging<Row extends StagedRow> {
  readonly table: string;
  /** Writes rows where they belong, in the transaction that removes them; returns how many it dropped. */
  write(tx: AnyQuery, rows: readonly Row[], now: number): Promise<number>;
}

export interface Relay {
  /** Something of these devices was staged and committed. */
  wake(deviceIds: readonly number[]): void;
  /** Resolves once nothing is under way. For tests. */
  idle(): Promise<void>;
  /** What is not moved by then waits for another node, or the next start. */
  stop(): Promise<void>;
}

interface RelayOptions {
  readonly log: Log;
  readonly clock: () => number;
  /** Called once something was moved. */
  readonly moved: () => void;
  /** The condition on staged rows that this process runs the timers of their device; without it, it runs all. */
  readonly owned?: () => Expression<SqlBool>;
  /** How often it looks for what was left behind. */
  readonly everyMs?: number;
}

const LOOK_MS = 1000;
/** Rows that are woken for again within this time are moved together. */
const GATHER_MS = 20;
/** Shards whose rows are moved at a time: others need connections too. */
const AT_ONCE = 2;
/** Rows that one transaction moves. */
const MOST_MOVED = 500;

interface Selection<Row extends StagedRow> {
  readonly staging: Staging<Row>;
  /** Devices of one shard. */
  readonly which: RawBuilder<boolean>;
}

const isOf = (deviceIds: Iterable<number>) =>
  sql<boolean>`"deviceId" = ANY(CAST(${`{${[...deviceIds].join(',')}}`} AS BIGINT[]))`;

/**
 * In one transaction: if it fails, rows stay as they were. The rows are locked in the order of their ids, so another relay
 * waits, and the rows of a device stay in their order. Only rows that this transaction deletes are written:
 * a row that was read but cannot be deleted was moved by another relay.
 * @param taking called with the id of the first row, before anything can be wrong with it
 */
async function moveSome<Row extends StagedRow>(
  tx: AnyQuery,
  { staging, which }: Selection<Row>,
  { now, most = MOST_MOVED, taking }: { now: number; most?: number; taking?: (first: number) => void },
): Promise<{ taken: number; dropped: number }> {
  const found = tx.selectFrom(staging.table).selectAll().where(which).orderBy('id').limit(most).forUpdate();
  const rows = (await found.execute()) as Row[];
  if (rows.length === 0) return { taken: 0, dropped: 0 };
  taking?.(rows[0]!.id);
  const removed = new Set(
    await remove(
      tx,
      { staging, which },
      rows.map(({ id }) => id),
    ),
  );
  const moved = rows.filter(({ id }) => removed.has(id));
  return { taken: moved.length, dropped: moved.length === 0 ? 0 : await staging.write(tx, moved, now) };
}

/** The ids of the rows that were there. */
async function remove<Row extends StagedRow>(
  tx: AnyQuery,
  { staging, which }: Selection<Row>,
  ids: readonly number[],
): Promise<number[]> {
  const removed = await tx
    .deleteFrom(staging.table)
    .where(which)
    .where(sql<boolean>`"id" = ANY(CAST(${`{${ids.join(',')}}`} AS BIGINT[]))`)
    .returning('id')
    .execute();
  return removed.map(({ id }) => Number(id));
}

/** Moves all staged rows of a device, in a transaction that needs to see them where they belong. */
export async function relayDevice<Row extends StagedRow>(
  tx: AnyQuery,
  staging: Staging<Row>,
  deviceId: number,
  now: number,
): Promise<void> {
  const which = isOf([deviceId]);
  while ((await moveSome(tx, { staging, which }, { now })).taken === MOST_MOVED);
}

type GroupOptions = Pick<RelayOptions, 'clock'> & { readonly log: Pick<Log, 'warn' | 'error'> };

/** Moves all staged rows of all devices. */
export async function relayAll<Row extends StagedRow>(
  store: AnyDatabase,
  staging: Staging<Row>,
  options: GroupOptions,
): Promise<void> {
  const staged = await stagedDevices(store, staging);
  for (const deviceIds of lockableTogether(store.query, staged)) await relayShard(store, staging, deviceIds, options);
}

/** Devices with staged rows. */
async function stagedDevices<Row extends StagedRow>(
  { query }: AnyDatabase,
  { table }: Staging<Row>,
  owned: Expression<SqlBool> = sql`1 = 1`,
): Promise<number[]> {
  const rows = await query.selectFrom(table).select('deviceId').distinct().where(owned).execute();
  return (rows as { deviceId: number }[]).map(({ deviceId }) => deviceId);
}

async function relayShard<Row extends StagedRow>(
  store: AnyDatabase,
  staging: Staging<Row>,
  deviceIds: Iterable<number>,
  { log, clock }: GroupOptions,
  goOn: () => boolean = () => true,
): Promise<void> {
  const selection = { staging, which: isOf(deviceIds) };
  let most = MOST_MOVED;
  while (goOn()) {
    let first: number | undefined;
    const taking = (id: number) => {
      first = id;
    };
    try {
      const { taken, dropped } = await store.transaction((tx) =>
        moveSome(tx, selection, { now: clock(), most, taking }),
      );
      if (dropped > 0) log.warn({ dropped }, 'Staged rows of deleted users or devices were dropped');
      if (taken < most) return;
    } catch (error) {
      // The store may be better later. Any other error is about one of the rows: they are then moved one by one.
      if (error instanceof StoreTrouble || first === undefined) throw error;
      // A row that cannot be written, neither with others nor alone, must not block those behind it.
      if (most === 1) {
        log.error({ error, id: first }, 'A staged row cannot be written, and was dropped');
        await remove(store.query, selection, [first]);
      }
      most = 1;
    }
  }
}

/** Without distributed rows nothing is staged, and all was written when it was committed. */
export function startRelay<Row extends StagedRow>(
  store: AnyDatabase,
  staging: Staging<Row>,
  { log, clock, moved, owned, everyMs = LOOK_MS }: RelayOptions,
): Relay {
  const { shardOf } = store.dialect;
  if (shardOf === undefined) return { wake: moved, idle: async () => {}, stop: async () => {} };
  const failed = failureLog(log);
  /** Devices by shard. */
  const due = new Map<number, Set<number>>();
  let isStopping = false;
  let working: Promise<void> | undefined;
  let looking: Promise<void> | undefined;

  function wake(deviceIds: readonly number[]): void {
    for (const deviceId of deviceIds) {
      const shard = shardOf!(deviceId);
      due.set(shard, (due.get(shard) ?? new Set()).add(deviceId));
    }
    begin();
  }

  function begin(): void {
    if (due.size === 0 || isStopping) return;
    working ??= work().finally(() => {
      working = undefined;
      begin();
    });
  }

  async function work(): Promise<void> {
    while (due.size > 0 && !isStopping) {
      const some = [...due].slice(0, AT_ONCE);
      for (const [shard] of some) due.delete(shard);
      await Promise.all(some.map(([, deviceIds]) => move(deviceIds)));
      if (due.size > 0) await setTimeout(GATHER_MS, undefined, { ref: false });
    }
  }

  async function move(deviceIds: ReadonlySet<number>): Promise<void> {
    try {
      await relayShard(store, staging, deviceIds, { log, clock }, () => !isStopping);
      // Also if another was faster: it may have been a transaction of this process that needed the rows.
      moved();
    } catch (error) {
      failed(error, 'Staged rows could not be moved');
    }
  }

  async function look(): Promise<void> {
    wake(await stagedDevices(store, staging, owned?.()));
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) => failed(error, 'Looking for staged rows failed'))
      .finally(() => {
        looking = undefined;
      });
  }, everyMs).unref();

  return {
    wake,
    async idle() {
      while (looking || working) await (looking ?? working);
    },
    async stop() {
      isStopping = true;
      clearInterval(timer);
      await looking;
      await working;
    },
  };
}
