import { randomUUID } from 'node:crypto';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { ofMachine, timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { NODE_GONE_MS } from '../../../platform/storage/migrations.ts';
import { failureLog } from '../../../platform/storage/trouble.ts';
import { countRows, findRow } from '../../rows.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { NodeRow } from '../../schema/rows/fleet-tool-rows.ts';
import type { Store } from '../../schema/tables.ts';
import { VERSION } from '../info.ts';

const BEAT_MS = 2000;
/** How long a node that is gone is still listed. */
const KEPT_MS = 3_600_000;
/** The finest delay that is measured. A finer one would wake a process that has nothing to do more often. */
const RESOLUTION_MS = 100;

/** What a node reports in addition to its name. */
export interface NodeFigures {
  readonly reportsPerMinute: number;
  readonly positionsPerMinute: number;
  readonly streams: number;
  readonly memoryBytes: number;
}

export interface NodeOptions {
  readonly name: string;
  /** Where it listens; empty until it does. */
  address(): string;
  readonly log: Pick<Log, 'warn' | 'error'>;
  figures(): NodeFigures;
  /** What this node alone does at the moment, and how many of it. */
  owns(): Readonly<Record<string, number>>;
  /** The database was changed by a newer version so that this one can't go on. */
  outdated(): void;
  readonly beatMs?: number;
  /** For tests. */
  readonly version?: string;
}

/** This process as one of several that share the database. */
export interface OwnNode {
  readonly id: string;
  readonly name: string;
  /** The current row, in the form that other nodes read. */
  row(): NodeRow;
  /** The maximum delay of its work in milliseconds since the last report. */
  lagMs(): number;
  /** How many nodes run, this one included, as far as known. */
  count(): number;
  /** Tells the others that it is here, and looks who else is: at once, where something changed that they want to know. */
  beat(): Promise<void>;
  stop(): Promise<void>;
}

/**
 * Reports to the other nodes every two seconds that this one runs, and detects nodes that are gone. With SQLite there
 * are no others: nothing is written.
 */
export async function startNode(store: Store, options: NodeOptions): Promise<OwnNode> {
  const { name, address, log, figures, owns, version = VERSION } = options;
  const id = randomUUID();
  const schema = MIGRATIONS.at(-1)!.name;
  const startedAt = timeNow();
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const { isShared } = store.dialect;
  delay.enable();
  let running = 1;
  let isOutdated = false;

  const lagMs = () => Math.max(0, Math.round(delay.max / 1e6) - RESOLUTION_MS);
  const row = (): NodeRow => ({
    id,
    name,
    version,
    schema,
    address: address(),
    startedAt,
    seenAt: timeNow(),
    goneAt: null,
    lagMs: lagMs(),
    clockAheadMs: Math.round(ofMachine() - timeNow()),
    figures: JSON.stringify(figures()),
    owns: JSON.stringify(owns()),
  });

  async function beat(): Promise<void> {
    const { id: _id, ...rest } = row();
    delay.reset();
    await store.query
      .insertInto('nodes')
      .values({ id, ...rest })
      .onConflict((on) => on.column('id').doUpdateSet(rest))
      .execute();
    const now = timeNow();
    for (const gone of await noteGone(store, now))
      log.warn({ node: gone.name }, `Node ${gone.name} is gone: it has not reported for a while`);
    await store.query
      .deleteFrom('nodes')
      .where('goneAt', '<', now - KEPT_MS)
      .execute();
    running = await countRunning(store);
    if (!isOutdated && (await isLeftBehind(store))) {
      isOutdated = true;
      log.error({ version }, 'A newer version has migrated the database, and this version cannot continue: it stops');
      options.outdated();
    }
  }

  const failed = failureLog(log as Log);
  let beating: Promise<void> = Promise.resolve();
  const turn = () => {
    beating = beating.then(beat).catch((error) => failed(error, 'Reporting this node to the other nodes failed'));
  };
  if (isShared) await beat();
  const timer = setInterval(isShared ? turn : () => delay.reset(), options.beatMs ?? BEAT_MS).unref();
  return {
    id,
    name,
    row,
    lagMs,
    async beat() {
      if (isShared) turn();
      await beating;
    },
    count: () => running,
    async stop() {
      clearInterval(timer);
      delay.disable();
      if (!isShared) return;
      await beating;
      // Others need not wait to see that it is gone.
      const goneAt = timeNow();
      await store.query
        .updateTable('nodes')
        .set({ goneAt, owns: '{}' })
        .where('id', '=', id)
        .execute()
        .catch(() => {});
    },
  };
}

/** Of several nodes that look at the same time, one notes it. */
const noteGone = (store: Store, now: number) =>
  store.query
    .updateTable('nodes')
    .set({ goneAt: now, owns: '{}' })
    .where('goneAt', 'is', null)
    .where('seenAt', '<', now - NODE_GONE_MS)
    .returning('name')
    .execute();

const KNOWN = MIGRATIONS.map(({ name }) => name);

async function countRunning({ query }: Store): Promise<number> {
  const count = await countRows(query.selectFrom('nodes').where('goneAt', 'is', null));
  return Math.max(1, count);
}

/** Whether a migration was applied that this program does not know and can't work with. */
async function isLeftBehind({ query }: Store): Promise<boolean> {
  const unknown = await query
    .selectFrom('migrations')
    .select('name')
    .where('name', 'not in', KNOWN)
    .where(({ fn, val }) => fn.coalesce('suitsOlderNodes', val(0)), '=', 0)
    .limit(1)
    .executeTakeFirst();
  return unknown !== undefined;
}

const LOOK_MS = 2000;

/** An operator's wish that a node ends its work, kept until the node has done so. Its value is when it stops. */
export const drainName = (nodeId: string) => `drain ${nodeId}`;

interface DrainOptions {
  readonly log: Log;
  /** Called once, when the time has come. */
  stop(): void;
  readonly lookMs?: number;
}

/** Whether this node is to hand over: it is not ready any more, so that balancers turn away, and stops after a while. */
interface Drain {
  isDraining(): boolean;
  look(): Promise<void>;
  stop(): Promise<void>;
}

/** Looks from time to time whether an operator wants the node to end. With SQLite there is no other to take over. */
export function watchDrain(store: Store, nodeId: string, { log, stop, lookMs = LOOK_MS }: DrainOptions): Drain {
  let stopsAt: number | undefined;
  let isStopping = false;

  async function look(): Promise<void> {
    if (isStopping) return;
    const wish = await findRow(store.query, 'settings', { name: drainName(nodeId) }, ['value']);
    if (wish === undefined) {
      stopsAt = undefined;
      return;
    }
    if (stopsAt === undefined) log.warn({}, 'This node is being drained: it is no longer ready, and will stop');
    stopsAt = Number(wish.value);
    if (timeNow() < stopsAt) return;
    isStopping = true;
    stop();
  }

  const failed = failureLog(log);
  let looking: Promise<void> = Promise.resolve();
  const turn = () => {
    looking = looking.then(look).catch((error) => failed(error, 'Checking whether this node is drained failed'));
  };
  const timer = store.dialect.isShared ? setInterval(turn, lookMs).unref() : undefined;
  return {
    isDraining: () => stopsAt !== undefined,
    look,
    async stop() {
      clearInterval(timer);
      await looking;
      if (stopsAt === undefined) return;
      await store.query
        .deleteFrom('settings')
        .where('name', '=', drainName(nodeId))
        .execute()
        .catch(() => {});
    },
  };
}
