import type { TriggerTypeName } from '@trackway/contract/triggers.ts';
import type { Kysely } from 'kysely';
import type { Row } from '../../platform/storage/shape.ts';
import { rulesChanged } from '../devices/rules-changed.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { TriggerRule } from './evaluator.ts';

/** Triggers have versions, like fences, so that data of the past is judged by the trigger that was in force then. */

export interface TriggerVersion extends TriggerRule {
  readonly validFrom: number;
  readonly validTo: number;
}

export async function triggerChanged(tx: Kysely<Tables>, after: Row, now: number): Promise<void> {
  await endVersion(tx, after.id as number, now);
  const { name, type, parameters } = after;
  await tx
    .insertInto('triggerVersions')
    .values({
      triggerId: after.id as number,
      deviceId: after.deviceId as number,
      userId: after.userId as number,
      validFrom: now,
      validTo: null,
      trigger: JSON.stringify({ name, type, parameters: parameters ? JSON.parse(parameters as string) : {} }),
    })
    .execute();
  await rulesChanged(tx, after.deviceId as number);
}

export async function triggerRemoved(
  tx: Kysely<Tables>,
  triggerId: number,
  deviceId: number,
  now: number,
): Promise<void> {
  await endVersion(tx, triggerId, now);
  await rulesChanged(tx, deviceId);
}

async function endVersion(tx: Kysely<Tables>, triggerId: number, now: number): Promise<void> {
  await tx
    .updateTable('triggerVersions')
    .set({ validTo: now })
    .where('triggerId', '=', triggerId)
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
