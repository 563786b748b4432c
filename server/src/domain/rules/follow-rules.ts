import { type Kysely, sql } from 'kysely';
import type { Log } from '../../platform/log.ts';
import { failureLog } from '../../platform/storage/failure-log.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { rulesDue } from '../devices/groups/rules-due.ts';
import { subtreeOf } from '../devices/groups/tree.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { Rule } from './applies.ts';
import { followDevices } from './follow-devices.ts';

/**
 * Lets the triggers of devices follow the rules, in slices of a bounded size. What waits is in the database: a rule says
 * from which device on it was not followed, and `ruleDue` names devices. Whichever process takes a slice does all of it in
 * one transaction, so that a process that dies leaves the rest to others.
 */

type Tx = Kysely<Tables>;

/** Devices that one transaction compares with the rules; reports of these devices wait that long. */
const SLICE = 100;
/** Devices of a changed rule that one transaction puts down to be compared. */
const SPREAD = 500;

/** Does one slice of each kind. Returns whether there was anything to do. */
export async function followSlice(store: Store, now: number): Promise<boolean> {
  const isSpread = await store.transaction((tx) => spreadRule(tx, store.storeKind, now));
  const isFollowed = await store.transaction((tx) => followDue(tx, store.storeKind, now));
  return isSpread || isFollowed;
}

async function followDue(tx: Tx, storeKind: StoreKind, now: number): Promise<boolean> {
  const due = tx.selectFrom('ruleDue').select('deviceId').orderBy('deviceId').limit(SLICE);
  const rows = await (storeKind === 'postgres' ? due.forUpdate().skipLocked() : due).execute();
  if (rows.length === 0) return false;
  const deviceIds = rows.map(({ deviceId }) => deviceId);
  // First: whoever changes the devices from here on adds them again once this has ended.
  await tx.deleteFrom('ruleDue').where('deviceId', 'in', deviceIds).execute();
  await followDevices(tx, storeKind, deviceIds, now);
  return true;
}

async function spreadRule(tx: Tx, storeKind: StoreKind, now: number): Promise<boolean> {
  const changed = tx.selectFrom('rules').selectAll().where('dueFrom', 'is not', null).orderBy('id').limit(1);
  const rule = await (storeKind === 'postgres' ? changed.forUpdate().skipLocked() : changed).executeTakeFirst();
  if (rule === undefined) return false;
  const deviceIds = await nextDevices(tx, rule);
  await rulesDue(tx, deviceIds, now);
  if (deviceIds.length === SPREAD)
    await tx
      .updateTable('rules')
      .set({ dueFrom: deviceIds.at(-1)! })
      .where('id', '=', rule.id)
      .execute();
  else if (rule.deletedAt !== null) await tx.deleteFrom('rules').where('id', '=', rule.id).execute();
  else await tx.updateTable('rules').set({ dueFrom: null }).where('id', '=', rule.id).execute();
  return true;
}

/** Devices to which it may apply, and those that have a trigger by it. */
async function nextDevices(tx: Tx, rule: Rule): Promise<number[]> {
  const after = rule.dueFrom!;
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
      if (!isStopped) failed(error, 'The triggers of rules did not follow');
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
