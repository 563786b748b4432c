import { randomBytes } from 'node:crypto';
import { queryRows, type RowsQuery } from '../storage/bulk.ts';
import type { AnyQuery } from '../storage/database.ts';
import { CannotOpen, type Vault } from '../vault.ts';

/** The identity of a destination. */
export interface DestinationAddress {
  /** Its channel. */
  readonly kind: string;
  /** An address of the channel, or the name of one of the operator's own servers. */
  readonly target: string;
  /** Each user has a separate destination for the same target; null for the operator's own servers. */
  readonly ownerId: number | null;
  /** Whether its parcels are signed, so that it needs a secret. */
  readonly isSigned?: boolean;
}

/** One secret of a destination; `until` is its expiry, or null for the current one. */
export interface Secret {
  readonly secret: string;
  readonly until: number | null;
}

/** In the format of Standard Webhooks: 24 random bytes. */
export const makeSecret = (): string => `whsec_${randomBytes(24).toString('base64')}`;

export const keyOf = ({ kind, target, ownerId }: DestinationAddress) => `${kind} ${ownerId ?? 0} ${target}`;

interface Found {
  readonly id: number;
  readonly kind: string;
  readonly target: string;
  readonly userId: number | null;
}

const FIND: RowsQuery = {
  columns: { kind: 'text', target: 'text', owner: 'integer' },
  sql:
    'SELECT d."id", d."kind", d."target", d."userId" FROM given JOIN "destinations" d ' +
    'ON d."kind" = given."kind" AND d."target" = given."target" AND COALESCE(d."userId", 0) = given."owner"',
};

const MAKE: RowsQuery = {
  columns: { kind: 'text', target: 'text', userId: 'integer', secrets: 'json', created: 'time' },
  sql:
    'INSERT INTO "destinations" ("kind", "target", "userId", "secrets", "created") ' +
    // Without a condition SQLite would parse the ON of the conflict clause as that of a join.
    'SELECT "kind", "target", "userId", "secrets", "created" FROM given WHERE TRUE ' +
    'ON CONFLICT ("kind", "target", COALESCE("userId", 0)) DO NOTHING RETURNING "id", "kind", "target", "userId"',
};

/**
 * The ids of destinations by `keyOf`, created if they do not exist. They are looked up each time, all in one statement:
 * a cached id could be of a transaction that was rolled back, or of a deleted user.
 */
export async function destinationsFor(
  tx: AnyQuery,
  addresses: readonly DestinationAddress[],
  now: number,
): Promise<Map<string, number>> {
  const wanted = new Map(addresses.map((address) => [keyOf(address), address]));
  const ids = await find(tx, [...wanted.values()]);
  if (ids.size === wanted.size) return ids;
  // In one order, so that two transactions that create the same ones cannot deadlock.
  const missing = [...wanted.keys()].filter((key) => !ids.has(key)).sort();
  const rows = missing.map((key) => {
    const { kind, target, ownerId, isSigned } = wanted.get(key)!;
    // Its first secret is created when it is first needed, by a thread with the key.
    return [kind, target, ownerId, isSigned ? '[]' : null, now];
  });
  for (const row of await queryRows<Found>(tx, MAKE, rows)) ids.set(keyOfRow(row), row.id);
  // Another transaction was faster with some of them.
  const others = missing.filter((key) => !ids.has(key)).map((key) => wanted.get(key)!);
  for (const [key, id] of await find(tx, others)) ids.set(key, id);
  return ids;
}

async function find(tx: AnyQuery, addresses: readonly DestinationAddress[]): Promise<Map<string, number>> {
  const cells = addresses.map(({ kind, target, ownerId }) => [kind, target, ownerId ?? 0]);
  const found = await queryRows<Found>(tx, FIND, cells);
  return new Map(found.map((row) => [keyOfRow(row), row.id]));
}

const keyOfRow = ({ kind, target, userId }: Found) => keyOf({ kind, target, ownerId: userId });

/**
 * The secrets of a destination, encrypted in its row. A destination is created when something is first sent to it,
 * possibly on a thread without the key; so its first secret is created when it is first needed.
 */
const contextOf = (id: number) => `destinations.secrets:${id}`;

/** The initial value of a new destination that signs. */
const NONE_YET = '[]';

/**
 * The current one first. `unreadable` if the key is missing: then nothing is sent, because receivers would not trust
 * it.
 */
export type OpenedSecrets = readonly Secret[] | 'unreadable';

export function openSecrets(vault: Vault, id: number, cell: string | null): OpenedSecrets {
  if (cell === null) return [];
  const stored = JSON.parse(cell) as string | Secret[];
  // An earlier version stored an unencrypted list.
  if (typeof stored !== 'string') return stored;
  try {
    return JSON.parse(vault.open(stored, contextOf(id))) as Secret[];
  } catch (error) {
    if (error instanceof CannotOpen) return 'unreadable';
    throw error;
  }
}

/** For showing or replacing them: empty if they cannot be read. */
export const readable = (secrets: OpenedSecrets): readonly Secret[] => (secrets === 'unreadable' ? [] : secrets);

export const sealSecrets = (vault: Pick<Vault, 'seal'>, id: number, secrets: readonly Secret[]): string =>
  JSON.stringify(vault.seal(JSON.stringify(secrets), contextOf(id)));

/** The same, and creates the first one. The caller has locked the row. */
export async function secretsInUse(
  tx: AnyQuery,
  vault: Vault,
  id: number,
  cell: string | null,
): Promise<OpenedSecrets> {
  if (cell === null || JSON.stringify(JSON.parse(cell)) !== NONE_YET) return openSecrets(vault, id, cell);
  const secrets: Secret[] = [{ secret: makeSecret(), until: null }];
  await tx
    .updateTable('destinations')
    .set({ secrets: sealSecrets(vault, id, secrets) })
    .where('id', '=', id)
    .execute();
  return secrets;
}
