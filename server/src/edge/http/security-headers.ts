import type { FastifyInstance } from 'fastify';
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
      reply.header('cross-origin-opener-policy', 'same-origin');
      reply.header('cross-origin-resource-policy', 'same-origin');
      reply.header('permissions-policy', PERMISSIONS);
      reply.header('referrer-policy', 'no-referrer');
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
