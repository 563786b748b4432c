import type { FastifyInstance } from 'fastify';

/** A year, as browsers ask for. Subdomains are the operator's own matter. */
const HSTS = 'max-age=31536000';
/** The console uses the clipboard, and nothing else of these. */
const PERMISSIONS = 'camera=(), geolocation=(), microphone=(), payment=(), usb=(), browsing-topics=()';

/** Tells a browser to come by HTTPS alone from now on. */
export const transportSecurity = (isSecure: boolean): Readonly<Record<string, string>> =>
  isSecure ? { 'strict-transport-security': HSTS } : {};

/** Sets what tells a browser to be careful, on every answer. */
export function setSecurityHeaders(server: FastifyInstance, { isSecure }: { readonly isSecure: boolean }): void {
  const always = transportSecurity(isSecure);
  server.addHook('onRequest', (request, reply, done) => {
    const url = request.raw.url!;
    reply.headers(always);
    // The API is open to pages of other origins, which hold a token of their own.
    if (!/^\/(api|v2|ingest)/i.test(url)) {
      reply.header('cross-origin-opener-policy', 'same-origin');
      reply.header('cross-origin-resource-policy', 'same-origin');
      reply.header('permissions-policy', PERMISSIONS);
      reply.header('referrer-policy', 'no-referrer');
    }
    done();
  });
}
