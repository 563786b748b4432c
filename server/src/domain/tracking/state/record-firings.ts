import type { Kysely } from 'kysely';
import { insertOf, type RowsStatement, runRows } from '../../../platform/storage/bulk.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import {
  awaitAcknowledgements,
  CONTENT_COLUMNS,
  type Fired,
  type MayBeTold,
  type RecordedNotification,
  type Recording,
  readFired,
  recordFiring,
  rowOf,
} from './record-notification.ts';

type Tx = Kysely<Tables>;
type Recorded = ReturnType<typeof rowOf>;

const COLUMNS = {
  created: 'time',
  deviceId: 'integer',
  userId: 'integer',
  triggerId: 'integer',
  status: 'text',
  reason: 'text',
  people: 'flag',
  ordered: 'flag',
  severity: 'text',
  unread: 'flag',
  acknowledgedAt: 'time',
  acknowledgedBy: 'integer',
  note: 'text',
  escalatedAt: 'time',
  ...CONTENT_COLUMNS,
} as const satisfies Record<keyof Recorded, string>;
const NAMES = Object.keys(COLUMNS) as (keyof Recorded)[];
const INSERT = insertOf('notifications', COLUMNS);

/** `lastTriggered` only grows where nothing is retracted. */
const FIRED: RowsStatement = {
  columns: { at: 'time', deviceId: 'integer', id: 'integer' },
  sqlite: `UPDATE "notificationTriggers" SET "lastTriggered" = MAX(COALESCE("lastTriggered", ${Number.MIN_SAFE_INTEGER}), ?) WHERE "deviceId" = ? AND "id" = ?`,
  postgres: `UPDATE "notificationTriggers" SET "lastTriggered" = GREATEST("lastTriggered", given."at") FROM given WHERE "notificationTriggers"."deviceId" = given."deviceId" AND "notificationTriggers"."id" = given."id"`,
};

/** Records firings in their order, many with as few statements as one. */
export async function recordFirings(
  tx: Tx,
  storeKind: StoreKind,
  all: readonly Firing[],
  recording: Recording & { readonly mayBeTold: MayBeTold },
): Promise<RecordedNotification[]> {
  const firings = all.filter(({ rule }) => recording.mayBeTold(rule.userId));
  if (firings.length === 0) return [];
  if (firings.length === 1) return [await recordFiring(tx, firings[0]!, recording)];
  const triggers = await readFired(tx, recording.deviceId, [...new Set(firings.map(({ rule }) => rule.triggerId))]);
  const isMuted = await mutes(tx, recording.deviceId, firings, triggers);
  const rows = firings.map((firing) => {
    const severity = triggers.get(firing.rule.triggerId)?.severity;
    return rowOf(firing, recording, { isMuted: isMuted(firing), severity });
  });
  const ids = await runRows(
    tx,
    storeKind,
    INSERT,
    rows.map((row) => NAMES.map((name) => row[name])),
  );
  const lastAt = new Map<number, number>();
  for (const { status, triggerId, timestamp } of rows)
    if (status === 'valid') lastAt.set(triggerId, Math.max(timestamp, lastAt.get(triggerId) ?? timestamp));
  await runRows(
    tx,
    storeKind,
    FIRED,
    [...lastAt].map(([triggerId, timestamp]) => [timestamp, recording.deviceId, triggerId]),
  );
  const recorded = rows.map((row, index) => ({ id: ids[index]!, ...row }));
  await awaitAcknowledgements(tx, recorded, (triggerId) => triggers.get(triggerId));
  return recorded;
}

/** Says of each firing, in their order, whether another one that is sent lies too near; those said to be sent count. */
async function mutes(
  tx: Tx,
  deviceId: number,
  firings: readonly Firing[],
  triggers: ReadonlyMap<number, Fired>,
): Promise<(firing: Firing) => boolean> {
  const muting = new Map<number, { readonly muteMs: number; readonly sentAt: number[] }>();
  for (const { id, muteFor } of triggers.values()) {
    const muteMs = (muteFor ?? 0) * 1000;
    if (muteMs === 0) continue;
    const times = firings.filter(({ rule }) => rule.triggerId === id).map(({ at }) => at);
    const sent = await tx
      .selectFrom('notifications')
      .select('timestamp')
      .where('deviceId', '=', deviceId)
      .where('triggerId', '=', id)
      .where('status', '=', 'valid')
      .where('timestamp', '>', times.reduce((a, b) => Math.min(a, b)) - muteMs)
      .where('timestamp', '<', times.reduce((a, b) => Math.max(a, b)) + muteMs)
      .execute();
    muting.set(id, { muteMs, sentAt: sent.map(({ timestamp }) => timestamp) });
  }
  return ({ rule, at }) => {
    const of = muting.get(rule.triggerId);
    if (of === undefined) return false;
    if (of.sentAt.some((sentAt) => Math.abs(sentAt - at) < of.muteMs)) return true;
    of.sentAt.push(at);
    return false;
  };
}
