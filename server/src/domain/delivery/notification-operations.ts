import type { AnswerOf } from '@trackway/contract/operations.ts';
import { type notificationOperations as contract, notification } from '@trackway/contract/resources/notification.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { sql } from 'kysely';
import type { Call, Caller, Handlers } from '../../calls.ts';
import { because } from '../../platform/because.ts';
import type { Scope } from '../../platform/collection.ts';
import type { ByDatabase } from '../../platform/storage/dialect.ts';
import { columnsOf } from '../../platform/storage/shape.ts';
import { modelNotFound } from '../../refusals.ts';
import { byCaller, recordAudit } from '../audit/record.ts';
import { isWithinToken, withinToken } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, ownerOf, searchOf } from '../family.ts';
import { ALL_DEVICES, appendLiveEvents } from '../live/append-live-events.ts';
import { gatewaySentence, shownGateways } from '../position-gateways.ts';
import { storedPosition } from '../positions/pack.ts';
import { spanOf } from '../range.ts';
import { hasRights } from '../rights.ts';
import type { NotificationRow } from '../schema/rows/rule-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { presentNotification } from './presented.ts';

/** Notifications belong to the notified user; others see them only as admins. */
function aboutDevice({ caller, deviceId }: Call): Scope {
  return caller.admin
    ? children('deviceId', deviceId)
    : { sql: '"deviceId" = ? AND "userId" = ?', cells: [deviceId, caller.userId] };
}

/** Notifications with what lists show of them besides their columns. */
const SHOWN: ByDatabase<string> = {
  sqlite: shown(`json_extract("params", '$.message')`),
  postgres: shown(`("params" ->> 'message') COLLATE "C"`),
};

function shown(message: string): string {
  const stored = shapeOf(notification)
    .flatMap(columnsOf)
    .filter((name) => !['message', 'dismissedOn', 'dismissedBy'].includes(name))
    .map((name) => `"${name}"`);
  return `(SELECT ${stored.join(', ')}, ${message} AS "message", "acknowledgedAt" AS "dismissedOn",
  "acknowledgedBy" AS "dismissedBy" FROM "notifications") AS "notifications"`;
}

/** The gateways that located the deciding position, if the user may still see the device. */
async function gatewaysOf(
  { query }: Store,
  { pointId, deviceId }: { readonly pointId: number | null; readonly deviceId: number },
  userId: number,
): Promise<string | null> {
  if (pointId === null || !(await hasRights(query, userId, [{ deviceId, right: 'view' }]))) return null;
  const point = await storedPosition(query, deviceId, pointId, ['locatingGateways', 'locationType']);
  return point?.locationType === 'gateway' ? point.locatingGateways : null;
}

const MOST_ACTIVITY = 10_000;
/** Where a reading decided, the published name of its id is that of the position. */
const COLUMNS = shapeOf(notification)
  .flatMap(columnsOf)
  .map((name) => (name === 'pointId' ? `COALESCE("readingId", "pointId") AS "pointId"` : `"${name}"`))
  .join(', ');

export function notificationOperations(
  store: Store,
): Handlers<Exclude<keyof typeof contract, 'tryTrigger'> | 'getRecentActivity'> {
  const rows = collectionOf(store, 'notifications', notification, { timeRange: 'timestamp' });
  const from = { sql: store.dialect.pick(SHOWN), cells: [] };
  const ofUser = familyOf('notification', rows, (call) => ({
    ...withinToken(call.caller, children('userId', call.userId), 'deviceId'),
    from,
  }));
  const ofDevice = familyOf('notification', rows, (call) => ({ ...aboutDevice(call), from }));

  return {
    listNotifications: (call) => listOf(ofUser, call),
    countNotifications: (call) => countOf(ofUser, call),
    ...attentionOperations(store),
    listDeviceNotifications: (call) => listOf(ofDevice, call),
    countDeviceNotifications: (call) => countOf(ofDevice, call),

    async getRecentActivity(call) {
      const { from, to } = spanOf(call.parameters.dateRange, call.now);
      const scope = ofUser.scope(call);
      return searchOf(store, {
        sql: `SELECT ${COLUMNS} FROM ${store.dialect.pick(SHOWN)} WHERE (${scope.sql}) AND "timestamp" >= ? AND "timestamp" <= ?
          AND "status" <> 'retracted' ORDER BY "timestamp" DESC, "id" DESC LIMIT ${MOST_ACTIVITY}`,
        cells: [...scope.cells, from, to],
        shape: rows.shape,
        owner: ownerOf(call),
      });
    },

    async explainNotification({ caller, key }) {
      const row = await store.query.selectFrom('notifications').selectAll().where('id', '=', key).executeTakeFirst();
      if (row === undefined || (row.userId !== caller.userId && !caller.admin) || !isWithinToken(caller, row.deviceId))
        throw modelNotFound('notification', key);
      const explained = explain(presentNotification(row), row);
      const viewer = { userId: caller.userId, reaches: (id: number) => isWithinToken(caller, id) };
      const heardBy = await shownGateways(store, await gatewaysOf(store, row, caller.userId), viewer);
      if (heardBy.length === 0) return explained;
      const sentence = `${explained.sentence} ${gatewaySentence(heardBy)}`;
      return { ...explained, because: { ...explained.because, heardBy }, sentence };
    },
  };
}

interface Evidence {
  readonly pointId: number;
  readonly at: number;
  readonly distanceM: number;
  readonly accuracyM: number;
  readonly confidence: number;
  readonly stopped: boolean;
}

interface Recorded {
  readonly kind: string;
  readonly at: number;
  readonly decidedAt: number;
  readonly parameters: Record<string, unknown>;
  readonly triggerVersion: number;
  readonly facts: Record<string, unknown> & { evidence?: Evidence[]; thresholds?: { enter: number; exit: number } };
}

/** Why a trigger fired, by the facts that were recorded then. */
function explain(shown: Shown<typeof notification>, row: Omit<NotificationRow, 'id'>) {
  const recorded = JSON.parse(row.explanation) as Recorded;
  const { facts, parameters, triggerVersion, decidedAt } = recorded;
  const iso = (at: number) => new Date(at).toISOString();
  const evidence = facts.evidence?.map((one) => ({ ...one, at: iso(one.at) }));
  return {
    notification: shown,
    trigger: { id: row.triggerId, version: triggerVersion, parameters },
    because: { ...facts, ...(evidence && { evidence }), decidedAt: iso(decidedAt) },
    sentence: [whyOf(recorded), stateSentence(row)].filter(Boolean).join(' '),
  };
}

function whyOf({ kind, facts }: Recorded): string {
  const { evidence: [first] = [], thresholds, interpolated, confidence } = facts;
  if (interpolated)
    return `The device passed through the geofence between two fixes, with a confidence of ${percent(confidence as number)}.`;
  if (first && thresholds) {
    const where = first.stopped ? 'The device was stopped' : 'The fix was';
    const edge = `${Math.round(Math.abs(first.distanceM))} m ${first.distanceM < 0 ? 'inside' : 'outside'} the edge`;
    const [side, sure, needed] =
      kind === 'entry'
        ? ['inside', first.confidence, thresholds.enter]
        : ['outside', 1 - first.confidence, 1 - thresholds.exit];
    return `${where} ${edge}, with an accuracy of ${Math.round(first.accuracyM)} m: ${side} with a confidence of ${percent(sure)}. The required confidence is ${percent(needed)}.`;
  }
  if (facts.value !== undefined) return `The value was ${JSON.stringify(facts.value)}${limitOf(facts)}.`;
  return 'The reports of the device caused it.';
}

const LIMITS = { limit: 'limit', threshold: 'threshold', min: 'lower bound', max: 'upper bound' };

/** What the value was compared with, as far as it was. */
function limitOf(facts: Recorded['facts']): string {
  const given = Object.entries(LIMITS).filter(([name]) => facts[name] !== undefined);
  return given.map(([name, word]) => `; the ${word} is ${facts[name]}`).join('');
}

const percent = (share: number) => `${Math.round(share * 100)} %`;

function stateSentence({ status, reason, late, isForPeople }: Omit<NotificationRow, 'id'>): string {
  if (status !== 'valid') return `It is ${status}: ${reason}.`;
  if (!isForPeople) return 'It was recorded too late for people, so it was sent only to machines.';
  return late ? 'The data arrived late.' : '';
}

/** What people do with notifications: read them, and say that they take care. */

type AttentionOperation = Extract<
  keyof typeof contract,
  'getUnreadNotifications' | 'readNotifications' | 'acknowledgeNotification'
>;
type Unread = AnswerOf<'getUnreadNotifications'>;

/** Higher numbers are not counted exactly. */
const MOST_COUNTED = 1000;
/** Rows that one transaction marks as read. */
const AT_ONCE = 5000;

function attentionOperations(store: Store): Handlers<AttentionOperation> {
  return {
    getUnreadNotifications: ({ userId, caller }) => unreadOf(store.query, userId, caller),

    async readNotifications(call) {
      const { userId, caller, now } = call;
      const { ids, upTo } = call.body;
      for (;;) {
        const count = await store.transaction(async (tx) => {
          const marked = await markRead(tx, { userId, caller, ids: ids ?? [], upTo: upTo ?? 0 });
          if (marked > 0) await announceUnread(tx, userId, now);
          return marked;
        });
        if (count < AT_ONCE) break;
      }
      return unreadOf(store.query, userId, caller);
    },

    async acknowledgeNotification(call) {
      const { caller, key, now } = call;
      const { note } = call.body;
      return store.transaction(async (tx) => {
        const row = await tx.selectFrom('notifications').selectAll().where('id', '=', key).executeTakeFirst();
        if (
          row === undefined ||
          (row.userId !== caller.userId && !caller.admin) ||
          !isWithinToken(caller, row.deviceId)
        )
          throw modelNotFound('notification', key);
        const changes = {
          acknowledgedAt: row.acknowledgedAt ?? now,
          acknowledgedBy: row.acknowledgedBy ?? caller.userId,
          note: note ?? row.note,
          unread: 0,
        };
        await tx
          .updateTable('notifications')
          .set(changes)
          .where('deviceId', '=', row.deviceId)
          .where('id', '=', key)
          .execute();
        await endEscalation(tx, row, now);
        const detail = { notificationId: key };
        const { userId, deviceId } = row;
        await recordAudit(
          tx,
          { action: 'notification.acknowledged', ...byCaller(call), userId, deviceId, detail },
          now,
        );
        const after = presentNotification({ ...row, ...changes });
        await appendLiveEvents(tx, [{ kind: 'notification', deviceId, userId, event: after }], now);
        await announceUnread(tx, userId, now);
        return after;
      });
    },
  };
}

/** An acknowledged notification is not sent to other people. */
async function endEscalation(
  tx: Tx,
  {
    id,
    deviceId,
    escalatedAt,
  }: { readonly id: number; readonly deviceId: number; readonly escalatedAt: number | null },
  now: number,
): Promise<void> {
  await tx.deleteFrom('escalations').where('deviceId', '=', deviceId).where('notificationId', '=', id).execute();
  if (escalatedAt === null) return;
  await tx
    .updateTable('outbox')
    .set({ state: 'cancelled', ...because('acknowledged'), ended: now })
    .where('notificationId', '=', id)
    .where('created', '>=', escalatedAt)
    .where('state', 'in', ['queued', 'held'])
    .execute();
}

interface Marked {
  readonly userId: number;
  readonly caller: Caller;
  readonly ids: readonly number[];
  readonly upTo: number;
}

async function markRead(tx: Tx, { userId, caller, ids, upTo }: Marked): Promise<number> {
  let wanted = tx
    .selectFrom('notifications')
    .select('id')
    .where('userId', '=', userId)
    .where('unread', '=', 1)
    .where((when) =>
      when.or([when('id', '<=', upTo), ...(ids.length > 0 ? [when('id', 'in', [...new Set(ids)])] : [])]),
    )
    .limit(AT_ONCE);
  if (caller.scope?.deviceIds !== undefined) wanted = wanted.where('deviceId', 'in', [...caller.scope.deviceIds]);
  const found = await wanted.execute();
  for (let start = 0; start < found.length; start += 500)
    await tx
      .updateTable('notifications')
      .set({ unread: 0 })
      .where(
        'id',
        'in',
        found.slice(start, start + 500).map(({ id }) => id),
      )
      .execute();
  return found.length;
}

async function unreadOf(on: Tx, userId: number, { scope }: Pick<Caller, 'scope'>): Promise<Unread> {
  let counted = on
    .selectFrom('notifications')
    .select('severity')
    .where('userId', '=', userId)
    .where('unread', '=', 1)
    .where('status', '=', 'valid')
    .limit(MOST_COUNTED);
  if (scope?.deviceIds !== undefined) counted = counted.where('deviceId', 'in', [...scope.deviceIds]);
  const found = await on
    .selectFrom(counted.as('n'))
    .select([
      'n.severity',
      // A number on both engines.
      sql<number>`COUNT(*)`.as('count'),
    ])
    .groupBy('n.severity')
    .execute();
  const of = (severity: string) => Number(found.find((one) => one.severity === severity)?.count ?? 0);
  const [info, warning, critical] = [of('info'), of('warning'), of('critical')];
  return { unread: info + warning + critical, critical, warning };
}

/** Tells the other pages of the user how many are unread now. */
async function announceUnread(tx: Tx, userId: number, now: number): Promise<void> {
  const event = await unreadOf(tx, userId, {});
  await appendLiveEvents(tx, [{ kind: 'unread', deviceId: ALL_DEVICES, userId, event }], now);
}
