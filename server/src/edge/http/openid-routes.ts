import { isIP } from 'node:net';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import type { Vault } from '../../platform/vault.ts';
import type { BrowserSessions, Visitor } from '../../sign-in.ts';
import type { OpenidFlow, OpenidProvider } from '../integrations/openid-provider.ts';
import { countRequest, type RequestContext } from './mount.ts';
import { cookieIn, cookieOf, cookiePair, TICKET } from './session-cookie.ts';
import { callerAddress, keyOfCaller } from './trust-proxy.ts';

export interface OpenidRouteOptions {
  readonly provider: OpenidProvider;
  readonly sessions: BrowserSessions;
  readonly vault: Vault;
  readonly publicUrl: string;
  readonly log: Log;
}

const START = '/session/openid';
const CALLBACK = '/session/openid/callback';
const FLOW = 'trackway_openid';
const FLOW_S = 600;

interface Remembered extends OpenidFlow {
  readonly next: string;
  readonly remember: boolean;
  readonly expiresAt: number;
}

/** Mounts the two routes of a sign-in with OpenID Connect: the redirect to the provider, and its callback. */
export function mountOpenid(server: FastifyInstance, context: RequestContext, options: OpenidRouteOptions): void {
  const { provider, sessions, vault, publicUrl, log } = options;
  const backTo = (reply: FastifyReply, query: Record<string, string>) =>
    reply.redirect(`/sign-in?${new URLSearchParams(query)}`, 303);

  server.get(START, { config: { operation: 'session-openid' } }, async (request, reply) => {
    const visitor = visitorOf(request, publicUrl);
    countRequest(reply, context.guarded, keyOfCaller(request), visitor.now);
    reply.header('cache-control', 'no-store');
    const query = new URL(request.raw.url!, 'http://x').searchParams;
    const next = query.get('next') ?? '/';
    try {
      const { url, flow } = await provider.start(redirectUri(visitor, publicUrl));
      const remember = query.get('remember') === 'true';
      const kept: Remembered = { ...flow, next: next.slice(0, 500), remember, expiresAt: visitor.now + FLOW_S * 1000 };
      // The provider redirects from another site, so this cookie cannot be `SameSite=Strict`.
      reply.header(
        'set-cookie',
        cookiePair(FLOW, vault.seal(JSON.stringify(kept), FLOW), visitor, {
          path: START,
          sameSite: 'Lax',
          keptForS: FLOW_S,
        }),
      );
      return reply.redirect(url, 303);
    } catch (error) {
      log.warn({ error }, 'A sign-in by OpenID Connect could not begin');
      return backTo(reply, { problem: 'unreachable', next });
    }
  });

  server.get(CALLBACK, { config: { operation: 'session-openid-callback' } }, async (request, reply) => {
    const visitor = visitorOf(request, publicUrl);
    countRequest(reply, context.guarded, keyOfCaller(request), visitor.now);
    reply.header('cache-control', 'no-store');
    // Each call adds a cookie.
    reply.header('set-cookie', cookiePair(FLOW, '', visitor, { path: START, sameSite: 'Lax', keptForS: 0 }));
    const flow = flowIn(request, vault, visitor.now);
    const url = new URL(redirectUri(visitor, publicUrl));
    url.search = new URL(request.raw.url!, 'http://x').search;
    if (flow === undefined) return backTo(reply, { problem: 'expired' });
    const { next, remember } = flow;
    if (url.searchParams.get('error') === 'access_denied') return backTo(reply, { problem: 'cancelled', next });
    try {
      const claims = await provider.finish(url, flow);
      const result = await sessions.openid(claims, remember, visitor, cookieIn(request));
      if ('problem' in result) return backTo(reply, { problem: result.problem, next });
      if ('ticket' in result) {
        const ticket = cookiePair(TICKET, result.ticket, visitor, { path: '/session', keptForS: FLOW_S });
        reply.header('set-cookie', ticket);
        return backTo(reply, { step: result.ways.join(','), next });
      }
      context.security?.browser('session.started', 'session-openid-callback', request, result.tab.userId);
      reply.header('set-cookie', cookieOf(result.secret, visitor, result.keptFor));
      return backTo(reply, { next });
    } catch (error) {
      log.warn({ error }, 'A sign-in by OpenID Connect failed');
      return backTo(reply, { problem: 'failed', next });
    }
  });
}

/** The browser navigates to this address itself, so the origin is that of this server. */
const visitorOf = (request: FastifyRequest, publicUrl: string): Visitor => ({
  address: callerAddress(request),
  agent: request.headers['user-agent'],
  origin: URL.canParse(publicUrl) ? new URL(publicUrl).origin : `${request.protocol}://${request.headers.host ?? ''}`,
  now: timeNow(),
});

/** The public address, or a loopback name. Other host names of a request are not trusted. */
function redirectUri({ origin }: Visitor, publicUrl: string): string {
  const { hostname } = new URL(origin);
  const isOwn =
    hostname === 'localhost' || (isIP(hostname) === 4 && hostname.startsWith('127.')) || hostname === '[::1]';
  if (!isOwn && !URL.canParse(publicUrl))
    throw new Error('TRACKWAY_PUBLIC_URL must be set to sign in by OpenID Connect');
  return origin + CALLBACK;
}

function flowIn({ headers }: FastifyRequest, vault: Vault, now: number): Remembered | undefined {
  const sealed = /(?:^|;\s*)trackway_openid=([\w:-]{1,4000})(?:;|$)/.exec(headers.cookie ?? '')?.[1];
  if (!sealed?.startsWith('sealed:')) return undefined;
  try {
    const flow = JSON.parse(vault.open(sealed, FLOW)) as Remembered;
    return flow.expiresAt > now ? flow : undefined;
  } catch {
    return undefined;
  }
}
