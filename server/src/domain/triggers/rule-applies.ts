import { type Selectable, sql } from 'kysely';
import { hasTag } from '../devices/tags.ts';
import { hasRights, managersAmong } from '../rights.ts';
import type { RuleRow } from '../schema/rows/rule-rows.ts';
import type { Tx } from '../schema/tables.ts';

/** Determines the rules of each device. */

export type Rule = Selectable<RuleRow>;

interface RuledDevice {
  readonly id: number;
  readonly ownerId: number;
  readonly tags: string | null;
  readonly deletedAt: number | null;
}

/** By device, the groups it is in and their parent groups, the nearest first. */
async function groupsOf(tx: Tx, deviceIds: readonly number[]): Promise<Map<number, Set<number>>> {
  const { rows } = await sql<{ deviceId: number; id: number }>`
    WITH RECURSIVE "up" ("deviceId", "id") AS (
      SELECT m."deviceId", m."groupId" FROM "deviceGroupMembers" m JOIN "deviceGroups" g ON g."id" = m."groupId"
      WHERE m."deviceId" IN (${sql.join([...deviceIds])}) AND g."deletedAt" IS NULL
      UNION SELECT "up"."deviceId", g."parentId" FROM "up" JOIN "deviceGroups" g ON g."id" = "up"."id"
      WHERE g."parentId" IS NOT NULL)
    SELECT "deviceId", "id" FROM "up"`.execute(tx);
  const groups = new Map<number, Set<number>>();
  for (const { deviceId, id } of rows) groups.set(deviceId, (groups.get(deviceId) ?? new Set()).add(id));
  return groups;
}

async function rulesFor(tx: Tx, ownerIds: readonly number[], groupIds: readonly number[]): Promise<Rule[]> {
  return tx
    .selectFrom('rules')
    .selectAll()
    .where('deletedAt', 'is', null)
    .where((when) =>
      when.or([
        when.and([when('userId', 'in', [...ownerIds]), when('appliesTo', 'in', ['all', 'tag'])]),
        ...(groupIds.length > 0
          ? [when.and([when('appliesTo', '=', 'group'), when('groupId', 'in', [...groupIds])])]
          : []),
      ]),
    )
    .orderBy('id')
    .execute();
}

/** The users who may manage the devices of the group: its owner, and users with a share of it or of a parent group. */
export async function managersOfGroup(tx: Tx, groupId: number): Promise<Set<number>> {
  const { rows } = await sql<{ userId: number }>`
    WITH RECURSIVE "up" ("id", "parentId", "ownerId") AS (
      SELECT "id", "parentId", "ownerId" FROM "deviceGroups" WHERE "id" = ${groupId} AND "deletedAt" IS NULL
      UNION SELECT g."id", g."parentId", g."ownerId" FROM "deviceGroups" g JOIN "up" ON g."id" = "up"."parentId")
    SELECT "ownerId" AS "userId" FROM "up"
    UNION SELECT x."holderId" FROM "grants" x JOIN "up" ON x."groupId" = "up"."id"
    WHERE x."rights" = 'manage' AND x."holderId" IS NOT NULL`.execute(tx);
  return new Set(rows.map(({ userId }) => userId));
}

/** The rules that apply to each of these devices now. Rights are asked here, and again when a trigger fires. */
export async function rulesOfDevices(tx: Tx, devices: readonly RuledDevice[]): Promise<Map<number, Rule[]>> {
  const groups = await groupsOf(
    tx,
    devices.map(({ id }) => id),
  );
  const rules = await rulesFor(
    tx,
    [...new Set(devices.map(({ ownerId }) => ownerId))],
    [...new Set([...groups.values()].flatMap((ids) => [...ids]))],
  );
  const managers = new Map<number, Set<number>>();
  for (const { groupId } of rules)
    if (groupId !== null && !managers.has(groupId)) managers.set(groupId, await managersOfGroup(tx, groupId));
  const isSeen = await otherDevicesSeen(tx, rules);
  const applying = new Map<number, Rule[]>();
  for (const device of devices) {
    const matching = rules.filter(
      (rule) =>
        matches(rule, device, groups.get(device.id)) &&
        (rule.groupId === null || managers.get(rule.groupId)!.has(rule.userId)) &&
        otherDeviceOf(rule) !== device.id &&
        isSeen(rule),
    );
    applying.set(device.id, await withRights(tx, device, matching));
  }
  return applying;
}

export function matches(rule: Rule, device: RuledDevice, groupIds: ReadonlySet<number> | undefined): boolean {
  if (rule.appliesTo === 'group') return rule.groupId !== null && groupIds?.has(rule.groupId) === true;
  if (rule.userId !== device.ownerId) return false;
  return rule.appliesTo === 'all' || hasTag(device, rule.tag ?? '');
}

/** Users other than the owner need the right to manage the device. Nothing changes on a deleted device. */
async function withRights(tx: Tx, device: RuledDevice, rules: readonly Rule[]): Promise<Rule[]> {
  const others = [...new Set(rules.map(({ userId }) => userId))].filter((userId) => userId !== device.ownerId);
  if (others.length === 0 || device.deletedAt !== null) return [...rules];
  const managers = await managersAmong(tx, device.id, others);
  return rules.filter(({ userId }) => userId === device.ownerId || managers.has(userId));
}

const otherDeviceOf = ({ type, parameters }: Rule): number | undefined =>
  type === 'proximity' ? (JSON.parse(parameters ?? '{}') as { deviceId?: number }).deviceId : undefined;

/** A rule about another device applies nowhere once its user may not see that device. */
async function otherDevicesSeen(tx: Tx, rules: readonly Rule[]): Promise<(rule: Rule) => boolean> {
  const unseen = new Set<number>();
  for (const rule of rules) {
    const deviceId = otherDeviceOf(rule);
    if (deviceId !== undefined && !(await hasRights(tx, rule.userId, [{ deviceId, right: 'view' }])))
      unseen.add(rule.id);
  }
  return ({ id }) => !unseen.has(id);
}
