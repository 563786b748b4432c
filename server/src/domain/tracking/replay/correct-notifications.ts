import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import { runRows, updateOf } from '../../../platform/storage/bulk.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import {
  contentOf,
  type MayBeTold,
  type RecordedNotification,
  type Recording,
  recordFirings,
  updateLastTriggered,
} from '../state/record-notification.ts';
import { matchEvents } from './match-events.ts';

/** Compares the firings of a replay with the recorded ones: those that match are corrected, the rest added or retracted. */

type Tx = Kysely<Tables>;
type Content = ReturnType<typeof contentOf>;

export interface NotificationChanges {
  readonly added: readonly RecordedNotification[];
  readonly retracted: readonly { id: number; userId: number; triggerId: number; status: string; reason: string }[];
}

const RETRACTED = 'data that came later shows that it did not happen';
const AT_ONCE = 500;

const CONTENT = {
  timestamp: 'time',
  decidedAt: 'time',
  kind: 'text',
  zoneId: 'integer',
  triggerVersion: 'integer',
  pointId: 'integer',
  readingId: 'integer',
  messageId: 'integer',
  late: 'flag',
  params: 'json',
  explanation: 'json',
} as const satisfies Record<keyof Content, string>;
const COLUMNS = Object.keys(CONTENT) as (keyof Content)[];
const CORRECT = updateOf('notifications', { ...CONTENT, id: 'integer' });
const RETRACT = updateOf('notifications', { status: 'text', reason: 'text', id: 'integer' });

export async function correctNotifications(
  tx: Tx,
  storeKind: StoreKind,
  device: Pick<Recording, 'deviceId' | 'deviceName' | 'oldNewsMs'> & { readonly mayBeTold: MayBeTold },
  after: number,
  all: readonly Firing[],
  now: number,
): Promise<NotificationChanges> {
  const { mayBeTold } = device;
  const firings = all.filter(({ rule }) => mayBeTold(rule.userId));
  const recordedBefore = await tx
    .selectFrom('notifications')
    .select(['id', 'userId', 'triggerId', 'zoneId', 'kind', 'timestamp', 'status', 'late'])
    .where('deviceId', '=', device.deviceId)
    .where('decidedAt', '>', after)
    .where('ordered', '=', 1)
    .where('status', '!=', 'retracted')
    .execute();
  // What was told to those whose right has ended stays as they know it.
  const olds = recordedBefore.filter(({ userId }) => mayBeTold(userId));
  const keyOf = (triggerId: number, zoneId: number | null | undefined) => `${triggerId} ${zoneId ?? ''}`;
  const { same, added, gone } = matchEvents(
    olds.map((row) => ({ ...row, key: keyOf(row.triggerId, row.zoneId), at: row.timestamp })),
    firings.map((firing) => ({
      firing,
      key: keyOf(firing.rule.triggerId, firing.zoneId),
      kind: firing.kind,
      at: firing.at,
    })),
  );
  const moved = new Set<number>();
  for (let start = 0; start < same.length; start += AT_ONCE) {
    const some = same.slice(start, start + AT_ONCE).map(({ old, new: { firing } }) => ({
      ...old,
      content: contentOf(firing, { deviceName: device.deviceName, late: old.late !== 0 }),
    }));
    for (const id of await correctSome(tx, storeKind, some)) moved.add(id);
  }
  await runRows(
    tx,
    storeKind,
    RETRACT,
    gone.map(({ id }) => ['retracted', RETRACTED, id]),
  );
  const recorded = await recordFirings(
    tx,
    added.map(({ firing }) => firing).sort((a, b) => a.at - b.at),
    { ...device, now, late: true },
  );
  for (const triggerId of new Set([...gone.map((old) => old.triggerId), ...moved]))
    await updateLastTriggered(tx, triggerId);
  return {
    added: recorded,
    retracted: gone.map(({ id, userId, triggerId, status }) => ({ id, userId, triggerId, status, reason: RETRACTED })),
  };
}

/** Mostly nothing has changed and nothing is written. Answers the triggers of the notifications that changed. */
async function correctSome(
  tx: Tx,
  storeKind: StoreKind,
  same: readonly { readonly id: number; readonly triggerId: number; readonly content: Content }[],
): Promise<number[]> {
  const rows = await tx
    .selectFrom('notifications')
    .select(['id', ...COLUMNS])
    .where(
      'id',
      'in',
      same.map(({ id }) => id),
    )
    .execute();
  const recorded = new Map(rows.map((row) => [row.id, row]));
  const changed = same.filter(({ id, content }) => !isUnchanged(recorded.get(id), content));
  await runRows(
    tx,
    storeKind,
    CORRECT,
    changed.map(({ id, content }) => [...COLUMNS.map((column) => content[column]), id]),
  );
  return changed.map(({ triggerId }) => triggerId);
}

/** JSON is compared by value, since PostgreSQL may store the same value as another text. */
function isUnchanged(row: Content | undefined, content: Content): boolean {
  return (
    row !== undefined &&
    COLUMNS.every((column) =>
      CONTENT[column] === 'json'
        ? isDeepStrictEqual(JSON.parse(String(row[column])), JSON.parse(String(content[column])))
        : row[column] === content[column],
    )
  );
}
