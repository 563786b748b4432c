import { randomBytes } from 'node:crypto';
import { queryRows, type RowsQuery } from '../storage/bulk.ts';
import type { AnyQuery } from '../storage/database.ts';
import type { StoreKind } from '../storage/store-kind.ts';

/** By which a destination is known. */
export interface DestinationAddress {
  /** Its channel. */
  readonly kind: string;
  /** An address at which the channel delivers, or the name of one of the operator's own servers. */
  readonly target: string;
  /** Each user has a destination of their own for the same target; null for the operator's own servers. */
  readonly ownerId: number | null;
  /** Whether its parcels are signed, so that it needs a secret. */
  readonly isSigned?: boolean;
}

/** One secret of a destination; `until` is when it ends, or null for the one in use. */
export interface Secret {
  readonly secret: string;
  readonly until: number | null;
}

/** In the form of Standard Webhooks: 24 random bytes. */
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
    // Without a condition SQLite would read the ON of the conflict as that of a join.
    'SELECT "kind", "target", "userId", "secrets", "created" FROM given WHERE TRUE ' +
    'ON CONFLICT ("kind", "target", COALESCE("userId", 0)) DO NOTHING RETURNING "id", "kind", "target", "userId"',
};

/**
 * The ids of destinations by `keyOf`, made where they are not there yet. They are looked up each time, all in one
 * statement: an id that was remembered could be of a transaction that was undone, or of a user who is gone.
 */
export async function destinationsFor(
  tx: AnyQuery,
  storeKind: StoreKind,
  addresses: readonly DestinationAddress[],
  now: number,
): Promise<Map<string, number>> {
  const wanted = new Map(addresses.map((address) => [keyOf(address), address]));
  const ids = await find(tx, storeKind, [...wanted.values()]);
  if (ids.size === wanted.size) return ids;
  // In one order, so that two transactions that make the same ones never wait for each other.
  const missing = [...wanted.keys()].filter((key) => !ids.has(key)).sort();
  const rows = missing.map((key) => {
    const { kind, target, ownerId, isSigned } = wanted.get(key)!;
    // Its first secret is made when it is first needed, by whoever has the key.
    return [kind, target, ownerId, isSigned ? '[]' : null, now];
  });
  for (const row of await queryRows<Found>(tx, storeKind, MAKE, rows)) ids.set(keyOfRow(row), row.id);
  // Another transaction was faster with some of them.
  const others = missing.filter((key) => !ids.has(key)).map((key) => wanted.get(key)!);
  for (const [key, id] of await find(tx, storeKind, others)) ids.set(key, id);
  return ids;
}

async function find(
  tx: AnyQuery,
  storeKind: StoreKind,
  addresses: readonly DestinationAddress[],
): Promise<Map<string, number>> {
  const cells = addresses.map(({ kind, target, ownerId }) => [kind, target, ownerId ?? 0]);
  const found = await queryRows<Found>(tx, storeKind, FIND, cells);
  return new Map(found.map((row) => [keyOfRow(row), row.id]));
}

const keyOfRow = ({ kind, target, userId }: Found) => keyOf({ kind, target, ownerId: userId });
