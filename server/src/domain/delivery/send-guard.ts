import { type Kysely, sql } from 'kysely';
import { because, NO_REASON } from '../../platform/because.ts';
import type { SendGuard } from '../../platform/outbox/ledger.ts';
import { type EndedRights, mayText } from '../rights.ts';
import type { Tables } from '../schema/tables.ts';
import { barredAmong } from './barred.ts';

/** What waits to be sent is sent only while its user may still know it. */

const AT_ONCE = 500;

/**
 * Triggers and forwarders need the right to manage their device, and to see another device that they mention. A
 * listener with credentials for the broker needs the right to see the device, and valid credentials. A report needs the
 * right to see each of its devices.
 */
const isCovered = (row: string) => {
  const [userId, deviceId, other] = ['userId', 'deviceId', 'otherDeviceId'].map((name) => `"${row}"."${name}"`);
  const isListening = `${mayText('view', userId!, deviceId!)} AND EXISTS (
    SELECT 1 FROM "tokens" "ofToken" WHERE "ofToken"."userId" = ${userId} AND "ofToken"."kind" = 'mqtt')`;
  const isReported = `NOT EXISTS (SELECT 1 FROM "reportDevices" "shown" WHERE "shown"."outboxId" = "${row}"."id"
    AND NOT ${mayText('view', userId!, '"shown"."deviceId"')})`;
  return `(CASE WHEN "${row}"."what" = 'subscription' THEN ${isListening}
    WHEN "${row}"."what" = 'report' THEN ${isReported}
    ELSE ${deviceId} IS NULL OR ${mayText('manage', userId!, deviceId!)} END
    AND (${other} IS NULL OR ${mayText('view', userId!, other!)}))`;
};

/** A digest may go while everything in it may. */
const MAY_GO = `(${isCovered('outbox')} AND NOT ("outbox"."what" = 'digest' AND EXISTS (
  SELECT 1 FROM "outbox" "part" WHERE "part"."digestId" = "outbox"."id" AND NOT ${isCovered('part')})))`;

export const sendGuard: SendGuard = {
  mayGo: MAY_GO,
  barred: (on, ids) => barredAmong(on as unknown as Kysely<Tables>, ids),
  refuse: (tx, ids, now) => cancelEnded(tx as unknown as Kysely<Tables>, ids, now),
};

/** What waits for a user whose rights have ended and is not covered by what is left of them. */
export async function cancelUncovered(
  tx: Kysely<Tables>,
  { userId, deviceId, isGivenAway }: EndedRights,
  now: number,
): Promise<number> {
  // Where everyone's rights on a device ended, each row is asked about when its turn comes.
  if (userId === undefined) return 0;
  const ofUser = tx.selectFrom('outbox').select('id').where('userId', '=', userId);
  const isAll = isGivenAway && deviceId !== undefined;
  // What is staged of others is asked about once it is in the outbox, and about to be sent.
  if (isAll) await tx.deleteFrom('outboxRelay').where('deviceId', '=', deviceId).where('userId', '=', userId).execute();
  const waiting = isAll ? ofUser.where('deviceId', '=', deviceId) : ofUser;
  // Spelled as the indexes on them are.
  const held = await waiting.where(sql<boolean>`"state" = 'held'`).execute();
  const queued = await waiting
    .where(sql<boolean>`"state" = 'queued'`)
    .where('destinationId', 'in', (of) =>
      of
        .selectFrom('destinations as d')
        .select('d.id')
        .where((when) => when.or([when('d.userId', '=', userId), when('d.userId', 'is', null)])),
    )
    .execute();
  const found = [...held, ...queued].map(({ id }) => id);
  const ids = isAll ? found : [...(await barredAmong(tx, found))];
  for (let start = 0; start < ids.length; start += AT_ONCE)
    await cancelEnded(tx, ids.slice(start, start + AT_ONCE), now);
  return ids.length;
}

/** The rest of a digest that is cancelled is held again, so that it goes out in a digest of its own. */
export async function cancelEnded(tx: Kysely<Tables>, ids: readonly number[], now: number): Promise<void> {
  const cancelled = { state: 'cancelled', ...because('rightEnded'), ended: now } as const;
  await tx
    .updateTable('outbox')
    .set(cancelled)
    .where('id', 'in', [...ids])
    .where('state', 'in', ['queued', 'held', 'sending'])
    .execute();
  const parts = await tx
    .selectFrom('outbox')
    .select('id')
    .where('digestId', 'in', [...ids])
    .execute();
  if (parts.length === 0) return;
  const barred = await barredAmong(
    tx,
    parts.map(({ id }) => id),
  );
  const free = parts.flatMap(({ id }) => (barred.has(id) ? [] : [id]));
  const ofDigest = tx.updateTable('outbox').where('digestId', 'in', [...ids]);
  for (let start = 0; start < free.length; start += AT_ONCE)
    await ofDigest
      .set({ state: 'held', ...NO_REASON, digestId: null, nextAt: now, ended: null })
      .where('id', 'in', free.slice(start, start + AT_ONCE))
      .execute();
  await ofDigest.set({ ...cancelled, digestId: null }).execute();
}
