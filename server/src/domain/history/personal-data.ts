import type {
  erasure as erasureNoun,
  personalDataOperations,
} from '@trackway/contract/resources/accounts/personal-data.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { type Call, FileStream, type Handlers } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { Turns } from '../../platform/turns.ts';
import type { Vault } from '../../platform/vault.ts';
import { busy, invalidField } from '../../refusals.ts';
import { byCaller, recordAudit, recordDeviceAudit } from '../audit/record.ts';
import { setDeleted } from '../devices/purge.ts';
import { ownerOf } from '../family.ts';
import { getRow } from '../rows.ts';
import type { Store } from '../schema/tables.ts';
import { accountOperations, isLastAdmin } from '../users/accounts.ts';
import { type OwnPassword, requireFreshSignIn } from '../users/passwords.ts';
import { beginErasure, type Erasure, type ErasureParts, goOnErasing, recordSigner } from './erase.ts';
import { type DataExport, dataExports } from './export-data.ts';
import { rightsEnded } from './rights-ending.ts';

type ErasureShown = Shown<typeof erasureNoun>;

/** Time limit of the request; then an hourly task continues the erasure. */
const ANSWER_MS = 20_000;
const LISTED = 1000;
/** One archive per user at a time. */
const TURNS = { atOncePerOwner: 1, capacity: 64, capacityPerOwner: 4, patienceMs: 20_000 };
const AGAIN_S = 10;
const PASSWORD = { context: 'erasure', field: 'password' };

export function personalDataHandlers(
  parts: ErasureParts,
  ownPassword: OwnPassword,
): Handlers<keyof typeof personalDataOperations> {
  const { store } = parts;
  const exports = dataExports(store);
  const turns = new Turns(TURNS);

  async function answered(call: Call, make: (owner: string) => Promise<DataExport>): Promise<FileStream> {
    const done = await turns.take(ownerOf(call));
    if (done === undefined) throw busy('exports', AGAIN_S);
    try {
      const { fileName, bytes } = await make(ownerOf(call));
      return new FileStream('application/zip', fileName, endedBy(bytes, done));
    } catch (error) {
      done();
      throw error;
    }
  }

  async function erase(
    call: Call,
    subject: Pick<Erasure, 'kind' | 'subjectId' | 'since'>,
    userId: number,
  ): Promise<ErasureShown> {
    const begun = await beginErasure(parts, subject, call.caller.userId, call.now, { ...byCaller(call), userId });
    const until = timeNow() + ANSWER_MS;
    return shownErasure(await goOnErasing(parts, begun, () => timeNow() < until));
  }

  return {
    async exportDeviceData(call) {
      await recordDeviceAudit(store.query, call, { action: 'data.exported', deviceId: call.deviceId });
      return answered(call, (owner) => exports.ofDevice(call.deviceId, owner));
    },

    async exportUserData(call) {
      const entry = { action: 'data.exported', ...byCaller(call), userId: call.userId } as const;
      await recordAudit(store.query, entry, call.now);
      return answered(call, (owner) => exports.ofUser(call.userId, owner));
    },

    async eraseDevice(call) {
      const { id, name, firstSeen, ownerId } = await getRow(store.query, 'devices', { id: call.deviceId }, [
        'id',
        'name',
        'firstSeen',
        'ownerId',
      ]);
      await requireFreshSignIn(call, call.body, ownPassword, PASSWORD);
      requireSame('name', call.body.name!, name || String(id));
      return erase(call, { kind: 'device', subjectId: id, since: firstSeen }, ownerId);
    },

    async eraseUser(call) {
      const { userId } = call;
      await requireFreshSignIn(call, call.body, ownPassword, PASSWORD);
      const { email, created } = await getRow(store.query, 'users', { id: userId }, ['email', 'created']);
      requireSame('email', call.body.email!.trim().toLowerCase(), email);
      await requireNotLastAdmin(store, userId);
      return erase(call, { kind: 'user', subjectId: userId, since: created }, userId);
    },

    async listErasures() {
      const rows = await store.query.selectFrom('erasures').selectAll().orderBy('id', 'desc').limit(LISTED).execute();
      return rows.map(shownErasure);
    },
  };
}

function requireSame(field: string, given: string, expected: string): void {
  if (given.trim() !== expected.trim())
    throw invalidField(
      'erasure',
      field,
      'confirmation',
      `does not match: enter the ${field} of what you want to erase`,
    );
}

/** Checked before anything is erased. */
export async function requireNotLastAdmin(store: Store, userId: number): Promise<void> {
  if (await store.transaction((tx) => isLastAdmin(tx, userId)))
    throw invalidField('erasure', 'email', 'lastAdmin', 'belongs to the last admin, who cannot be erased');
}

/** An erasure in the API format. */
export function shownErasure(row: Erasure): ErasureShown {
  const { id, kind, subjectId, requestedBy, record, signature } = row;
  const said = record === null ? undefined : (JSON.parse(record) as Pick<ErasureShown, 'copies' | 'publicKey'>);
  const iso = (at: number) => new Date(at).toISOString();
  return {
    id,
    kind,
    subjectId,
    requestedAt: iso(row.requestedAt),
    requestedBy,
    completedAt: row.completedAt === null ? null : iso(row.completedAt),
    rows: JSON.parse(row.rows ?? '{}'),
    deviceIds: JSON.parse(row.deviceIds ?? '[]'),
    copies: said?.copies ?? [],
    record,
    signature,
    publicKey: said?.publicKey ?? null,
  } as ErasureShown;
}

/**
 * Releases the turn when all is read, or the reader has disconnected. Not a generator: that may end before its start.
 */
function endedBy(bytes: AsyncIterable<Uint8Array>, done: () => void): AsyncIterableIterator<Uint8Array> {
  const source = bytes[Symbol.asyncIterator]();
  return {
    async next() {
      try {
        const chunk = await source.next();
        if (chunk.done) done();
        return chunk;
      } catch (error) {
        done();
        throw error;
      }
    },
    async return() {
      done();
      await source.return?.();
      return { done: true, value: undefined };
    },
    [Symbol.asyncIterator]() {
      return this;
    },
  };
}

/** The steps of an erasure: deletions have the same effects as those by an owner or an admin. */
export function erasureParts(store: Store, vault: Vault): ErasureParts {
  const { deleteUser } = accountOperations(store, { rightsEnded });
  return {
    store,
    signer: () => recordSigner(store, vault),
    deleteDevice: (call) => setDeleted(store, rightsEnded, call, call.deviceId, call.now),
    deleteUser: (call) => deleteUser(call as Parameters<typeof deleteUser>[0]),
  };
}
