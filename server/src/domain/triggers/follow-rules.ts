import { sql } from 'kysely';
import type { Log } from '../../platform/log.ts';
import { failureLog } from '../../platform/storage/trouble.ts';
import { subtreeOf } from '../devices/groups/groups.ts';
import { rulesDue } from '../devices/rules-changed.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { followDevices } from './follow-devices.ts';
import type { Rule } from './rule-applies.ts';

/**
 * Updates the triggers of devices after rules change, in slices of a bounded size. Pending work is in the database:
 * each rule has the first device that was not updated yet, and `ruleQueue` contains devices. Any process can take a
 * slice. It completes the slice in one transaction, so that other processes continue if it dies.
 */

/** Devices that one transaction compares with the rules; reports of these devices wait that long. */
const SLICE = 100;
/** Devices of a changed rule that one transaction puts down to be compared. */
const SPREAD = 500;

/** Does one slice of each kind. Returns whether there was anything to do. */
export async function followSlice(store: Store, now: number): Promise<boolean> {
  const isSpread = await store.transaction((tx) => spreadRule(tx, now));
  const isFollowed = await store.transaction((tx) => followDue(tx, now));
  return isSpread || isFollowed;
}

async function followDue(tx: Tx, now: number): Promise<boolean> {
  const due = tx.selectFrom('ruleQueue').select('deviceId').orderBy('deviceId').limit(SLICE);
  const rows = await due.forUpdate().skipLocked().execute();
  if (rows.length === 0) return false;
  const deviceIds = rows.map(({ deviceId }) => deviceId);
  // First: a later change of the devices adds them again after this transaction.
  await tx.deleteFrom('ruleQueue').where('deviceId', 'in', deviceIds).execute();
  await followDevices(tx, deviceIds, now);
  return true;
}

async function spreadRule(tx: Tx, now: number): Promise<boolean> {
  const changed = tx.selectFrom('rules').selectAll().where('appliedToId', 'is not', null).orderBy('id').limit(1);
  const rule = await changed.forUpdate().skipLocked().executeTakeFirst();
  if (rule === undefined) return false;
  const deviceIds = await nextDevices(tx, rule);
  await rulesDue(tx, deviceIds, now);
  if (deviceIds.length === SPREAD)
    await tx
      .updateTable('rules')
      .set({ appliedToId: deviceIds.at(-1)! })
      .where('id', '=', rule.id)
      .execute();
  else if (rule.deletedAt !== null) await tx.deleteFrom('rules').where('id', '=', rule.id).execute();
  else await tx.updateTable('rules').set({ appliedToId: null }).where('id', '=', rule.id).execute();
  return true;
}

/** Devices that it may apply to, and devices with a trigger of this rule. */
async function nextDevices(tx: Tx, rule: Rule): Promise<number[]> {
  const after = rule.appliedToId!;
  const having = sql`SELECT "deviceId" AS "id" FROM "notificationTriggers" WHERE "ruleId" = ${rule.id} AND "deviceId" > ${after}`;
  const { rows } = await sql<{
    id: number;
  }>`SELECT "id" FROM (${having} UNION ${await extentOf(tx, rule, after)}) AS "one"
    ORDER BY "id" LIMIT ${sql.lit(SPREAD)}`.execute(tx);
  return rows.map(({ id }) => id);
}

async function extentOf(tx: Tx, rule: Rule, after: number) {
  const nothing = sql`SELECT "id" FROM "devices" WHERE 1 = 0`;
  if (rule.deletedAt !== null) return nothing;
  if (rule.appliesTo !== 'group')
    return sql`SELECT "id" FROM "devices" WHERE "ownerId" = ${rule.userId} AND "id" > ${after}`;
  if (rule.groupId === null) return nothing;
  const { ids } = await subtreeOf(tx, rule.groupId);
  if (ids.length === 0) return nothing;
  return sql`SELECT "deviceId" AS "id" FROM "deviceGroupMembers"
    WHERE "groupId" IN (${sql.join([...ids])}) AND "deviceId" > ${after}`;
}

/** Slices that a request does itself: the triggers of a few devices are there when it is answered. */
const AT_ONCE = 3;

/** Does what little there may be at once; the rest is done in the background. */
export async function followSoon(store: Store, now: number): Promise<void> {
  for (let slice = 0; slice < AT_ONCE; slice++) if (!(await followSlice(store, now))) return;
}

const LOOK_MS = 1000;

/** Follows the rules until it is stopped. */
export function startFollowing(store: Store, log: Log, now: () => number): { stop(): Promise<void> } {
  const failed = failureLog(log);
  let isStopped = false;
  let running: Promise<void> | undefined;
  const turn = async () => {
    try {
      while (!isStopped && (await followSlice(store, now()))) await new Promise((resolve) => setImmediate(resolve));
    } catch (error) {
      if (!isStopped) failed(error, 'Updating the triggers of rules failed');
    }
    running = undefined;
  };
  const timer = setInterval(() => {
    running ??= turn();
  }, LOOK_MS).unref();
  return {
    async stop() {
      isStopped = true;
      clearInterval(timer);
      await running;
    },
  };
}
