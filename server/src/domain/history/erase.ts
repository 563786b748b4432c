import {
  createPrivateKey,
  createPublicKey,
  generateKeyPairSync,
  sign as signBytes,
  verify as verifyBytes,
} from 'node:crypto';
import type { Selectable } from 'kysely';
import type { Call } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Vault } from '../../platform/vault.ts';
import { type AuditEntry, recordAudit } from '../audit/record.ts';
import { findRow, getRow } from '../rows.ts';
import { installationValue } from '../schema/installation-lease.ts';
import { lockDevice } from '../schema/lock-device.ts';
import type { ErasureRow } from '../schema/rows/account-rows.ts';
import { ERASURE_KEY } from '../schema/sealed-places.ts';
import type { Store } from '../schema/tables.ts';
import { copiesSince } from './data-copies.ts';
import { countRows, eraseLong, eraseOthers, type RowCounts } from './erase-rows.ts';
import type { LooseQuery } from './next-rows.ts';

/**
 * Erases a device, or a person with all their devices: immediately, everywhere, permanently. A started erasure is a
 * row, so that a long or interrupted one is completed by an hourly task.
 */

export type Erasure = Selectable<ErasureRow>;

export interface ErasureParts {
  readonly store: Store;
  readonly signer: () => Promise<RecordSigner>;
  /** Deletes it like its owner: it disappears from pages, streams and rules. */
  deleteDevice(call: Call): Promise<unknown>;
  /** Deletes the user like an admin. */
  deleteUser(call: Call): Promise<unknown>;
}

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

/** Continues an erasure until it is complete, or `goOn` returns false. Completed steps are not repeated. */
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

/** For this long the original request may still be erasing. */
const ASKING_MS = 60_000;

/** Completes erasures that were started a while ago, one after the other. */
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

/** Without a token and an address, which are in the audit entry of the request; the operator has no account. */
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
  const device = await findRow(store.query, 'devices', { id: deviceId }, ['deletedAt']);
  if (device?.deletedAt === null) await parts.deleteDevice(callOf(erasure, { deviceId }));
  if (device !== undefined) await addCounts(store, erasure.id, await countRows(store, 'device', deviceId), deviceId);
  await eraseTextsOfDevice(store, deviceId);
  if (!(await eraseLong(store, 'device', deviceId, goOn))) return false;
  await store.transaction(async (tx) => {
    // What is being taken in holds the same lock.
    await lockDevice(tx, deviceId);
    await eraseOthers(tx, 'device', deviceId);
  });
  return true;
}

async function eraseUser(parts: ErasureParts, erasure: Erasure, goOn: () => boolean): Promise<boolean> {
  const { store } = parts;
  const userId = erasure.subjectId;
  const owned = await store.query.selectFrom('devices').select('id').where('ownerId', '=', userId).execute();
  for (const { id } of owned) if (!(await eraseDevice(parts, erasure, id, goOn))) return false;
  const user = await findRow(store.query, 'users', { id: userId }, ['id']);
  if (user !== undefined) {
    await addCounts(store, erasure.id, await countRows(store, 'user', userId));
    await eraseTextsOfUser(store, userId);
    if (!(await eraseLong(store, 'user', userId, goOn))) return false;
    await parts.deleteUser(callOf(erasure, { key: userId }));
  }
  await store.transaction((tx) => eraseOthers(tx, 'user', userId));
  return true;
}

/** Counted once for each device and once for the account, even after interruptions. */
async function addCounts(store: Store, id: number, found: RowCounts, deviceId?: number): Promise<void> {
  const { rows, deviceIds } = await getRow(store.query, 'erasures', { id }, ['rows', 'deviceIds']);
  const known = JSON.parse(deviceIds ?? '[]') as number[];
  if (deviceId !== undefined && known.includes(deviceId)) return;
  const counts = JSON.parse(rows ?? '{}') as RowCounts;
  // An interrupted run has already counted the account.
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
  // Another node may have been faster.
  await store.query
    .updateTable('erasures')
    .set({ completedAt, record, signature: sign(record) })
    .where('id', '=', id)
    .where('completedAt', 'is', null)
    .execute();
}

/** The signed text. It states what was erased, but no content of the data. */
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

/** Signs the records of erasures with a key of this installation, which is stored encrypted. */
interface RecordSigner {
  readonly publicKey: string;
  sign(text: string): string;
}

const CONTEXT = `settings:${ERASURE_KEY}`;
const PUBLIC = 'erasurePublicKey';

export async function recordSigner(store: Pick<Store, 'query'>, vault: Vault): Promise<RecordSigner> {
  const sealed = await installationValue(store, ERASURE_KEY, () => {
    const { privateKey } = generateKeyPairSync('ed25519');
    return vault.seal(privateKey.export({ type: 'pkcs8', format: 'pem' }).toString(), CONTEXT);
  });
  const privateKey = createPrivateKey(vault.open(sealed, CONTEXT));
  const publicKey = createPublicKey(privateKey).export({ type: 'spki', format: 'der' }).toString('base64');
  // A new key pair if the old one was lost.
  if ((await installationValue(store, PUBLIC, () => publicKey)) !== publicKey)
    await store.query.updateTable('settings').set({ value: publicKey }).where('name', '=', PUBLIC).execute();
  return { publicKey, sign: (text) => signBytes(null, Buffer.from(text), privateKey).toString('base64') };
}

/** The key to verify that a record is of this installation; undefined before the first erasure. */
export async function erasurePublicKey({ query }: Pick<Store, 'query'>): Promise<string | undefined> {
  const row = await findRow(query, 'settings', { name: PUBLIC }, ['value']);
  return row?.value;
}

export function isSigned(record: string, signature: string, publicKey: string): boolean {
  try {
    const key = createPublicKey({ key: Buffer.from(publicKey, 'base64'), type: 'spki', format: 'der' });
    return verifyBytes(null, Buffer.from(record), key, Buffer.from(signature, 'base64'));
  } catch {
    return false;
  }
}

/** Deletes data about a device or a person that does not contain its id. */

/** Columns with an e-mail address. */
const ADDRESSES: readonly (readonly [table: string, column: string])[] = [
  ['shareGrants', 'email'],
  ['grants', 'email'],
  ['invitations', 'email'],
  ['mailRecipients', 'address'],
  ['mailLinks', 'address'],
  ['mailRefusals', 'address'],
  ['accountMails', 'address'],
  ['outbox', 'address'],
];

async function eraseTextsOfDevice({ query }: Store, deviceId: number): Promise<void> {
  const device = await findRow(query, 'devices', { id: deviceId }, ['imei', 'serial', 'ownerId']);
  if (device === undefined) return;
  const names = [device.imei, device.serial].filter((name) => name !== null);
  if (names.length > 0) await query.deleteFrom('unknownTrackers').where('identity', 'in', names).execute();
  // Answers that are kept for requests that come again.
  await query.deleteFrom('idempotencyKeys').where('userId', '=', device.ownerId).execute();
  // Mails about several devices.
  const reports = query.selectFrom('reportDevices').select('outboxId').where('deviceId', '=', deviceId);
  await query.deleteFrom('outbox').where('id', 'in', reports).execute();
  const digests = await query
    .selectFrom('outbox')
    .select('digestId')
    .distinct()
    .where('deviceId', '=', deviceId)
    .where('digestId', 'is not', null)
    .execute();
  for (const { digestId } of digests) await query.deleteFrom('outbox').where('id', '=', digestId).execute();
}

async function eraseTextsOfUser({ query }: Store, userId: number): Promise<void> {
  const user = await findRow(query, 'users', { id: userId }, ['email']);
  if (user === undefined) return;
  const loose = query as unknown as LooseQuery;
  for (const [table, column] of ADDRESSES) await loose.deleteFrom(table).where(column, '=', user.email).execute();
  const reports = await query
    .selectFrom('savedReports')
    .select(['id', 'recipients'])
    .where('recipients', 'is not', null)
    .execute();
  for (const { id, recipients } of reports) {
    const others = (JSON.parse(recipients!) as string[]).filter((one) => one.toLowerCase() !== user.email);
    if (others.length < (JSON.parse(recipients!) as string[]).length)
      await query
        .updateTable('savedReports')
        .set({ recipients: others.length === 0 ? null : JSON.stringify(others) })
        .where('id', '=', id)
        .execute();
  }
  await query.deleteFrom('passwordFailures').where('account', '=', `user:${userId}`).execute();
  const own = query.selectFrom('notifications').select('id').where('userId', '=', userId);
  await query.deleteFrom('escalations').where('notificationId', 'in', own).execute();
  const holders = await query
    .selectFrom('queueHolders')
    .select(['id', 'allowed'])
    .where('allowed', 'is not', null)
    .execute();
  for (const { id, allowed } of holders) {
    const others = (JSON.parse(allowed!) as unknown[]).filter((one) => one !== userId);
    if (others.length < (JSON.parse(allowed!) as unknown[]).length)
      await query
        .updateTable('queueHolders')
        .set({ allowed: JSON.stringify(others) })
        .where('id', '=', id)
        .execute();
  }
}
