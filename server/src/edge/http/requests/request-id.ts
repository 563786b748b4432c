import { randomBytes } from 'node:crypto';
import type { IncomingMessage } from 'node:http';

const OWN = /^[A-Za-z0-9._-]{1,128}$/;

/** The id of a request, by which its answer and its lines of the log are found: the caller's own, or 20 characters. */
export function requestIdOf({ headers }: Pick<IncomingMessage, 'headers'>): string {
  const given = headers['x-request-id'];
  return typeof given === 'string' && OWN.test(given) ? given : randomBytes(15).toString('base64url');
}
