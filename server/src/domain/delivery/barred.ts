import type { Kysely } from 'kysely';
import { may, type NeededRight } from '../rights.ts';
import type { Tables } from '../schema/tables.ts';

type Tx = Kysely<Tables>;

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
