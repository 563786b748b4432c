import type { FastifyInstance, FastifyReply } from 'fastify';
import { timeNow } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import { readable } from './pages.ts';

/** One year, as browsers recommend. Subdomains are the operator's decision. */
const HSTS = 'max-age=31536000';
/** The console uses none of these features but the location, for the map and the web tracker. */
const PERMISSIONS = 'camera=(), geolocation=(self), microphone=(), payment=(), usb=(), browsing-topics=()';

/** Makes browsers use HTTPS only from now on. */
export const transportSecurity = (isSecure: boolean): Readonly<Record<string, string>> =>
  isSecure ? { 'strict-transport-security': HSTS } : {};

/** Sets security headers on every response. */
export function setSecurityHeaders(server: FastifyInstance, { isSecure }: { readonly isSecure: boolean }): void {
  const always = transportSecurity(isSecure);
  server.addHook('onRequest', (request, reply, done) => {
    const url = request.raw.url!;
    reply.headers(always);
    // The API is open to pages of other origins, which have their own token.
    if (!/^\/(api|v2|ingest)/i.test(url)) {
      reply.header('cross-origin-resource-policy', 'same-origin');
      // The files of the console are no documents. There are many of them, and these headers cost as much as a small file.
      if (!url.startsWith('/assets/')) {
        reply.header('cross-origin-opener-policy', 'same-origin');
        reply.header('permissions-policy', PERMISSIONS);
        reply.header('referrer-policy', 'no-referrer');
      }
    }
    done();
  });
}

/** The file must contain an expiry date, which is renewed with each request. */
const VALID_MS = 180 * 86_400_000;

/** Mounts the file with the security contact (RFC 9116). */
export function mountSecurityTxt(server: FastifyInstance, contact: string): void {
  readable(server, '/.well-known/security.txt', (_request, reply) => {
    if (contact === '') throw new Refusal(404, 'The operator of this server has not set TRACKWAY_SECURITY_CONTACT.');
    const lines = [`Contact: ${contactAddress(contact)}`, `Expires: ${new Date(timeNow() + VALID_MS).toISOString()}`];
    return reply.header('content-type', 'text/plain; charset=utf-8').send(`${lines.join('\n')}\n`);
  });
}

const contactAddress = (contact: string) => (contact.includes(':') ? contact : `mailto:${contact}`);

const EXPOSED = [
  'Allow',
  'ETag',
  'Idempotency-Replayed',
  'Link',
  'Preference-Applied',
  'Retry-After',
  'X-Range-From',
  'X-Ratelimit-Limit',
  'X-Ratelimit-Remaining',
  'X-Ratelimit-Reset',
  'X-Report-Complete',
  'X-Request-Id',
  'X-Total-Count',
].join(', ');
const ALLOWED = [
  'Authorization',
  'Content-Type',
  'Idempotency-Key',
  'If-Match',
  'Last-Event-ID',
  'Prefer',
  'X-Access-Token',
  'X-Query',
  'X-Request-Id',
].join(', ');

/**
 * Allows pages of any origin to call the API. This is safe because the API uses no cookies, only a token that the page
 * must have.
 */
export function openToOrigins(server: FastifyInstance): void {
  server.addHook('onRequest', (request, reply, done) => {
    const { url } = request.raw;
    reply.header('x-content-type-options', 'nosniff');
    if (/^\/(api|v2)/i.test(url!)) {
      reply.header('cache-control', 'no-store');
      reply.header('access-control-allow-origin', '*');
      // Only a page of another origin needs permission to read these headers.
      if (request.headers.origin !== undefined) reply.header('access-control-expose-headers', EXPOSED);
    }
    done();
  });
}

/** @param allow the methods of the address, if the address exists */
export function answerPreflight(reply: FastifyReply, allow?: string): FastifyReply {
  return reply
    .code(204)
    .headers({
      ...(allow !== undefined && { allow }),
      'access-control-allow-methods': 'GET, POST, PUT, PATCH, DELETE',
      'access-control-allow-headers': ALLOWED,
      'access-control-max-age': '86400',
    })
    .send();
}
