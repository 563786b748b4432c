import { dueOf, lookAgainAt, restOf } from '../../maintenance/due.ts';
import { goneSince } from '../../maintenance/gone.ts';
import { ALL_SLOTS, hasSlotOf, type OwnedSlots } from '../../schema/owned-slots.ts';
import type { Store } from '../../schema/tables.ts';
import type { SendingPolicy } from '../../sending/sending-policy.ts';
import { type Claim, type FiredOnce, fireOnce, ruleOf, watchedTriggers } from './fire-once.ts';

/** As many tasks in one go; the rest waits for the next. */
const AT_ONCE = 200;

/**
 * Maintenance that is due, or will be soon: each told once by each trigger until the task is done or changed, whatever
 * data comes late.
 */
export async function judgeMaintenance(
  store: Store,
  policy: SendingPolicy,
  now: number,
  owned: OwnedSlots = ALL_SLOTS,
): Promise<FiredOnce[]> {
  const fired: FiredOnce[] = [];
  const tasks = await store.query
    .selectFrom('maintenanceTasks')
    .selectAll()
    .where('lookAt', '<=', now)
    .where(hasSlotOf(owned.now()))
    .orderBy('lookAt')
    .limit(AT_ONCE)
    .execute();
  const goneOf = goneSince(store);
  for (const task of tasks) {
    if (!owned.has(task.deviceId)) continue;
    const due = dueOf(task, await goneOf(task.deviceId, task.since), now);
    const { status } = due;
    if (status === 'soon' || status === 'due') {
      const facts = { taskId: task.id, task: task.name, ...restOf(due, task) };
      const triggers = watchedTriggers(store.query, 'maintenance', now).where('t.deviceId', '=', task.deviceId);
      for (const trigger of await triggers.execute()) {
        const firing = { rule: ruleOf(trigger, 'maintenance'), kind: status, at: now, decidedAt: now, facts };
        const claim = claimTelling(task.deviceId, {
          taskId: task.id,
          triggerId: trigger.id,
          round: task.round,
          status,
        });
        const once = await fireOnce(store, policy, trigger, firing, { now, claim });
        if (once) fired.push(once);
      }
    }
    // One that was done or changed meanwhile is looked at anew.
    await store.query
      .updateTable('maintenanceTasks')
      .set({ lookAt: lookAgainAt(due, task, now) })
      .where('deviceId', '=', task.deviceId)
      .where('id', '=', task.id)
      .where('round', '=', task.round)
      .where('lookAt', '=', task.lookAt)
      .execute();
  }
  return fired;
}

interface Telling {
  readonly taskId: number;
  readonly triggerId: number;
  readonly round: number;
  readonly status: 'soon' | 'due';
}

/** Not of a task that was done, changed or deleted since it was looked at, nor that it will be due when it was told that it is. */
function claimTelling(deviceId: number, telling: Telling): Claim {
  return async (tx) => {
    const { taskId, triggerId, round, status } = telling;
    const unchanged = await tx
      .updateTable('maintenanceTasks')
      .set({ round })
      .where('deviceId', '=', deviceId)
      .where('id', '=', taskId)
      .where('round', '=', round)
      .returning('id')
      .executeTakeFirst();
    if (unchanged === undefined) return false;
    if (status === 'soon') {
      const told = tx.selectFrom('maintenanceTold').select('status').where('status', '=', 'due');
      const sameRound = told.where('taskId', '=', taskId).where('triggerId', '=', triggerId).where('round', '=', round);
      if ((await sameRound.executeTakeFirst()) !== undefined) return false;
    }
    const claimed = await tx
      .insertInto('maintenanceTold')
      .values(telling)
      .onConflict((on) => on.doNothing())
      .returning('taskId')
      .executeTakeFirst();
    return claimed !== undefined;
  };
}
