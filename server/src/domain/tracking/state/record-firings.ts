import type { Kysely } from 'kysely';
import { runRows } from '../../../platform/storage/bulk.ts';
import type { Tables } from '../../schema/tables.ts';
import type { Firing } from '../../triggers/evaluator.ts';
import {
  awaitAcknowledgements,
  FIRED,
  type Fired,
  INSERT,
  INSERTED,
  type MayBeNotified,
  type RecordedNotification,
  type Recording,
  readFired,
  recordFiring,
  rowOf,
} from './record-notification.ts';

type Tx = Kysely<Tables>;
/** Records firings in their order, many with as few statements as one. */
export async function recordFirings(
  tx: Tx,
  all: readonly Firing[],
  recording: Recording & { readonly mayBeNotified: MayBeNotified },
): Promise<RecordedNotification[]> {
  const firings = all.filter(({ rule }) => recording.mayBeNotified(rule.userId));
  if (firings.length === 0) return [];
  if (firings.length === 1) return [await recordFiring(tx, firings[0]!, recording)];
  const triggers = await readFired(tx, recording.deviceId, [...new Set(firings.map(({ rule }) => rule.triggerId))]);
  const isMuted = await mutes(tx, recording.deviceId, firings, triggers);
  const rows = firings.map((firing) => {
    return rowOf(firing, recording, { ...triggers.get(firing.rule.triggerId), isMuted: isMuted(firing) });
  });
  const ids = await runRows(
    tx,
    INSERT,
    rows.map((row) => INSERTED.map((name) => row[name])),
  );
  const lastAt = new Map<number, number>();
  for (const { status, triggerId, timestamp } of rows)
    if (status === 'valid') lastAt.set(triggerId, Math.max(timestamp, lastAt.get(triggerId) ?? timestamp));
  await runRows(
    tx,
    FIRED,
    [...lastAt].map(([triggerId, timestamp]) => [timestamp, recording.deviceId, triggerId]),
  );
  const recorded = rows.map((row, index) => ({ id: ids[index]!, ...row }));
  await awaitAcknowledgements(tx, recorded, (triggerId) => triggers.get(triggerId));
  return recorded;
}

/** Returns whether a firing is muted: a firing of the trigger that is sent is within its mute time. To be called in order. */
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
