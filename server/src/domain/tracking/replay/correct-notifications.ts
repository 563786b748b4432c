import { isDeepStrictEqual } from 'node:util';
import type { Kysely } from 'kysely';
import { runRows } from '../../../platform/storage/bulk.ts';
import type { Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import { recordFirings } from '../state/record-firings.ts';
import {
  CONTENT_COLUMNS,
  CORRECT,
  contentOf,
  type MayBeNotified,
  type NotificationContent,
  RETRACT,
  type RecordedNotification,
  type Recording,
  updateLastTriggered,
} from '../state/record-notification.ts';

/**
 * Compares the firings of a replay with the recorded ones: matching ones are corrected, the others added or retracted.
 */

type Tx = Kysely<Tables>;
export interface NotificationChanges {
  readonly added: readonly RecordedNotification[];
  readonly retracted: readonly { id: number; userId: number; triggerId: number; status: string; reason: string }[];
}

const RETRACTED = 'later data shows that it did not happen';
const AT_ONCE = 500;

const COLUMNS = Object.keys(CONTENT_COLUMNS) as (keyof NotificationContent)[];

/** What a replay changes about the notifications of a device. */
export interface NotificationPlan {
  readonly changed: readonly {
    readonly id: number;
    readonly triggerId: number;
    readonly content: NotificationContent;
  }[];
  readonly gone: readonly Gone[];
  /** In the order of recording. */
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
 * Compares firings with the notifications recorded after a moment. What came in order was never evaluated before; where
 * some of it is recorded all the same, a replay that died had written it ahead.
 */
export async function planNotifications(
  query: Tx,
  device: Pick<Recording, 'deviceId' | 'deviceName'> & {
    readonly mayBeNotified: MayBeNotified;
    readonly silentUntil: number;
  },
  after: number,
  all: readonly Firing[],
  isLate: IsLate,
): Promise<NotificationPlan> {
  const { mayBeNotified, silentUntil } = device;
  const firings = all.filter(({ rule, decidedAt }) => decidedAt > silentUntil && mayBeNotified(rule.userId));
  const recordedBefore = await query
    .selectFrom('notifications')
    .select(['id', 'userId', 'triggerId', 'zoneId', 'kind', 'timestamp', 'decidedAt', 'status', 'late'])
    .where('deviceId', '=', device.deviceId)
    .where('decidedAt', '>', Math.max(after, silentUntil))
    .where('isOrdered', '=', 1)
    .where('status', '!=', 'retracted')
    // Several notifications of one time are compared in the order of their creation.
    .orderBy('id')
    .execute();
  // Notifications of users whose right has ended stay unchanged.
  const olds = recordedBefore.filter(({ userId }) => mayBeNotified(userId));
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
  device: Pick<Recording, 'deviceId' | 'deviceName' | 'oldNewsMs'> & { readonly mayBeNotified: MayBeNotified },
  { changed, gone, added }: NotificationPlan,
  { now, isLate }: { readonly now: number; readonly isLate: IsLate },
): Promise<NotificationChanges> {
  await runRows(
    tx,
    CORRECT,
    changed.map(({ id, content }) => [...COLUMNS.map((column) => content[column]), device.deviceId, id]),
  );
  await runRows(
    tx,
    RETRACT,
    gone.map(({ id }) => ['retracted', RETRACTED, device.deviceId, id]),
  );
  const record = (late: boolean) =>
    recordFirings(
      tx,
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

/**
 * JSON is compared by value, since PostgreSQL may store the same value as another text. The sentence stays as it was sent:
 * this version may word it differently, and the device may have another name since.
 */
function isUnchanged(row: NotificationContent | undefined, content: NotificationContent): boolean {
  return (
    row !== undefined &&
    COLUMNS.every((column) =>
      CONTENT_COLUMNS[column] === 'json'
        ? isDeepStrictEqual(factsOf(row[column]), factsOf(content[column]))
        : row[column] === content[column],
    )
  );
}

function factsOf(json: unknown): unknown {
  const {
    message: _,
    sent: __,
    meta,
    ...rest
  } = JSON.parse(String(json)) as { message?: string; sent?: unknown; meta?: { deviceName?: string } };
  return { ...rest, meta: { ...meta, deviceName: undefined } };
}

/** Which events of a replay are the same as before: per trigger and zone, by order and nearest time. */

interface Comparable {
  readonly key: string;
  readonly kind: string;
  readonly at: number;
}

interface MatchedEvents<Old, New> {
  readonly same: { readonly old: Old; readonly new: New }[];
  /** Only what has no partner is new, or gone. */
  readonly added: New[];
  readonly gone: Old[];
}

/** Past this the sequences are too long to weigh every pairing; then those nearest in time are paired. */
const MAX_CELLS = 250_000;
/** An event that moved by more than this is another one. */
const APART_MS = 24 * 3_600_000;

function matchEvents<Old extends Comparable, New extends Comparable>(
  olds: readonly Old[],
  news: readonly New[],
): MatchedEvents<Old, New> {
  const matched: MatchedEvents<Old, New> = { same: [], added: [], gone: [] };
  const left = grouped(olds);
  for (const [key, sequence] of grouped(news)) {
    const before = left.get(key) ?? [];
    left.delete(key);
    pair(before, sequence, matched);
  }
  for (const remaining of left.values()) matched.gone.push(...remaining);
  return matched;
}

function grouped<T extends Comparable>(items: readonly T[]): Map<string, T[]> {
  const groups = new Map<string, T[]>();
  for (const item of items) {
    const group = groups.get(item.key);
    if (group) group.push(item);
    else groups.set(item.key, [item]);
  }
  for (const group of groups.values()) group.sort((a, b) => a.at - b.at);
  return groups;
}

function pair<Old extends Comparable, New extends Comparable>(
  olds: Old[],
  news: New[],
  matched: MatchedEvents<Old, New>,
): void {
  // Most of a replay comes out as it was; only what lies between unchanged ends is weighed.
  let start = 0;
  while (start < olds.length && start < news.length && isSame(olds[start]!, news[start]!)) start++;
  let end = 0;
  while (end < olds.length - start && end < news.length - start && isSame(olds.at(-1 - end)!, news.at(-1 - end)!))
    end++;
  for (let index = 0; index < start; index++) matched.same.push({ old: olds[index]!, new: news[index]! });
  const [before, after] = [olds.slice(start, olds.length - end), news.slice(start, news.length - end)];
  if (before.length * after.length <= MAX_CELLS) weigh(before, after, matched);
  else nearest(before, after, matched);
  for (let index = end; index > 0; index--) matched.same.push({ old: olds.at(-index)!, new: news.at(-index)! });
}

const isSame = (a: Comparable, b: Comparable) => a.kind === b.kind && a.at === b.at;
const mayPair = (a: Comparable, b: Comparable) => a.kind === b.kind && Math.abs(a.at - b.at) <= APART_MS;

/** The pairing in order with the most pairs, and of those the one that moves events least. */
function weigh<Old extends Comparable, New extends Comparable>(
  olds: Old[],
  news: New[],
  { same, added, gone }: MatchedEvents<Old, New>,
): void {
  const width = news.length + 1;
  const best = new Float64Array((olds.length + 1) * width);
  for (let i = olds.length - 1; i >= 0; i--) {
    for (let j = news.length - 1; j >= 0; j--) {
      const skip = Math.max(best[(i + 1) * width + j]!, best[i * width + j + 1]!);
      const [old, later] = [olds[i]!, news[j]!];
      const worth = mayPair(old, later)
        ? 2 - Math.abs(old.at - later.at) / APART_MS + best[(i + 1) * width + j + 1]!
        : 0;
      best[i * width + j] = Math.max(skip, worth);
    }
  }
  let [i, j] = [0, 0];
  while (i < olds.length && j < news.length) {
    const here = best[i * width + j]!;
    if (here === best[(i + 1) * width + j]!) gone.push(olds[i++]!);
    else if (here === best[i * width + j + 1]!) added.push(news[j++]!);
    else same.push({ old: olds[i++]!, new: news[j++]! });
  }
  gone.push(...olds.slice(i));
  added.push(...news.slice(j));
}

function nearest<Old extends Comparable, New extends Comparable>(
  olds: Old[],
  news: New[],
  { same, added, gone }: MatchedEvents<Old, New>,
): void {
  let i = 0;
  for (const later of news) {
    while (i < olds.length && olds[i]!.at < later.at && !mayPair(olds[i]!, later)) gone.push(olds[i++]!);
    if (i < olds.length && mayPair(olds[i]!, later)) same.push({ old: olds[i++]!, new: later });
    else added.push(later);
  }
  gone.push(...olds.slice(i));
}
