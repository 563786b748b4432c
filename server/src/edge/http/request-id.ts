import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const OWN = /^[A-Za-z0-9._-]{1,128}$/;
const BYTES = 15;
/**
 * Random bytes are generated for many ids at once: generating them costs as much as the other work for the head of a
 * small request.
 */
const pool = Buffer.alloc(BYTES * 256);
let used = pool.length;

/** The id of a request, which links its response and its log lines: the caller's own id, or 20 random characters. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  if (typeof given === 'string' && OWN.test(given)) return given;
  if (used === pool.length) {
    randomFillSync(pool);
    used = 0;
  }
  used += BYTES;
  return pool.toString('base64url', used - BYTES, used);
}
