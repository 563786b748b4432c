import type { Severity } from '@trackway/contract/severities.ts';
import type { Kysely } from 'kysely';
import { insertOf, type RowsStatement, updateAtHome, updateOf } from '../../../platform/storage/bulk.ts';
import { isUrgent } from '../../delivery/sending-policy.ts';
import type { NotificationRow } from '../../schema/rows/rule-rows.ts';
import type { Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import { reportOf, sentenceOf, subtypeOf } from '../../triggers/sentence.ts';
import { isPlain, PLAIN_SPEECH, type Speech, speechOf } from '../../users/speech.ts';

/** Records firings as notifications. Whether one is muted, or too old for people, is decided here and stays so. */

export interface Recording {
  readonly deviceId: number;
  readonly deviceName: string;
  readonly now: number;
  readonly late: boolean;
  /** An event that is older than this when it is recorded is sent to machines only. */
  readonly oldNewsMs: number;
}

/**
 * Whether a user may still be notified about the device. A trigger may be evaluated again after its user's right has
 * ended.
 */
export type MayBeNotified = (userId: number) => boolean;

export type RecordedNotification = Omit<NotificationRow, 'id'> & { id: number };

/** A firing that is evaluated once: no replay corrects it. */
export const recordOnce = (tx: Kysely<Tables>, firing: Firing, recording: Recording) =>
  recordFiring(tx, firing, recording, false);

export async function recordFiring(
  tx: Kysely<Tables>,
  firing: Firing,
  recording: Recording,
  isOrdered = true,
): Promise<RecordedNotification> {
  const trigger = (await readFired(tx, recording.deviceId, [firing.rule.triggerId])).get(firing.rule.triggerId);
  const muted = await isMuted(tx, recording.deviceId, firing, trigger);
  const row = rowOf(firing, recording, { ...trigger, isMuted: muted, isOrdered });
  const { id } = await tx.insertInto('notifications').values(row).returning('id').executeTakeFirstOrThrow();
  if (!muted) await updateLastTriggered(tx, recording.deviceId, firing.rule.triggerId);
  const recorded = { id, ...row };
  await awaitAcknowledgements(tx, [recorded], (triggerId) => (triggerId === trigger?.id ? trigger : undefined));
  return recorded;
}

/** What is read of a trigger that fired. */
export interface Fired {
  readonly id: number;
  readonly muteFor: number;
  readonly severity: Severity;
  readonly escalateAfter: number;
  /** That of the user who is notified. */
  readonly speech: Speech;
}

export async function readFired(
  tx: Kysely<Tables>,
  deviceId: number,
  triggerIds: readonly number[],
): Promise<Map<number, Fired>> {
  const triggers = await tx
    .selectFrom('notificationTriggers as t')
    .leftJoin('users as u', 'u.id', 't.userId')
    .select(['t.id', 't.muteFor', 't.severity', 't.escalateAfter', 'u.language', 'u.units'])
    .where('t.deviceId', '=', deviceId)
    .where('t.id', 'in', [...triggerIds])
    .execute();
  return new Map(
    triggers.map(({ language, units, ...trigger }) => [
      trigger.id,
      { ...trigger, speech: speechOf({ language, units }) },
    ]),
  );
}

/**
 * Records the time until which they must be acknowledged, before they are escalated. Old notifications are not
 * escalated.
 */
export async function awaitAcknowledgements(
  tx: Kysely<Tables>,
  recorded: readonly RecordedNotification[],
  triggerOf: (triggerId: number) => Fired | undefined,
): Promise<void> {
  const waiting = recorded.flatMap(({ id, deviceId, triggerId, status, isForPeople, created }) => {
    const afterS = triggerOf(triggerId)?.escalateAfter ?? 0;
    if (afterS === 0 || status !== 'valid' || isForPeople === 0) return [];
    return [{ deviceId, notificationId: id, dueAt: created + afterS * 1000 }];
  });
  if (waiting.length > 0) await tx.insertInto('escalations').values(waiting).execute();
}

interface RowFate {
  readonly isMuted: boolean;
  readonly isOrdered?: boolean;
  readonly severity?: Severity;
  readonly speech?: Speech;
}

export const rowOf = (
  firing: Firing,
  recording: Recording,
  { isMuted, isOrdered = true, severity = 'info', speech }: RowFate,
) => ({
  ...contentOf(firing, recording, speech),
  created: recording.now,
  deviceId: recording.deviceId,
  userId: firing.rule.userId,
  triggerId: firing.rule.triggerId,
  status: isMuted ? ('suppressed' as const) : ('valid' as const),
  reason: isMuted ? 'muted: the alert fired shortly before or after' : null,
  isForPeople: isForPeople(firing, recording) ? 1 : 0,
  isOrdered: isOrdered ? 1 : 0,
  severity,
  unread: isMuted ? 0 : 1,
  acknowledgedAt: null,
  acknowledgedBy: null,
  note: null,
  escalatedAt: null,
});

/**
 * What follows from the firing alone. Late data that moves the firing corrects it in place.
 *
 * @param speech of the user. The sentence is stored, because a later version may word it differently.
 */
export function contentOf(
  firing: Firing,
  { deviceName, late }: Pick<Recording, 'deviceName' | 'late'>,
  speech: Speech = PLAIN_SPEECH,
) {
  const { rule, kind, at, decidedAt, zoneId, facts } = firing;
  const { evidence, thresholds, fenceVersion, ...meta } = facts as Record<string, unknown>;
  const zone = facts.zone as { name: string | null } | undefined;
  const subtype = subtypeOf(firing);
  return {
    timestamp: at,
    decidedAt,
    kind,
    zoneId: zoneId ?? null,
    triggerVersion: rule.version,
    pointId: firing.pointId ?? null,
    readingId: firing.readingId ?? null,
    messageId: firing.messageId ?? null,
    late: late ? 1 : 0,
    params: JSON.stringify({
      type: rule.type,
      ...(subtype && { subtype }),
      name: rule.name,
      zones: zone?.name ? [zone.name] : [],
      message: sentenceOf(firing, deviceName),
      ...(!isPlain(speech) && { sent: { ...speech, sentence: sentenceOf(firing, deviceName, speech) } }),
      meta: { ...meta, ...reportOf(firing), deviceName, ...(late && { late: true }) },
    }),
    explanation: JSON.stringify({
      kind,
      at,
      decidedAt,
      parameters: rule.parameters,
      triggerVersion: rule.version,
      facts,
    }),
  };
}

export type NotificationContent = ReturnType<typeof contentOf>;

/** The columns with the content of a notification. */
export const CONTENT_COLUMNS = {
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
} as const satisfies Record<keyof NotificationContent, string>;

/** Muted if another one that was sent lies less than `muteFor` before or after it, in fix time. */
async function isMuted(
  tx: Kysely<Tables>,
  deviceId: number,
  { rule, at }: Firing,
  trigger: Fired | undefined,
): Promise<boolean> {
  const muteMs = (trigger?.muteFor ?? 0) * 1000;
  if (muteMs === 0) return false;
  const sent = await tx
    .selectFrom('notifications')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('triggerId', '=', rule.triggerId)
    .where('status', '=', 'valid')
    .where('timestamp', '>', at - muteMs)
    .where('timestamp', '<', at + muteMs)
    .limit(1)
    .executeTakeFirst();
  return sent !== undefined;
}

function isForPeople({ rule, at }: Firing, { now, oldNewsMs }: Recording): boolean {
  return isUrgent(rule.type) || now - at <= oldNewsMs;
}

/** `lastTriggered` is the time of the latest firing that was sent and has not been retracted. */
export async function updateLastTriggered(tx: Kysely<Tables>, deviceId: number, triggerId: number): Promise<void> {
  const { latest } = await tx
    .selectFrom('notifications')
    .select((of) => of.fn.max('timestamp').as('latest'))
    .where('deviceId', '=', deviceId)
    .where('triggerId', '=', triggerId)
    .where('status', '=', 'valid')
    .executeTakeFirstOrThrow();
  await tx
    .updateTable('notificationTriggers')
    .set({ lastTriggered: latest })
    .where('deviceId', '=', deviceId)
    .where('id', '=', triggerId)
    .execute();
}

/** The statements that record and correct notifications. */

type Recorded = ReturnType<typeof rowOf>;

const COLUMNS = {
  created: 'time',
  deviceId: 'integer',
  userId: 'integer',
  triggerId: 'integer',
  status: 'text',
  reason: 'text',
  isForPeople: 'flag',
  isOrdered: 'flag',
  severity: 'text',
  unread: 'flag',
  acknowledgedAt: 'time',
  acknowledgedBy: 'integer',
  note: 'text',
  escalatedAt: 'time',
  ...CONTENT_COLUMNS,
} as const satisfies Record<keyof Recorded, string>;
export const INSERTED = Object.keys(COLUMNS) as (keyof Recorded)[];
export const INSERT = insertOf('notifications', COLUMNS, 'deviceId');

/** `lastTriggered` only grows where nothing is retracted. */
const FIRED_COLUMNS = { at: 'time', deviceId: 'integer', id: 'integer' } as const;
const FIRED_ON_POSTGRES = `UPDATE "notificationTriggers" SET "lastTriggered" = GREATEST("lastTriggered", given."at") FROM given WHERE "notificationTriggers"."deviceId" = given."deviceId" AND "notificationTriggers"."id" = given."id"`;
export const FIRED: RowsStatement = {
  columns: FIRED_COLUMNS,
  sqlite: `UPDATE "notificationTriggers" SET "lastTriggered" = MAX(COALESCE("lastTriggered", ${Number.MIN_SAFE_INTEGER}), ?) WHERE "deviceId" = ? AND "id" = ?`,
  postgres: FIRED_ON_POSTGRES,
  spread: updateAtHome('notificationTriggers', FIRED_COLUMNS, FIRED_ON_POSTGRES, 'deviceId'),
};

const KEY = { deviceId: 'integer', id: 'integer' } as const;
export const CORRECT = updateOf('notifications', { ...CONTENT_COLUMNS, ...KEY }, {}, { keys: 2, by: 'deviceId' });
export const RETRACT = updateOf(
  'notifications',
  { status: 'text', reason: 'text', ...KEY },
  {},
  { keys: 2, by: 'deviceId' },
);
