import type { Client } from 'pg';
import type { ShardOf } from '../../dialect.ts';

/** The hash with which Citus distributes rows by a `BIGINT`: the function `hashint8` of PostgreSQL. */
function hashOf(id: number): number {
  const high = Math.floor(id / 2 ** 32);
  let c = 0x9e3779b9 + 4 + 3_923_095;
  let b = c;
  let a = (c + ((id >>> 0) ^ (id >= 0 ? high : ~high))) | 0;
  const turned = (word: number, bits: number) => (word << bits) | (word >>> (32 - bits));
  c = ((c ^ b) - turned(b, 14)) | 0;
  a = ((a ^ c) - turned(c, 11)) | 0;
  b = ((b ^ a) - turned(a, 25)) | 0;
  c = ((c ^ b) - turned(b, 16)) | 0;
  a = ((a ^ c) - turned(c, 4)) | 0;
  b = ((b ^ a) - turned(a, 14)) | 0;
  return ((c ^ b) - turned(b, 24)) | 0;
}

/** Hashes are divided into so many parts of the same size. A shard has one or several whole parts, so there are no more shards. */
export const HASH_PARTS = 64;

/** The part of the hash of an id; in SQL `(CAST(hashint8(id) AS BIGINT) + 2147483648) >> 26`. */
export const hashPartOf = (id: number): number => (hashOf(id) + 2 ** 31) >>> 26;

/** All tables that are distributed have the same shards. */
const SHARDS = `SELECT "shardid" AS "id", CAST("shardminvalue" AS BIGINT) AS "first", CAST("shardmaxvalue" AS BIGINT) AS "last"
  FROM pg_dist_shard WHERE "logicalrelid" = (SELECT "logicalrelid" FROM pg_dist_partition WHERE "partmethod" = 'h' LIMIT 1)
  ORDER BY "first"`;

/**
 * The number of shards must divide the parts of the hash evenly: the live log has an order for each part, which cannot be in
 * two shards.
 */
export const isShardCount = (count: number) => Number.isInteger(count) && count >= 1 && HASH_PARTS % count === 0;

/** The shard of each part of the hash, also while shards move; undefined where no table is distributed. */
export async function shardsOfHash(client: Client): Promise<number[] | undefined> {
  const { rows } = await client.query(SHARDS);
  if (rows.length === 0) return undefined;
  const shards = rows.map((row) => ({ id: Number(row.id), first: Number(row.first), last: Number(row.last) }));
  return Array.from({ length: HASH_PARTS }, (_, part) => {
    const [first, last] = [part * 2 ** 26 - 2 ** 31, (part + 1) * 2 ** 26 - 2 ** 31 - 1];
    const shard = shards.find((one) => one.first <= first && last <= one.last);
    if (shard === undefined)
      throw new Error(`The tables have ${shards.length} shards, which is not a power of two up to ${HASH_PARTS}.`);
    return shard.id;
  });
}

export const shardIn =
  (shards: readonly number[]): ShardOf =>
  (deviceId) =>
    shards[hashPartOf(deviceId)]!;
