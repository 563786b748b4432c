import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import { type Selectable, sql } from 'kysely';
import type { Row } from '../../platform/storage/shape.ts';
import { rulesChanged } from '../devices/rules-changed.ts';
import { type EndedRights, holds } from '../rights.ts';
import { endDependants } from '../schema/dependants.ts';
import type { NotificationTriggerRow } from '../schema/rows/rule-rows.ts';
import type { Store, Tx } from '../schema/tables.ts';
import type { TriggerRule } from './evaluator.ts';

/** Triggers have versions, like fences, so that past data is evaluated by the trigger that was valid then. */

export interface TriggerVersion extends TriggerRule {
  readonly validFrom: number;
  readonly validTo: number;
}

export async function triggerChanged(tx: Tx, after: Row, now: number): Promise<void> {
  await newVersions(tx, [after as unknown as VersionedTrigger], now);
  await rulesChanged(tx, after.deviceId as number);
}

/** The fields of a stored trigger that form a version. */
type VersionedTrigger = Pick<
  Selectable<NotificationTriggerRow>,
  'id' | 'deviceId' | 'userId' | 'name' | 'type' | 'parameters' | 'paused' | 'snoozedUntil'
>;

/**
 * Creates new versions of triggers; the caller reports the rule change of their devices. A paused trigger has no valid
 * version, and a snoozed one has its next version from the end of the snooze: so events in the meantime fire nothing,
 * whenever they are reported.
 */
export async function newVersions(tx: Tx, triggers: readonly VersionedTrigger[], now: number): Promise<void> {
  await endVersions(tx, triggers, now);
  const versions = triggers
    .filter(({ paused }) => paused === 0)
    .map(({ id, deviceId, userId, name, type, parameters, snoozedUntil }) => ({
      triggerId: id,
      deviceId,
      userId,
      validFrom: Math.max(now, snoozedUntil ?? now),
      validTo: null,
      trigger: JSON.stringify({ name, type, parameters: parameters ? JSON.parse(parameters) : {} }),
    }));
  if (versions.length > 0) await tx.insertInto('triggerVersions').values(versions).execute();
}

export async function triggerRemoved(tx: Tx, triggerId: number, deviceId: number, now: number): Promise<void> {
  await endVersions(tx, [{ id: triggerId, deviceId }], now);
  await rulesChanged(tx, deviceId);
}

/** A version that was to start later never started. */
export async function endVersions(
  tx: Tx,
  triggers: readonly { readonly id: number; readonly deviceId: number }[],
  now: number,
): Promise<void> {
  if (triggers.length === 0) return;
  const open = triggers.map(({ id }) => id);
  const deviceIds = [...new Set(triggers.map(({ deviceId }) => deviceId))];
  await tx
    .deleteFrom('triggerVersions')
    .where('deviceId', 'in', deviceIds)
    .where('triggerId', 'in', open)
    .where('validTo', 'is', null)
    .where('validFrom', '>', now)
    .execute();
  await tx
    .updateTable('triggerVersions')
    .set({ validTo: now })
    .where('deviceId', 'in', deviceIds)
    .where('triggerId', 'in', open)
    .where('validTo', 'is', null)
    .execute();
}

export async function readTriggerVersions(
  store: Pick<Store, 'query'>,
  deviceId: number,
  since: number,
): Promise<TriggerVersion[]> {
  const rows = await store.query
    .selectFrom('triggerVersions')
    .selectAll()
    .where('deviceId', '=', deviceId)
    .where((when) => when.or([when('validTo', 'is', null), when('validTo', '>', since)]))
    .orderBy('id')
    .execute();
  return rows.map((row) => {
    const { name, type, parameters } = JSON.parse(row.trigger) as {
      name: string;
      type: TriggerTypeName;
      parameters: Record<string, unknown>;
    };
    return {
      triggerId: row.triggerId,
      version: row.id,
      userId: row.userId,
      name,
      type,
      parameters,
      validFrom: row.validFrom,
      validTo: row.validTo ?? Number.POSITIVE_INFINITY,
    };
  });
}

/**
 * Ends the triggers of users who may no longer manage the device, or no longer see the other device of the trigger.
 * Triggers of a deleted device stay, because it can be restored.
 */
export async function endUncoveredTriggers(tx: Tx, ended: EndedRights, now: number): Promise<number> {
  const { userId, deviceId, isGivenAway } = ended;
  let ofDevice = tx.selectFrom('notificationTriggers as t').select(['t.id', 't.deviceId']);
  if (!isGivenAway)
    ofDevice = ofDevice.where(sql<boolean>`NOT ${holds('manage', 't.userId', deviceId ?? 't.deviceId')}`);
  if (userId !== undefined) ofDevice = ofDevice.where('t.userId', '=', userId);
  if (deviceId !== undefined) ofDevice = ofDevice.where('t.deviceId', '=', deviceId);
  const found = [...(await ofDevice.execute()), ...(await aboutUnseen(tx, ended))];
  const uncovered = new Map(found.map((one) => [one.id, one]));
  for (const trigger of uncovered.values()) {
    await endDependants(tx, 'notificationTriggers', [trigger.id]);
    const { id, deviceId } = trigger;
    await tx.deleteFrom('notificationTriggers').where('deviceId', '=', deviceId).where('id', '=', id).execute();
    await triggerRemoved(tx, trigger.id, trigger.deviceId, now);
  }
  return uncovered.size;
}

async function aboutUnseen(tx: Tx, { userId, deviceId }: EndedRights): Promise<{ id: number; deviceId: number }[]> {
  let proximity = tx
    .selectFrom('notificationTriggers as t')
    .select(['t.id', 't.userId', 't.deviceId', 't.parameters'])
    .where('t.type', '=', 'proximity');
  if (userId !== undefined) proximity = proximity.where('t.userId', '=', userId);
  const unseen: { id: number; deviceId: number }[] = [];
  for (const trigger of await proximity.execute()) {
    const other = (JSON.parse(trigger.parameters ?? '{}') as { deviceId?: number }).deviceId;
    if (other === undefined || (deviceId !== undefined && deviceId !== other)) continue;
    const seen = await tx
      .selectFrom('devices as d')
      .innerJoin('users as u', (join) => join.on('u.id', '=', trigger.userId))
      .select('d.id')
      .where('d.id', '=', other)
      .where(holds('view', 'u.id', other))
      .executeTakeFirst();
    if (seen === undefined) unseen.push(trigger);
  }
  return unseen;
}
