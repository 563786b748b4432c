import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { failureLog } from '../../../platform/storage/failure-log.ts';
import { isRenewalDue } from '../../../platform/storage/lease.ts';
import { ALL_SLOTS, isListed, type OwnedSlots, type SlotList } from '../../schema/owned-slots.ts';
import { SLOTS } from '../../schema/slot.ts';
import type { Store } from '../../schema/tables.ts';
import { shareSlots } from './share-slots.ts';

/**
 * Which slots this node keeps the clocks of, by leases that go by the clock of the database. What falls due is decided
 * once even where two nodes believe that a slot is theirs, since rows are locked and occasions claimed: a lease spares the
 * others the work.
 */
export interface SlotClocks extends OwnedSlots {
  /** From now on, as this node. */
  start(node: string): Promise<void>;
  /** Holds its slots, takes and gives what makes the shares even. */
  look(): Promise<void>;
  /** Hands its slots to the others. Nothing may be decided any more by then. */
  stop(): Promise<void>;
}

export interface SlotClocksOptions {
  readonly log: Pick<Log, 'error'>;
  readonly everyMs?: number;
  /** How long the slots of a node that died stand still. */
  readonly leaseMs?: number;
}

const LOOK_MS = 1000;
const LEASE_MS = 10_000;
/** The end of a lease is taken to be earlier, since clocks are compared no more exactly than that. */
const MARGIN_MS = 500;
/** Nodes that know no migration as new as this take no slots. */
const FIRST_SCHEMA = '0039';

const OFF: SlotClocks = { ...ALL_SLOTS, start: async () => {}, look: async () => {}, stop: async () => {} };

/** With SQLite there is one process, which has all slots: nothing is written or looked at. */
export const slotClocks = (store: Store, options: SlotClocksOptions): SlotClocks =>
  store.storeKind === 'sqlite' ? OFF : sharedClocks(store, options);

interface SlotRow {
  readonly slot: number;
  readonly owner: string | null;
  readonly until: number | null;
}

function sharedClocks(store: Store, { log, everyMs = LOOK_MS, leaseMs = LEASE_MS }: SlotClocksOptions): SlotClocks {
  const statements = statementsOf(store);
  const failed = failureLog(log as Log);
  let own: string | undefined;
  let held: readonly number[] = NONE;
  let list: SlotList = NONE;
  let heldUntil = 0;
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;

  function hold(rows: readonly SlotRow[]): void {
    const slots = rows.map(({ slot }) => slot).sort((a, b) => a - b);
    heldUntil = Math.min(...rows.map(({ until }) => until!));
    if (slots.join() === held.join()) return;
    held = slots;
    list = slots.length === SLOTS ? undefined : slots;
  }

  /** Who has which slot, and which nodes run. What has ended is nobody's, whoever had it. */
  async function see() {
    const [rows, nodes] = await Promise.all([statements.rows.all(), statements.nodes.all(timeNow() - leaseMs)]);
    const now = timeNow();
    const owners = rows.map(({ owner, until }) => (owner !== null && until! > now ? owner : undefined));
    return { now, rows, owners, running: nodes.map(({ id }) => id) };
  }

  async function look(node: string): Promise<void> {
    const { now, rows, owners, running } = await see();
    const { give, take } = shareSlots(owners, [...new Set([node, ...running])], node);
    let mine = rows.filter(({ slot }) => owners[slot] === node && !give.has(slot));
    // First, so that nothing more is decided for those that are given away.
    hold(mine);
    await statements.give(give, node, now + leaseMs);
    if (mine.some(({ until }) => isRenewalDue(until!, leaseMs, now)))
      mine = await statements.renew(mine, node, now + leaseMs);
    hold([...mine, ...(await statements.take(take, node, now, now + leaseMs))]);
  }

  async function handOver(node: string): Promise<void> {
    const { now, owners, running } = await see();
    const others = running.filter((id) => id !== node);
    await statements.give(shareSlots(owners, others, node).give, node, now + leaseMs);
    await statements.release(node);
  }

  const turn = () => {
    if (isLooking || own === undefined) return;
    isLooking = true;
    looking = look(own)
      .catch((error) => failed(error, 'Sharing the clocks of devices with other nodes failed'))
      .finally(() => {
        isLooking = false;
      });
  };

  const now = () => (timeNow() < heldUntil - MARGIN_MS ? list : NONE);
  return {
    now,
    has: (id) => isListed(now(), id),
    look: () => look(own!),
    async start(node) {
      own = node;
      await look(node);
      timer = setInterval(turn, everyMs).unref();
    },
    async stop() {
      clearInterval(timer);
      await looking;
      if (own === undefined) return;
      const node = own;
      own = undefined;
      hold([]);
      await handOver(node).catch((error) => failed(error, 'Handing the clocks of devices to other nodes failed'));
    },
  };
}

const NONE: readonly number[] = [];
const EVERY = Array.from({ length: SLOTS }, (_, slot) => slot);

/** All of them by number, for people. */
export const listedSlots = (owned: OwnedSlots): number[] => [...(owned.now() ?? EVERY)];

const listed = (all: Iterable<number | string>) => `{${[...all].join(',')}}`;

/** Slots are locked in their order, or left where another has them: nodes never wait for each other in a circle. */
const lockedOf = (condition: string) =>
  `SELECT "slot" FROM "slotClocks" WHERE "slot" = ANY(CAST(? AS BIGINT[])) AND ${condition} ORDER BY "slot" FOR UPDATE`;

function statementsOf(store: Store) {
  const renew = store.prepare<SlotRow>(
    'slots.renew',
    `UPDATE "slotClocks" SET "until" = ? WHERE "slot" IN (${lockedOf('"owner" = ?')}) RETURNING "slot", "owner", "until"`,
  );
  const take = store.prepare<SlotRow>(
    'slots.take',
    `UPDATE "slotClocks" SET "owner" = ?, "until" = ?
     WHERE "slot" IN (${lockedOf('("owner" IS NULL OR "until" <= ?)')} SKIP LOCKED) RETURNING "slot", "owner", "until"`,
  );
  const give = store.prepare(
    'slots.give',
    `UPDATE "slotClocks" SET "owner" = given."to", "until" = ?
     FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) AS given ("slot", "to")
     WHERE "slotClocks"."slot" = given."slot" AND "slotClocks"."owner" = ?`,
  );
  const release = store.prepare(
    'slots.release',
    'UPDATE "slotClocks" SET "owner" = NULL, "until" = NULL WHERE "owner" = ?',
  );
  return {
    rows: store.prepare<SlotRow>('slots.clocks', 'SELECT "slot", "owner", "until" FROM "slotClocks" ORDER BY "slot"'),
    nodes: store.prepare<{ readonly id: string }>(
      'slots.nodes',
      `SELECT "id" FROM "nodes" WHERE "goneAt" IS NULL AND "seenAt" > ? AND "schema" >= '${FIRST_SCHEMA}'`,
    ),
    renew: (rows: readonly SlotRow[], node: string, until: number) =>
      renew.all(until, listed(rows.map(({ slot }) => slot)), node),
    take: async (slots: readonly number[], node: string, now: number, until: number) =>
      slots.length === 0 ? [] : take.all(node, until, listed(slots), now),
    async give(slots: ReadonlyMap<number, string>, node: string, until: number): Promise<void> {
      if (slots.size > 0) await give.all(until, listed(slots.keys()), listed(slots.values()), node);
    },
    async release(node: string): Promise<void> {
      await release.all(node);
    },
  };
}
