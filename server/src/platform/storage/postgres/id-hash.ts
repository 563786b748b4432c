/** The hash by which Citus distributes rows with a `BIGINT`: the function `hashint8` of PostgreSQL. */
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
