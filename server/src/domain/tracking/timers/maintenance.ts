import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices } from '../../schema/owned-devices.ts';
import type { Store } from '../../schema/tables.ts';
import {
  dueOf,
  goneSince,
  lookAgainAt,
  maintenanceOccasion,
  remainingUntilDue,
} from '../../vehicles/maintenance-due.ts';
import { type Claim, type FiredOnce, fireOnce, ruleOf, watchedTriggers } from './fire-once.ts';

/** As many tasks in one go; the rest waits for the next. */
const AT_ONCE = 200;

/**
 * Maintenance that is due, or will be soon: each trigger notifies once until the task is done or changed, regardless of
 * late data.
 */
export async function evaluateMaintenance(
  store: Store,
  policy: SendingPolicy,
  now: number,
  owned: OwnedDevices = ALL_DEVICES,
): Promise<FiredOnce[]> {
  const fired: FiredOnce[] = [];
  const tasks = await store.query
    .selectFrom('maintenanceTasks')
    .selectAll()
    .where('checkAt', '<=', now)
    .where(isOwned('deviceId', owned.now()))
    .orderBy('checkAt')
    .limit(AT_ONCE)
    .execute();
  const goneOf = goneSince(store);
  for (const task of tasks) {
    if (!owned.has(task.deviceId)) continue;
    const due = dueOf(task, await goneOf(task.deviceId, task.since), now);
    const { status } = due;
    if (status === 'soon' || status === 'due') {
      const facts = { taskId: task.id, task: task.name, ...remainingUntilDue(due, task) };
      const triggers = watchedTriggers(store.query, 'maintenance', now).where('t.deviceId', '=', task.deviceId);
      for (const trigger of await triggers.execute()) {
        const firing = { rule: ruleOf(trigger, 'maintenance'), kind: status, at: now, decidedAt: now, facts };
        const claim = claimReminder(task.deviceId, {
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
      .set({ checkAt: lookAgainAt(due, task, now) })
      .where('deviceId', '=', task.deviceId)
      .where('id', '=', task.id)
      .where('round', '=', task.round)
      .where('checkAt', '=', task.checkAt)
      .execute();
  }
  return fired;
}

interface Reminder {
  readonly taskId: number;
  readonly triggerId: number;
  readonly round: number;
  readonly status: 'soon' | 'due';
}

/** Not for a task that was done, changed or deleted since it was checked, and no "due soon" after "due". */
function claimReminder(deviceId: number, reminder: Reminder): Claim {
  return async (tx) => {
    const { taskId, triggerId, round, status } = reminder;
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
      const due = await tx
        .selectFrom('firedOccasions')
        .select('occasion')
        .where('triggerId', '=', triggerId)
        .where('taskId', '=', taskId)
        .where('occasion', '=', maintenanceOccasion(round, 'due'))
        .executeTakeFirst();
      if (due !== undefined) return false;
    }
    const claimed = await tx
      .insertInto('firedOccasions')
      .values({ triggerId, taskId, occasion: maintenanceOccasion(round, status) })
      .onConflict((on) => on.doNothing())
      .returning('taskId')
      .executeTakeFirst();
    return claimed !== undefined;
  };
}
