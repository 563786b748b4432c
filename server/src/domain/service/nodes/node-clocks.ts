import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { isRenewalDue } from '../../../platform/storage/lease.ts';
import { failureLog } from '../../../platform/storage/trouble.ts';
import { ALL_DEVICES, type OwnedDevices, type Ownership, owns, SLOTS } from '../../schema/owned-devices.ts';
import type { Store } from '../../schema/tables.ts';

/**
 * Which slots this node keeps the clocks of, by leases that go by the clock of the database. What falls due is decided
 * once even where two nodes believe that a slot is theirs, since rows are locked and occasions claimed: a lease spares the
 * others the work.
 */
export interface SlotClocks extends OwnedDevices {
  /** From now on, as this node. */
  start(node: string): Promise<void>;
  /** Holds its slots, takes and gives what makes the shares even. */
  look(): Promise<void>;
  /** Hands its slots to the others. Nothing may be decided any more by then. */
  stop(): Promise<void>;
}

interface SlotClocksOptions {
  readonly log: Pick<Log, 'error'>;
  readonly everyMs?: number;
  /** How long the slots of a node that died stand still. */
  readonly leaseMs?: number;
}

const LOOK_MS = 1000;
const LEASE_MS = 10_000;
/** The end of a lease is taken to be earlier, since clocks are compared no more exactly than that. */
const MARGIN_MS = 500;

const OFF: SlotClocks = { ...ALL_DEVICES, start: async () => {}, look: async () => {}, stop: async () => {} };

/** With SQLite there is one process, which has all slots: nothing is written or looked at. */
export const nodeClocks = (store: Store, options: SlotClocksOptions): SlotClocks =>
  store.dialect.isShared ? sharedClocks(store, options) : OFF;

interface SlotRow {
  readonly slot: number;
  readonly owner: string | null;
  readonly ownedUntil: number | null;
}

function sharedClocks(store: Store, { log, everyMs = LOOK_MS, leaseMs = LEASE_MS }: SlotClocksOptions): SlotClocks {
  const statements = statementsOf(store);
  const failed = failureLog(log as Log);
  let own: string | undefined;
  let held: readonly number[] = NONE;
  let list: Ownership = NONE;
  let heldUntil = 0;
  let looking: Promise<void> = Promise.resolve();
  let isLooking = false;
  let timer: NodeJS.Timeout | undefined;

  function hold(rows: readonly SlotRow[]): void {
    const slots = rows.map(({ slot }) => slot).sort((a, b) => a - b);
    heldUntil = Math.min(...rows.map(({ ownedUntil }) => ownedUntil!));
    if (slots.join() === held.join()) return;
    held = slots;
    list = slots.length === SLOTS ? undefined : slots;
  }

  /** The owner of each slot, and the running nodes. A slot with an expired lease has no owner. */
  async function see() {
    const [rows, nodes] = await Promise.all([statements.rows.all(), statements.nodes.all(timeNow() - leaseMs)]);
    const now = timeNow();
    const owners = rows.map(({ owner, ownedUntil }) => (owner !== null && ownedUntil! > now ? owner : undefined));
    return { now, rows, owners, running: nodes.map(({ id }) => id) };
  }

  async function look(node: string): Promise<void> {
    const { now, rows, owners, running } = await see();
    const { give, take } = shareSlots(owners, [...new Set([node, ...running])], node);
    let mine = rows.filter(({ slot }) => owners[slot] === node && !give.has(slot));
    // First, so that no more decisions are made for slots that are given away.
    hold(mine);
    await statements.give(give, node, now + leaseMs);
    if (mine.some(({ ownedUntil }) => isRenewalDue(ownedUntil!, leaseMs, now)))
      mine = await statements.renew(mine, node, now + leaseMs);
    hold([...mine, ...(await statements.take(take, node, now, now + leaseMs))]);
  }

  async function releaseSlots(node: string): Promise<void> {
    const { now, owners, running } = await see();
    const others = running.filter((id) => id !== node);
    await statements.give(shareSlots(owners, others, node).give, node, now + leaseMs);
    await statements.release(node);
  }

  const turn = () => {
    if (isLooking || own === undefined) return;
    isLooking = true;
    looking = look(own)
      .catch((error) => failed(error, 'Balancing the timer slots with other nodes failed'))
      .finally(() => {
        isLooking = false;
      });
  };

  const now = () => (timeNow() < heldUntil - MARGIN_MS ? list : NONE);
  return {
    now,
    has: (id) => owns(now(), id),
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
      await releaseSlots(node).catch((error) => failed(error, 'Passing the timer slots to other nodes failed'));
    },
  };
}

const NONE: readonly number[] = [];
const EVERY = Array.from({ length: SLOTS }, (_, slot) => slot);

/** All of them by number, for people. */
export const listedSlots = (owned: OwnedDevices): number[] => [...(owned.now() ?? EVERY)];

const listed = (all: Iterable<number | string>) => `{${[...all].join(',')}}`;

/** Slots are locked in their order, or left where another has them: nodes never wait for each other in a circle. */
const lockedOf = (condition: string) =>
  `SELECT "slot" FROM "slotTimers" WHERE "slot" = ANY(CAST(? AS BIGINT[])) AND ${condition} ORDER BY "slot" FOR UPDATE`;

function statementsOf(store: Store) {
  const renew = store.prepare<SlotRow>(
    'slots.renew',
    `UPDATE "slotTimers" SET "ownedUntil" = ? WHERE "slot" IN (${lockedOf('"owner" = ?')}) RETURNING "slot", "owner", "ownedUntil"`,
  );
  const take = store.prepare<SlotRow>(
    'slots.take',
    `UPDATE "slotTimers" SET "owner" = ?, "ownedUntil" = ?
     WHERE "slot" IN (${lockedOf('("owner" IS NULL OR "ownedUntil" <= ?)')} SKIP LOCKED) RETURNING "slot", "owner", "ownedUntil"`,
  );
  const give = store.prepare(
    'slots.give',
    `UPDATE "slotTimers" SET "owner" = given."to", "ownedUntil" = ?
     FROM unnest(CAST(? AS BIGINT[]), CAST(? AS TEXT[])) AS given ("slot", "to")
     WHERE "slotTimers"."slot" = given."slot" AND "slotTimers"."owner" = ?`,
  );
  const release = store.prepare(
    'slots.release',
    'UPDATE "slotTimers" SET "owner" = NULL, "ownedUntil" = NULL WHERE "owner" = ?',
  );
  return {
    rows: store.prepare<SlotRow>(
      'slots.clocks',
      'SELECT "slot", "owner", "ownedUntil" FROM "slotTimers" ORDER BY "slot"',
    ),
    nodes: store.prepare<{ readonly id: string }>(
      'slots.nodes',
      `SELECT "id" FROM "nodes" WHERE "goneAt" IS NULL AND "seenAt" > ?`,
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

/** What a node does so that the slots are shared evenly. */
interface SlotMoves {
  /** Slots of its own that it hands to others. */
  readonly give: ReadonlyMap<number, string>;
  /** Slots without an owner that it takes. */
  readonly take: readonly number[];
}

/**
 * Every node decides for itself, from what it sees at the time: who has more than a fair share gives the rest away, who
 * has less takes what is free. Nodes that see the same plan the same, so that no slot is wanted by two of them; as few
 * slots as possible change hands.
 * @param owners by slot; undefined if it has no owner
 * @param nodes the running nodes; without the node itself when it stops
 */
export function shareSlots(owners: readonly (string | undefined)[], nodes: readonly string[], own: string): SlotMoves {
  const slotsOf = new Map([...nodes].sort().map((node): [string, number[]] => [node, []]));
  const spare: { readonly slot: number; readonly owner: string | undefined }[] = [];
  for (const [slot, owner] of owners.entries()) {
    const held = owner === undefined ? undefined : slotsOf.get(owner);
    if (held) held.push(slot);
    // What a node has that does not run any more is its own until it gives it away, or until its lease ends.
    else if (owner === undefined || owner === own) spare.push({ slot, owner });
  }
  const shares = sharesOf(slotsOf, owners.length);
  const wanting: string[] = [];
  for (const [node, held] of slotsOf) {
    const share = shares.get(node)!;
    for (const slot of held.slice(share)) spare.push({ slot, owner: node });
    for (let missing = share - held.length; missing > 0; missing--) wanting.push(node);
  }
  const give = new Map<number, string>();
  const take: number[] = [];
  // Free slots come first, because their timers do not run.
  spare.sort((a, b) => Number(a.owner !== undefined) - Number(b.owner !== undefined) || a.slot - b.slot);
  for (const [index, { slot, owner }] of spare.entries()) {
    const next = wanting[index];
    if (next === undefined) break;
    if (owner === own) give.set(slot, next);
    else if (owner === undefined && next === own) take.push(slot);
  }
  return { give, take };
}

/**
 * If the division has a remainder, some nodes have one slot more: first the nodes that already have it, so that few
 * slots move.
 */
function sharesOf(slotsOf: ReadonlyMap<string, readonly number[]>, slots: number): Map<string, number> {
  const [least, more] = [Math.floor(slots / slotsOf.size), slots % slotsOf.size];
  const order = ([, { length }]: [string, readonly number[]]) => (length > least ? length : slots + 1);
  const nodes = [...slotsOf].sort((a, b) => order(a) - order(b) || (a[0] < b[0] ? -1 : 1));
  return new Map(nodes.map(([node], index) => [node, index < more ? least + 1 : least]));
}
