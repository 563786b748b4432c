import type { Row } from '../../platform/storage/shape.ts';
import type { Tx } from '../schema/tables.ts';

/**
 * Fences are stored in versions, each valid from the server time of the change, so that a fix is evaluated by the fence
 * as it was at its fix time, even if it is evaluated again much later.
 */

/** After a change of one of these fields, the first decision of the fence causes no crossing again. */
const SHAPE = ['outline', 'centerLat', 'centerLng', 'radius', 'deviceId'] as const;

/** A fence that is new, or has another shape or device than before. */
export interface ShapedFence {
  readonly fenceId: number;
  readonly userId: number;
  /** The device, if the fence is for a single one. */
  readonly deviceId: number | null;
  readonly shapedAt: number;
}

/**
 * Ends the current version of a fence, if there is one, and starts a version with the current row.
 * @returns the fence, if it is new or its shape changed
 */
export async function fenceChanged(
  tx: Tx,
  before: Row | undefined,
  after: Row,
  now: number,
): Promise<ShapedFence | undefined> {
  const fenceId = after.id as number;
  const current = await endVersion(tx, fenceId, now);
  const sameShape = before !== undefined && SHAPE.every((column) => before[column] === after[column]);
  const { id: _, wasInside: __, lastChecked: ___, listId: ____, ...fence } = after;
  const userId = after.userId as number;
  const deviceId = after.deviceId as number | null;
  const shapedAt = sameShape && current ? current.shapedAt : now;
  await tx
    .insertInto('geofenceVersions')
    .values({
      fenceId,
      userId,
      deviceId,
      validFrom: now,
      validTo: null,
      shapedAt,
      fence: JSON.stringify(fence),
    })
    .execute();
  await turnPage(tx, userId);
  return shapedAt === now ? { fenceId, userId, deviceId, shapedAt } : undefined;
}

export async function fenceRemoved(tx: Tx, fenceId: number, userId: number, now: number): Promise<void> {
  await endVersion(tx, fenceId, now);
  await turnPage(tx, userId);
}

async function endVersion(tx: Tx, fenceId: number, now: number) {
  return tx
    .updateTable('geofenceVersions')
    .set({ validTo: now })
    .where('fenceId', '=', fenceId)
    .where('validTo', 'is', null)
    .returning(['shapedAt'])
    .executeTakeFirst();
}

/** Invalidates all caches of this user's fences. */
async function turnPage(tx: Tx, userId: number): Promise<void> {
  await tx
    .insertInto('geofenceRevisions')
    .values({ userId, revision: 1, mqttUntil: null })
    .onConflict((on) =>
      on.column('userId').doUpdateSet((of) => ({ revision: of('geofenceRevisions.revision', '+', 1) })),
    )
    .execute();
}
