import type { Selectable } from 'kysely';
import { lockableTogether } from '../../platform/storage/bulk.ts';
import { endDependants } from '../schema/dependants.ts';
import type { NotificationTriggerRow } from '../schema/rows/rule-rows.ts';
import type { Tx } from '../schema/tables.ts';
import { type Rule, rulesOfDevices } from './rule-applies.ts';
import { endVersions, newVersions } from './versions.ts';

type RuleTrigger = Selectable<NotificationTriggerRow>;

/**
 * Gives each device the triggers of the rules that apply to it, and removes the triggers of other rules. A trigger is
 * active from the time of its creation, and its notifications stay when it is removed.
 */
export async function followDevices(tx: Tx, deviceIds: readonly number[], now: number): Promise<void> {
  await lockStates(tx, deviceIds);
  const devices = await tx
    .selectFrom('devices')
    .select(['id', 'ownerId', 'tags', 'deletedAt'])
    .where('id', 'in', [...deviceIds])
    .orderBy('id')
    .execute();
  if (devices.length === 0) return;
  const wanted = await rulesOfDevices(tx, devices);
  const existing = await tx
    .selectFrom('notificationTriggers')
    .selectAll()
    .where('deviceId', 'in', [...deviceIds])
    .where('ruleId', 'is not', null)
    .execute();
  const known = new Map(existing.map((trigger) => [`${trigger.deviceId} ${trigger.ruleId}`, trigger]));
  const missing: { readonly deviceId: number; readonly rule: Rule }[] = [];
  const outdated: { readonly rule: Rule; readonly trigger: RuleTrigger }[] = [];
  for (const [deviceId, rules] of wanted)
    for (const rule of rules) {
      const key = `${deviceId} ${rule.id}`;
      const trigger = known.get(key);
      known.delete(key);
      if (trigger === undefined) missing.push({ deviceId, rule });
      else if (trigger.ruleVersion !== rule.version) outdated.push({ rule, trigger });
    }
  const changed = [
    ...(await removeAll(tx, [...known.values()], now)),
    ...(await updateAll(tx, outdated, now)),
    ...(await insertAll(tx, missing, now)),
  ];
  if (changed.length > 0)
    await tx
      .updateTable('deviceStates')
      .set((of) => ({ rulesVersion: of('rulesVersion', '+', 1) }))
      .where('deviceId', 'in', [...new Set(changed)])
      .execute();
}

/**
 * Waits for running evaluations of the devices, in the order of their ids, so that transactions never wait in a circle.
 */
async function lockStates(tx: Tx, deviceIds: readonly number[]): Promise<void> {
  for (const ids of lockableTogether(tx, deviceIds)) {
    const states = tx.selectFrom('deviceStates').select('deviceId').where('deviceId', 'in', ids);
    await states.orderBy('deviceId').forNoKeyUpdate().execute();
  }
}

async function removeAll(tx: Tx, triggers: readonly RuleTrigger[], now: number): Promise<number[]> {
  if (triggers.length === 0) return [];
  const ids = triggers.map(({ id }) => id);
  const deviceIds = [...new Set(triggers.map(({ deviceId }) => deviceId))];
  await endDependants(tx, 'notificationTriggers', ids);
  await tx.deleteFrom('notificationTriggers').where('deviceId', 'in', deviceIds).where('id', 'in', ids).execute();
  await endVersions(tx, triggers, now);
  return triggers.map(({ deviceId }) => deviceId);
}

const EVALUATED = ['name', 'type', 'parameters', 'paused', 'snoozedUntil'] as const;

async function updateAll(
  tx: Tx,
  outdated: readonly { readonly rule: Rule; readonly trigger: RuleTrigger }[],
  now: number,
): Promise<number[]> {
  for (const rule of new Set(outdated.map((one) => one.rule)))
    await tx
      .updateTable('notificationTriggers')
      .set(cellsOf(rule))
      .where(
        'id',
        'in',
        outdated.filter((one) => one.rule === rule).map(({ trigger }) => trigger.id),
      )
      .execute();
  // Where only the way it is sent changed, what the trigger remembers stays.
  const evaluatedAnew = outdated.filter(({ rule, trigger }) => EVALUATED.some((name) => rule[name] !== trigger[name]));
  await newVersions(
    tx,
    evaluatedAnew.map(({ rule, trigger }) => ({ ...trigger, ...cellsOf(rule) })),
    now,
  );
  return evaluatedAnew.map(({ trigger }) => trigger.deviceId);
}

async function insertAll(
  tx: Tx,
  missing: readonly { readonly deviceId: number; readonly rule: Rule }[],
  now: number,
): Promise<number[]> {
  for (let start = 0; start < missing.length; start += AT_ONCE) {
    const made = await tx
      .insertInto('notificationTriggers')
      .values(
        missing.slice(start, start + AT_ONCE).map(({ deviceId, rule }) => ({
          ...cellsOf(rule),
          deviceId,
          userId: rule.userId,
          ruleId: rule.id,
          meta: JSON.stringify({ ruleId: rule.id }),
          lastTriggered: null,
        })),
      )
      .returningAll()
      .execute();
    await newVersions(tx, made, now);
  }
  return missing.map(({ deviceId }) => deviceId);
}

/** Engines have a limit of values in one statement. */
const AT_ONCE = 500;

const cellsOf = ({
  name,
  type,
  muteFor,
  parameters,
  delivery,
  severity,
  paused,
  snoozedUntil,
  escalateAfter,
  escalation,
  version,
}: Rule) => ({
  name,
  type,
  muteFor,
  parameters,
  delivery,
  severity,
  paused,
  snoozedUntil,
  escalateAfter,
  escalation,
  ruleVersion: version,
});
