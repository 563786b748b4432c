import { setTimeout } from 'node:timers/promises';
import { sql } from 'kysely';
import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { failureLog } from '../../../platform/storage/failure-log.ts';
import { ALL_SLOTS, type OwnedSlots } from '../../schema/owned-slots.ts';
import { SLOTS, slotOf } from '../../schema/slot.ts';
import type { Store } from '../../schema/tables.ts';
import { carryGroup, isInGroup } from './carry.ts';

/**
 * Brings what is staged into the outbox. Whoever staged it carries it right after; what a node left behind, since it died
 * or the store failed, is found by the node that keeps the clock of the slot.
 */
export interface Carrier {
  /** Something of these devices was committed that must be sent. */
  wake(deviceIds: readonly number[]): void;
  /** Resolves once nothing is under way. For tests. */
  idle(): Promise<void>;
  /** What is not carried by then waits for another node, or the next start. */
  stop(): Promise<void>;
}

export interface CarrierOptions {
  readonly log: Log;
  /** Called once something is in the outbox. */
  readonly carried: () => void;
  readonly owned?: OwnedSlots;
  /** How often it looks for what was left behind. */
  readonly everyMs?: number;
}

const LOOK_MS = 1000;
/** What is woken for again within this time is carried together. */
const GATHER_MS = 20;
/** Groups that are carried at a time: others need connections too. */
const AT_ONCE = 2;
const EVERY = Array.from({ length: SLOTS }, (_, slot) => slot);

export function startCarrier(store: Store, options: CarrierOptions): Carrier {
  const { groupOfSlot } = store;
  // What is posted is in the outbox then.
  if (groupOfSlot === undefined) return { wake: options.carried, idle: async () => {}, stop: async () => {} };
  return carrierOf(store, groupOfSlot, options);
}

/** The slots of each group. */
export function slotGroupsOf(groupOfSlot: (slot: number) => number): Map<number, number[]> {
  const groups = new Map<number, number[]>();
  for (const slot of EVERY) groups.set(groupOfSlot(slot), [...(groups.get(groupOfSlot(slot)) ?? []), slot]);
  return groups;
}

function carrierOf(
  store: Store,
  groupOfSlot: (slot: number) => number,
  { log, carried, owned = ALL_SLOTS, everyMs = LOOK_MS }: CarrierOptions,
): Carrier {
  const groups = slotGroupsOf(groupOfSlot);
  const failed = failureLog(log);
  const due = new Set<number>();
  let isStopping = false;
  let working: Promise<void> | undefined;
  let looking: Promise<void> | undefined;

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
      for (const group of some) due.delete(group);
      await Promise.all(some.map(carry));
      if (due.size > 0) await setTimeout(GATHER_MS, undefined, { ref: false });
    }
  }

  async function carry(group: number): Promise<void> {
    try {
      await carryGroup(store, groups.get(group)!, log, timeNow, () => !isStopping);
      // Also where somebody else was faster: it may have been a transaction of this process that needed it in the outbox.
      carried();
    } catch (error) {
      failed(error, 'What is to be sent could not be brought into the outbox');
    }
  }

  async function look(): Promise<void> {
    const slots = owned.now() ?? EVERY;
    if (slots.length === 0) return;
    const staged = sql<{ slot: number }>`SELECT DISTINCT "slot" FROM "outgoing" WHERE ${isInGroup(slots)}`;
    for (const { slot } of (await staged.execute(store.query)).rows) due.add(groupOfSlot(slot));
    begin();
  }

  const timer = setInterval(() => {
    looking ??= look()
      .catch((error) => failed(error, 'Looking for what is to be sent failed'))
      .finally(() => {
        looking = undefined;
      });
  }, everyMs).unref();

  return {
    wake(deviceIds) {
      for (const deviceId of deviceIds) due.add(groupOfSlot(slotOf(deviceId)));
      begin();
    },
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
