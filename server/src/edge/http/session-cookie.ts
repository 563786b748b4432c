import { accept } from '@trackway/contract/accept.ts';
import {
  type BrowserSignIn,
  browserSignIn,
  SESSION_ROUTES,
} from '@trackway/contract/resources/accounts/browser-session.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { timeNow } from '../../platform/clock.ts';
import { badRequest, Refusal } from '../../platform/errors.ts';
import { invalid } from '../../refusals.ts';
import type { BrowserSession, BrowserSessions, Visitor } from '../../sign-in.ts';
import type { Meter } from './meter.ts';
import { countGuarded, countRequest, type RequestContext } from './mount.ts';
import { originOf } from './request.ts';
import { callerAddress, keyOfCaller } from './trust-proxy.ts';

export interface SessionRouteOptions {
  readonly sessions: BrowserSessions;
  /** The public address set by the operator; empty if none. */
  readonly publicUrl: string;
}

/** The only lasting cookie of the service. Its path excludes the API, which never reads cookies. */
const NAME = 'trackway_session';
/** For a user who has signed in at a provider but has not yet given the second factor. */
export const TICKET = 'trackway_ticket';
const PATH = '/session';

/** Mounts the routes for signing a browser in once for all its tabs. */
export function mountSession(
  server: FastifyInstance,
  context: RequestContext,
  { sessions, publicUrl }: SessionRouteOptions,
  meter: Meter,
): void {
  const visitorOf = (request: FastifyRequest): Visitor => ({
    address: callerAddress(request),
    agent: request.headers['user-agent'],
    origin: originOf(request),
    isSecure: publicUrl.startsWith('https:'),
    now: timeNow(),
  });
  const route = (
    name: Exclude<keyof typeof SESSION_ROUTES, 'openid'>,
    limit: 'limit' | 'guarded',
    serve: (request: FastifyRequest, reply: FastifyReply, visitor: Visitor) => Promise<unknown>,
  ) =>
    server.post(SESSION_ROUTES[name], { config: { operation: `session-${name}` } }, async (request, reply) => {
      const started = performance.now();
      const visitor = visitorOf(request);
      reply.header('cache-control', 'no-store');
      if (limit === 'guarded') await countGuarded(context, request, reply, visitor.now);
      else countRequest(reply, context.limit, keyOfCaller(request), visitor.now);
      refuseForeign(request, publicUrl);
      const answer = await serve(request, reply, visitor);
      meter.note(`session-${name}`, reply.statusCode, (performance.now() - started) / 1000);
      if (answer === undefined) return reply.code(204).send();
      reply.header('content-type', 'application/json; charset=utf-8');
      return JSON.stringify(answer);
    });
  const setCookie = (reply: FastifyReply, visitor: Visitor, session: BrowserSession) =>
    reply.header('set-cookie', cookieOf(session.secret, visitor, session.keptFor));

  route('begin', 'guarded', async (request, reply, visitor) => {
    const sent = signInOf(request.body);
    const ticket = sent.openid ? ticketIn(request) : undefined;
    const session = await sessions.signIn(sent, visitor, cookieIn(request), ticket).catch((error) => {
      context.security?.browserRefused('session-begin', request, error);
      throw error;
    });
    context.security?.browser('session.started', 'session-begin', request, session.tab.userId);
    setCookie(reply, visitor, session);
    if (ticket) reply.header('set-cookie', cookiePair(TICKET, '', visitor, { path: PATH, keptForS: 0 }));
    return session.tab;
  });

  route('token', 'limit', async (request, reply, visitor) => {
    const secret = cookieIn(request);
    if (secret === undefined) return undefined;
    const session = await sessions.trade(secret, visitor);
    if (session === undefined) reply.header('set-cookie', cookieOf('', visitor, 0));
    else if (session.keptFor !== undefined) setCookie(reply, visitor, session);
    return session?.tab;
  });

  route('end', 'limit', async (request, reply, visitor) => {
    const secret = cookieIn(request);
    if (secret !== undefined) {
      await sessions.end(secret, visitor);
      context.security?.browser('session.ended', 'session-end', request);
    }
    reply.header('set-cookie', cookieOf('', visitor, 0));
    return undefined;
  });

  route('passkey', 'guarded', (_request, _reply, visitor) => sessions.passkeyOptions(visitor));
}

/**
 * The browser sends the cookie only from pages of this site. In addition, a page of another origin can neither send
 * JSON without a preflight, which is not answered here, nor hide its origin.
 */
function refuseForeign({ headers }: FastifyRequest, publicUrl: string): void {
  if (!/^application\/json\b/i.test(headers['content-type'] ?? ''))
    throw new Refusal(415, 'Unsupported content type: send application/json', { name: 'UnsupportedMediaTypeError' });
  const { origin, host, 'sec-fetch-site': site } = headers;
  const isOwn =
    origin === undefined
      ? site === undefined || site === 'same-origin'
      : URL.canParse(origin) &&
        (new URL(origin).host === host || (URL.canParse(publicUrl) && new URL(publicUrl).origin === origin));
  if (!isOwn) throw new Refusal(403, 'This address is only for the console of this server', { code: 'FOREIGN_ORIGIN' });
}

function signInOf(body: unknown): BrowserSignIn {
  if (typeof body !== 'object' || body === null || Array.isArray(body))
    throw badRequest('The body must be a JSON object');
  const { values, violations } = accept(browserSignIn, 'create', body as Record<string, unknown>);
  if (violations.length > 0) throw invalid(browserSignIn.name, violations);
  return values as BrowserSignIn;
}

export function cookieIn({ headers }: FastifyRequest): string | undefined {
  const found = /(?:^|;\s*)trackway_session=([A-Za-z0-9]{1,128})(?:;|$)/.exec(headers.cookie ?? '');
  return found?.[1];
}

const ticketIn = ({ headers }: FastifyRequest) =>
  /(?:^|;\s*)trackway_ticket=([\w:-]{1,2000})(?:;|$)/.exec(headers.cookie ?? '')?.[1];

export const cookieOf = (secret: string, visitor: Visitor, keptForS: number | undefined): string =>
  cookiePair(NAME, secret, visitor, { path: PATH, keptForS });

/** An HttpOnly cookie, sent only from pages of this site unless it is lax. */
export function cookiePair(
  name: string,
  value: string,
  { origin, isSecure }: Visitor,
  { path, sameSite = 'Strict', keptForS }: { path: string; sameSite?: 'Strict' | 'Lax'; keptForS: number | undefined },
): string {
  const parts = [`${name}=${value}`, `Path=${path}`, 'HttpOnly', `SameSite=${sameSite}`];
  if (keptForS !== undefined) parts.push(`Max-Age=${keptForS}`);
  if (isSecure || origin.startsWith('https:')) parts.push('Secure');
  return parts.join('; ');
}
