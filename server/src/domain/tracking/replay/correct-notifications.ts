import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import { runRows, updateOf } from '../../../platform/storage/bulk.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import { recordFirings } from '../state/record-firings.ts';
import {
  CONTENT_COLUMNS,
  contentOf,
  type MayBeTold,
  type NotificationContent,
  type RecordedNotification,
  type Recording,
  updateLastTriggered,
} from '../state/record-notification.ts';
import { matchEvents } from './match-events.ts';

/** Compares the firings of a replay with the recorded ones: those that match are corrected, the rest added or retracted. */

type Tx = Kysely<Tables>;
export interface NotificationChanges {
  readonly added: readonly RecordedNotification[];
  readonly retracted: readonly { id: number; userId: number; triggerId: number; status: string; reason: string }[];
}

const RETRACTED = 'data that came later shows that it did not happen';
const AT_ONCE = 500;

const COLUMNS = Object.keys(CONTENT_COLUMNS) as (keyof NotificationContent)[];
const KEY = { deviceId: 'integer', id: 'integer' } as const;
const CORRECT = updateOf('notifications', { ...CONTENT_COLUMNS, ...KEY }, {}, undefined, 2);
const RETRACT = updateOf('notifications', { status: 'text', reason: 'text', ...KEY }, {}, undefined, 2);

/** What a replay changes about the notifications of a device. */
export interface NotificationPlan {
  readonly changed: readonly {
    readonly id: number;
    readonly triggerId: number;
    readonly content: NotificationContent;
  }[];
  readonly gone: readonly Gone[];
  /** In the order in which they are recorded. */
  readonly added: readonly Firing[];
}

interface Gone {
  readonly id: number;
  readonly userId: number;
  readonly triggerId: number;
  readonly status: string;
}

/** Whether something became known only by data that came late. */
export type IsLate = (decided: { readonly decidedAt: number }) => boolean;

/**
 * Compares firings with the notifications recorded after a moment. What came in order was never judged before; where
 * some of it is recorded all the same, a replay that died had written it ahead.
 */
export async function planNotifications(
  query: Tx,
  device: Pick<Recording, 'deviceId' | 'deviceName'> & { readonly mayBeTold: MayBeTold; readonly silentUntil: number },
  after: number,
  all: readonly Firing[],
  isLate: IsLate,
): Promise<NotificationPlan> {
  const { mayBeTold, silentUntil } = device;
  const firings = all.filter(({ rule, decidedAt }) => decidedAt > silentUntil && mayBeTold(rule.userId));
  const recordedBefore = await query
    .selectFrom('notifications')
    .select(['id', 'userId', 'triggerId', 'zoneId', 'kind', 'timestamp', 'decidedAt', 'status', 'late'])
    .where('deviceId', '=', device.deviceId)
    .where('decidedAt', '>', Math.max(after, silentUntil))
    .where('ordered', '=', 1)
    .where('status', '!=', 'retracted')
    // Several of one instant are compared in the order in which they were told.
    .orderBy('id')
    .execute();
  // What was told to those whose right has ended stays as they know it.
  const olds = recordedBefore.filter(({ userId }) => mayBeTold(userId));
  const keyOf = (triggerId: number, zoneId: number | null | undefined) => `${triggerId} ${zoneId ?? ''}`;
  const matched = (late: boolean) =>
    matchEvents(
      olds
        .filter((row) => isLate(row) === late)
        .map((row) => ({ ...row, key: keyOf(row.triggerId, row.zoneId), at: row.timestamp })),
      firings
        .filter((firing) => isLate(firing) === late)
        .map((firing) => ({
          firing,
          key: keyOf(firing.rule.triggerId, firing.zoneId),
          kind: firing.kind,
          at: firing.at,
        })),
    );
  const [late, inOrder] = [matched(true), matched(false)];
  const same = [...late.same, ...inOrder.same];
  const changed: NotificationPlan['changed'][number][] = [];
  for (let start = 0; start < same.length; start += AT_ONCE) {
    const some = same.slice(start, start + AT_ONCE).map(({ old, new: { firing } }) => ({
      ...old,
      content: contentOf(firing, { deviceName: device.deviceName, late: old.late !== 0 }),
    }));
    changed.push(...(await changedOf(query, device.deviceId, some)));
    // There may be very many.
    await new Promise((resolve) => setImmediate(resolve));
  }
  const addedInOrder = new Set(inOrder.added.map(({ firing }) => firing));
  return {
    changed,
    gone: [...late.gone, ...inOrder.gone],
    added: [
      ...late.added.map(({ firing }) => firing).sort((a, b) => a.at - b.at),
      ...firings.filter((firing) => addedInOrder.has(firing)),
    ],
  };
}

/** The same in parts of a bounded size, to be written one after the other. There is always one. */
export function partsOf({ changed, gone, added }: NotificationPlan, atOnce: number): NotificationPlan[] {
  const none: NotificationPlan = { changed: [], gone: [], added: [] };
  if (changed.length + gone.length + added.length <= atOnce) return [{ changed, gone, added }];
  return [
    ...chunksOf(gone, atOnce).map((part) => ({ ...none, gone: part })),
    ...chunksOf(changed, atOnce).map((part) => ({ ...none, changed: part })),
    ...chunksOf(added, atOnce).map((part) => ({ ...none, added: part })),
  ];
}

function chunksOf<T>(items: readonly T[], atOnce: number): (readonly T[])[] {
  const chunks: (readonly T[])[] = [];
  for (let start = 0; start < items.length; start += atOnce) chunks.push(items.slice(start, start + atOnce));
  return chunks;
}

export async function correctNotifications(
  tx: Tx,
  storeKind: StoreKind,
  device: Pick<Recording, 'deviceId' | 'deviceName' | 'oldNewsMs'> & { readonly mayBeTold: MayBeTold },
  { changed, gone, added }: NotificationPlan,
  { now, isLate }: { readonly now: number; readonly isLate: IsLate },
): Promise<NotificationChanges> {
  await runRows(
    tx,
    storeKind,
    CORRECT,
    changed.map(({ id, content }) => [...COLUMNS.map((column) => content[column]), device.deviceId, id]),
  );
  await runRows(
    tx,
    storeKind,
    RETRACT,
    gone.map(({ id }) => ['retracted', RETRACTED, device.deviceId, id]),
  );
  const record = (late: boolean) =>
    recordFirings(
      tx,
      storeKind,
      added.filter((firing) => isLate(firing) === late),
      { ...device, now, late },
    );
  const recorded = [...(await record(true)), ...(await record(false))];
  for (const triggerId of new Set([...gone, ...changed].map((one) => one.triggerId)))
    await updateLastTriggered(tx, device.deviceId, triggerId);
  return {
    added: recorded,
    retracted: gone.map(({ id, userId, triggerId, status }) => ({ id, userId, triggerId, status, reason: RETRACTED })),
  };
}

/** Mostly nothing has changed and nothing is written. */
async function changedOf<Same extends { readonly id: number; readonly content: NotificationContent }>(
  query: Tx,
  deviceId: number,
  same: readonly Same[],
): Promise<Same[]> {
  const rows = await query
    .selectFrom('notifications')
    .select(['id', ...COLUMNS])
    .where('deviceId', '=', deviceId)
    .where(
      'id',
      'in',
      same.map(({ id }) => id),
    )
    .execute();
  const recorded = new Map(rows.map((row) => [row.id, row]));
  return same.filter(({ id, content }) => !isUnchanged(recorded.get(id), content));
}

/** JSON is compared by value, since PostgreSQL may store the same value as another text. */
function isUnchanged(row: NotificationContent | undefined, content: NotificationContent): boolean {
  return (
    row !== undefined &&
    COLUMNS.every((column) =>
      CONTENT_COLUMNS[column] === 'json'
        ? isDeepStrictEqual(JSON.parse(String(row[column])), JSON.parse(String(content[column])))
        : row[column] === content[column],
    )
  );
}
