import { randomFillSync } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const OWN = /^[A-Za-z0-9._-]{1,128}$/;
const BYTES = 15;
/** Random bytes are drawn for many ids at once: one draw costs as much as the rest of a small request's head. */
const pool = Buffer.alloc(BYTES * 256);
let used = pool.length;

/** The id of a request, by which its answer and its lines of the log are found: the caller's own, or 20 characters. */
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
