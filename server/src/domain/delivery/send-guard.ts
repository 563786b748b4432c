import { sql } from 'kysely';
import { because, NO_REASON } from '../../platform/because.ts';
import type { SendGuard } from '../../platform/outbox/ledger.ts';
import { type EndedRights, may, mayText, type NeededRight } from '../rights.ts';
import type { Tx } from '../schema/tables.ts';

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
  barred: (on, ids) => barredAmong(on as unknown as Tx, ids),
  refuse: (tx, ids, now) => cancelEnded(tx as unknown as Tx, ids, now),
};

/** What waits for a user whose rights have ended and is not covered by what is left of them. */
export async function cancelUncovered(
  tx: Tx,
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
export async function cancelEnded(tx: Tx, ids: readonly number[], now: number): Promise<void> {
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

interface WaitingRow {
  readonly id: number;
  readonly userId: number | null;
  readonly deviceId: number | null;
  readonly otherDeviceId: number | null;
  readonly what: string;
}

/** A right that a row needs; of no device where the row should have one. */
interface Need {
  readonly userId: number | null;
  readonly deviceId: number | null;
  readonly right: NeededRight;
}

const CHUNK = 500;
const COLUMNS = ['id', 'userId', 'deviceId', 'otherDeviceId', 'what'] as const;

/**
 * Returns the rows of the outbox that may no longer be sent; `MAY_GO` is the same as one expression. Here rights are
 * read separately from the rows: in a distributed database the outbox and the devices are on different servers.
 */
export async function barredAmong(tx: Tx, ids: readonly number[]): Promise<Set<number>> {
  const barred = new Set<number>();
  for (let start = 0; start < ids.length; start += CHUNK)
    for (const id of await barredOf(tx, ids.slice(start, start + CHUNK))) barred.add(id);
  return barred;
}

async function barredOf(tx: Tx, ids: readonly number[]): Promise<number[]> {
  const rows = await tx.selectFrom('outbox').select(COLUMNS).where('id', 'in', ids).execute();
  const digests = rows.filter(({ what }) => what === 'digest').map(({ id }) => id);
  // A digest may go while everything in it may.
  const parts =
    digests.length === 0
      ? []
      : await tx
          .selectFrom('outbox')
          .select([...COLUMNS, 'digestId'])
          .where('digestId', 'in', digests)
          .execute();
  const needsOf = await neededBy(tx, [...rows, ...parts]);
  const held = await rightsHeld(tx, [...rows, ...parts].flatMap(needsOf));
  const isCovered = (row: WaitingRow) => needsOf(row).every((need) => held.has(keyOf(need)));
  const torn = new Set(parts.filter((part) => !isCovered(part)).map(({ digestId }) => digestId));
  return rows.filter((row) => !isCovered(row) || torn.has(row.id)).map(({ id }) => id);
}

const keyOf = ({ userId, deviceId, right }: Need) => `${userId} ${deviceId} ${right}`;
/** A requirement that no user meets. */
const NEVER: Need = { userId: null, deviceId: null, right: 'view' };

async function neededBy(tx: Tx, rows: readonly WaitingRow[]): Promise<(row: WaitingRow) => Need[]> {
  const reports = rows.filter(({ what }) => what === 'report').map(({ id }) => id);
  const reported = new Map<number, number[]>();
  if (reports.length > 0) {
    const found = await tx
      .selectFrom('reportDevices')
      .select(['outboxId', 'deviceId'])
      .where('outboxId', 'in', reports)
      .execute();
    for (const { outboxId, deviceId } of found) reported.set(outboxId, [...(reported.get(outboxId) ?? []), deviceId]);
  }
  const subscribers = rows.flatMap(({ what, userId }) => (what === 'subscription' && userId !== null ? [userId] : []));
  const listening = new Set<number | null>();
  if (subscribers.length > 0) {
    const found = await tx
      .selectFrom('tokens')
      .select('userId')
      .distinct()
      .where('kind', '=', 'mqtt')
      .where('userId', 'in', subscribers)
      .execute();
    for (const { userId } of found) listening.add(userId);
  }
  return ({ id, userId, deviceId, otherDeviceId, what }) => {
    const needs: Need[] = [];
    if (what === 'subscription') needs.push(listening.has(userId) ? { userId, deviceId, right: 'view' } : NEVER);
    else if (what === 'report')
      for (const one of reported.get(id) ?? []) needs.push({ userId, deviceId: one, right: 'view' });
    else if (deviceId !== null) needs.push({ userId, deviceId, right: 'manage' });
    if (otherDeviceId !== null) needs.push({ userId, deviceId: otherDeviceId, right: 'view' });
    return needs;
  };
}

/** The needs that are met, by their keys. Most rows that are asked about together are of one user. */
async function rightsHeld(tx: Tx, needs: readonly Need[]): Promise<Set<string>> {
  const held = new Set<string>();
  const asked = new Map<string, { userId: number; right: NeededRight; deviceIds: Set<number> }>();
  for (const { userId, deviceId, right } of needs) {
    if (userId === null || deviceId === null) continue;
    const key = `${userId} ${right}`;
    const one = asked.get(key) ?? { userId, right, deviceIds: new Set() };
    one.deviceIds.add(deviceId);
    asked.set(key, one);
  }
  for (const { userId, right, deviceIds } of asked.values()) {
    const found = await tx
      .selectFrom('devices as d')
      .innerJoin('users as u', (join) => join.on('u.id', '=', userId))
      .select('d.id')
      .where('d.id', 'in', [...deviceIds])
      .where(may(right, 'u.id', 'd.id'))
      .execute();
    for (const { id: deviceId } of found) held.add(keyOf({ userId, deviceId, right }));
  }
  return held;
}
