import { type Kysely, sql } from 'kysely';
import { type EndedRights, holds } from '../rights.ts';
import { endDependants } from '../schema/dependants.ts';
import type { Tables } from '../schema/tables.ts';
import { triggerRemoved } from './versions.ts';

/**
 * Ends the triggers of users who may no longer manage the device, or no longer see the other device of the trigger.
 * Triggers of a deleted device stay, because it can be restored.
 */
export async function endUncoveredTriggers(tx: Kysely<Tables>, ended: EndedRights, now: number): Promise<number> {
  const { userId, deviceId, isGivenAway } = ended;
  let ofDevice = tx.selectFrom('notificationTriggers as t').select(['t.id', 't.deviceId']);
  if (!isGivenAway) ofDevice = ofDevice.where(sql<boolean>`NOT ${holds('manage', 't.userId', 't.deviceId')}`);
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

async function aboutUnseen(
  tx: Kysely<Tables>,
  { userId, deviceId }: EndedRights,
): Promise<{ id: number; deviceId: number }[]> {
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
      .where(holds('view', 'u.id', 'd.id'))
      .executeTakeFirst();
    if (seen === undefined) unseen.push(trigger);
  }
  return unseen;
}
