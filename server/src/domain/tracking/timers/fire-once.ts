import { type Kysely, sql } from 'kysely';
import { readForwardersAndListeners } from '../../delivery/listeners.ts';
import { send } from '../../delivery/send.ts';
import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import { hasRights, may, type NeededRight } from '../../rights.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { Firing, TriggerRule } from '../../triggers/evaluator.ts';
import { notificationEvents } from '../state/live-events.ts';
import { type RecordedNotification, recordOnce } from '../state/record-notification.ts';

/**
 * Triggers that do not follow from a device's own data in fix time. They are evaluated once and never retracted. Every
 * server on the same database evaluates them, so each firing claims a row first: a server that finds it claimed writes
 * nothing.
 */

/** Long after every server has seen that an occasion was claimed. */
const CLAIM_KEPT_MS = 86_400_000;

export interface WatchedTrigger {
  readonly id: number;
  readonly deviceId: number;
  readonly userId: number;
  readonly name: string;
  readonly parameters: string | null;
  readonly deviceName: string | null;
}

export interface FiredOnce {
  readonly deviceId: number;
  readonly notifications: readonly RecordedNotification[];
}

/** Whether this server is the one that notifies. */
export type Claim = (tx: Kysely<Tables>) => Promise<boolean>;

export const ruleOf = (trigger: WatchedTrigger, type: TriggerRule['type']): TriggerRule => ({
  triggerId: trigger.id,
  version: 0,
  userId: trigger.userId,
  name: trigger.name,
  type,
  parameters: trigger.parameters ? JSON.parse(trigger.parameters) : {},
});

/** The triggers of a type on active devices whose users may still manage them, with what is known of these. */
export const watchedTriggers = (on: Kysely<Tables>, type: TriggerRule['type'], now: number) =>
  on
    .selectFrom('notificationTriggers as t')
    .innerJoin('devices as d', 'd.id', 't.deviceId')
    .innerJoin('deviceStates as s', 's.deviceId', 't.deviceId')
    .select([
      't.id',
      't.deviceId',
      't.userId',
      't.name',
      't.parameters',
      'd.name as deviceName',
      'd.expires',
      's.reportedAt',
    ])
    .where('t.type', '=', type)
    .where('t.paused', '=', 0)
    .where((when) => when.or([when('t.snoozedUntil', 'is', null), when('t.snoozedUntil', '<=', now)]))
    .where('d.deletedAt', 'is', null)
    .where('d.active', '=', 1)
    .where(may('manage', 't.userId', 't.deviceId'));

/**
 * Records a firing and sends it in the transaction of its claim, so that a server that fails leaves it to another one.
 * Returns undefined where another server has claimed it, or the user's right has ended since it was evaluated.
 * @param about other devices that it mentions
 */
export async function fireOnce(
  store: Store,
  policy: SendingPolicy,
  trigger: WatchedTrigger,
  firing: Firing,
  { now, claim, about = [] }: { readonly now: number; readonly claim: Claim; readonly about?: readonly number[] },
): Promise<FiredOnce | undefined> {
  const { deviceId } = trigger;
  const recording = {
    deviceId,
    deviceName: trigger.deviceName ?? `Device ${deviceId}`,
    now,
    late: false,
    oldNewsMs: policy.oldNewsMs,
  };
  const needed: { deviceId: number; right: NeededRight }[] = [
    { deviceId, right: 'manage' },
    ...about.map((id) => ({ deviceId: id, right: 'view' as const })),
  ];
  return store.transaction(async (tx) => {
    if (!(await hasRights(tx, trigger.userId, needed)) || !(await claim(tx))) return undefined;
    const notifications = [await recordOnce(tx, firing, recording)];
    const forwarders = await readForwardersAndListeners(tx, deviceId, now);
    const outgoing = { deviceId, forwarders, notifications };
    await send(tx, policy, [outgoing], now);
    await appendLiveEvents(tx, notificationEvents(notifications), now);
    return { deviceId, notifications };
  });
}

/**
 * Claims an occasion of a trigger, which must be the same number on every server: a time from the database, never one of
 * the server's own clock. A trigger that was deleted in the meantime has nothing to claim.
 */
export function claimOccasion(triggerId: number, occasion: number): Claim {
  return async (tx) => {
    const claimed = await tx
      .insertInto('firedOccasions')
      .columns(['triggerId', 'occasion'])
      .expression(
        tx
          .selectFrom('notificationTriggers')
          .select(['id', sql<number>`CAST(${occasion} AS BIGINT)`.as('occasion')])
          .where('id', '=', triggerId),
      )
      .onConflict((on) => on.doNothing())
      .returning('triggerId')
      .executeTakeFirst();
    if (claimed === undefined) return false;
    await tx
      .deleteFrom('firedOccasions')
      .where('triggerId', '=', triggerId)
      .where('occasion', '<', occasion - CLAIM_KEPT_MS)
      .execute();
    return true;
  };
}
