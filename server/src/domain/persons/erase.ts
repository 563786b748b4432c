import type { Selectable } from 'kysely';
import type { Call } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { runSql } from '../../platform/storage/run-sql.ts';
import { type AuditEntry, recordAudit } from '../audit/record.ts';
import type { ErasureRow } from '../schema/rows/person-rows.ts';
import type { Store } from '../schema/tables.ts';
import { copiesSince } from './data-copies.ts';
import { countRows, eraseLong, eraseRest, type RowCounts } from './erase-rows.ts';
import { eraseTextsOfDevice, eraseTextsOfUser } from './erase-texts.ts';
import type { RecordSigner } from './erasure-key.ts';

/**
 * Erases a device, or a person with all their devices: at once, everywhere, for good. An erasure that was begun is a row,
 * so that one which takes long, or is interrupted, is ended by housekeeping.
 */

export type Erasure = Selectable<ErasureRow>;

export interface ErasureParts {
  readonly store: Store;
  readonly signer: () => Promise<RecordSigner>;
  /** As an owner deletes it: it is gone from pages, streams and rules then. */
  deleteDevice(call: Call): Promise<unknown>;
  /** As an admin deletes it. */
  deleteUser(call: Call): Promise<unknown>;
}

const LOCK = 'SELECT "deviceId" FROM "deviceStates" WHERE "deviceId" = ? FOR UPDATE';

export async function beginErasure(
  { store }: ErasureParts,
  subject: Pick<Erasure, 'kind' | 'subjectId' | 'since'>,
  requestedBy: number | null,
  now: number,
  by: Pick<AuditEntry, 'actorId' | 'tokenId' | 'address' | 'userId'> = {},
): Promise<Erasure> {
  const { kind, subjectId } = subject;
  const begun = await store.query
    .selectFrom('erasures')
    .selectAll()
    .where('kind', '=', kind)
    .where('subjectId', '=', subjectId)
    .where('completedAt', 'is', null)
    .executeTakeFirst();
  if (begun !== undefined) return begun;
  return store.transaction(async (tx) => {
    const about = kind === 'device' ? { deviceId: subjectId } : { userId: subjectId };
    const action = kind === 'device' ? 'device.erased' : 'user.erased';
    const made = await tx
      .insertInto('erasures')
      .values({ ...subject, requestedAt: now, requestedBy } as never)
      .returningAll()
      .executeTakeFirstOrThrow();
    await recordAudit(tx, { action, ...by, ...about, detail: { erasure: made.id } }, now);
    return made;
  });
}

/** Goes on with an erasure until it is complete, or `goOn` says no. What was done is not done again. */
export async function goOnErasing(parts: ErasureParts, erasure: Erasure, goOn: () => boolean): Promise<Erasure> {
  const { store } = parts;
  if (erasure.completedAt !== null) return erasure;
  const isDone =
    erasure.kind === 'device'
      ? await eraseDevice(parts, erasure, erasure.subjectId, goOn)
      : await eraseUser(parts, erasure, goOn);
  if (isDone) await complete(parts, erasure.id);
  return store.query.selectFrom('erasures').selectAll().where('id', '=', erasure.id).executeTakeFirstOrThrow();
}

/** So long whoever asked for it may still be erasing. */
const ASKING_MS = 60_000;

/** Ends what was begun a while ago and is not complete, one after the other. */
export async function endErasures(parts: ErasureParts, now: number, goOn = () => true): Promise<void> {
  const open = await parts.store.query
    .selectFrom('erasures')
    .selectAll()
    .where('completedAt', 'is', null)
    .where('requestedAt', '<', now - ASKING_MS)
    .orderBy('id')
    .execute();
  for (const erasure of open) await goOnErasing(parts, erasure, goOn);
}

/** Without a token and an address, which are in the entry of who asked for it; the operator has no account. */
const callOf = ({ requestedBy }: Erasure, more: Partial<Call>): Call =>
  ({
    caller: { admin: true, ...(requestedBy !== null && { userId: requestedBy }) },
    sent: {},
    now: timeNow(),
    ...more,
  }) as Call;

async function eraseDevice(
  parts: ErasureParts,
  erasure: Erasure,
  deviceId: number,
  goOn: () => boolean,
): Promise<boolean> {
  const { store } = parts;
  const device = await store.query
    .selectFrom('devices')
    .select(['deletedAt'])
    .where('id', '=', deviceId)
    .executeTakeFirst();
  if (device?.deletedAt === null) await parts.deleteDevice(callOf(erasure, { deviceId }));
  if (device !== undefined) await addCounts(store, erasure.id, await countRows(store, 'device', deviceId), deviceId);
  await eraseTextsOfDevice(store, deviceId);
  if (!(await eraseLong(store, 'device', deviceId, goOn))) return false;
  await store.transaction(async (tx) => {
    // What is being taken in holds the same lock.
    if (store.storeKind === 'postgres') await runSql(tx, store.storeKind, LOCK, [deviceId]);
    await eraseRest(tx, store.storeKind, 'device', deviceId);
  });
  return true;
}

async function eraseUser(parts: ErasureParts, erasure: Erasure, goOn: () => boolean): Promise<boolean> {
  const { store } = parts;
  const userId = erasure.subjectId;
  const owned = await store.query.selectFrom('devices').select('id').where('ownerId', '=', userId).execute();
  for (const { id } of owned) if (!(await eraseDevice(parts, erasure, id, goOn))) return false;
  const user = await store.query.selectFrom('users').select('id').where('id', '=', userId).executeTakeFirst();
  if (user !== undefined) {
    await addCounts(store, erasure.id, await countRows(store, 'user', userId));
    await eraseTextsOfUser(store, userId);
    if (!(await eraseLong(store, 'user', userId, goOn))) return false;
    await parts.deleteUser(callOf(erasure, { key: userId }));
  }
  await store.transaction((tx) => eraseRest(tx, store.storeKind, 'user', userId));
  return true;
}

/** Counted once for each device and once for the account, whatever interrupts the rest. */
async function addCounts(store: Store, id: number, found: RowCounts, deviceId?: number): Promise<void> {
  const { rows, deviceIds } = await store.query
    .selectFrom('erasures')
    .select(['rows', 'deviceIds'])
    .where('id', '=', id)
    .executeTakeFirstOrThrow();
  const known = JSON.parse(deviceIds ?? '[]') as number[];
  if (deviceId !== undefined && known.includes(deviceId)) return;
  const counts = JSON.parse(rows ?? '{}') as RowCounts;
  // The account was counted by a run that was interrupted.
  if (deviceId === undefined && counts.users === 1) return;
  for (const [table, count] of Object.entries(found)) counts[table] = (counts[table] ?? 0) + count;
  const erased = deviceId === undefined ? known : [...known, deviceId];
  await store.query
    .updateTable('erasures')
    .set({ rows: JSON.stringify(counts), deviceIds: JSON.stringify(erased) })
    .where('id', '=', id)
    .execute();
}

async function complete({ store, signer }: ErasureParts, id: number): Promise<void> {
  const { publicKey, sign } = await signer();
  const erasure = await store.query.selectFrom('erasures').selectAll().where('id', '=', id).executeTakeFirstOrThrow();
  const completedAt = timeNow();
  const record = recordOf(erasure, completedAt, publicKey, await copiesSince(store, erasure.since));
  // Another server may have been quicker.
  await store.query
    .updateTable('erasures')
    .set({ completedAt, record, signature: sign(record) })
    .where('id', '=', id)
    .where('completedAt', 'is', null)
    .execute();
}

/** The text that is signed. It says what was erased, and nothing of what the data said. */
function recordOf(
  { id, kind, subjectId, requestedAt, requestedBy, rows, deviceIds }: Erasure,
  completedAt: number,
  publicKey: string,
  copies: Awaited<ReturnType<typeof copiesSince>>,
): string {
  const iso = (at: number) => new Date(at).toISOString();
  return JSON.stringify({
    format: 'trackway-erasure',
    version: 1,
    erasure: id,
    kind,
    subject: subjectId,
    requestedAt: iso(requestedAt),
    requestedBy,
    completedAt: iso(completedAt),
    rows: JSON.parse(rows ?? '{}'),
    deviceIds: JSON.parse(deviceIds ?? '[]'),
    kept: ['auditEntries'],
    copies,
    publicKey,
  });
}
