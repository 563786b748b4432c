import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { BrokerGate } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { authorizationRequired } from '../../refusals.ts';
import { countRequest, type RequestContext } from './mount.ts';
import { tokenOf } from './request.ts';
import { keyOfCaller } from './trust-proxy.ts';

export interface BrokerHookOptions {
  readonly gate: BrokerGate;
  /** The secret of the broker; empty if no broker is configured. */
  readonly secret: string;
}

/** Longer values are ignored. */
const MAX_LENGTH = 1000;
/** Names that brokers use for read access: words, or the numbers of Mosquitto. */
const SUBSCRIBING = new Set(['subscribe', 'sub', 'read', '1', '4', '5']);

/** Mounts the endpoints that the operator's MQTT broker calls to authenticate and authorize clients. */
export function mountBrokerHooks(
  server: FastifyInstance,
  context: Pick<RequestContext, 'limit'>,
  { gate, secret }: BrokerHookOptions,
): void {
  const hook = (path: string, isAllowed: (body: Record<string, string>, now: number) => Promise<boolean>) =>
    server.post(path, { config: { operation: 'broker' } }, async (request, reply) => {
      requireBroker(context, secret, request, reply);
      const isGood = await isAllowed(textsIn(request.body), timeNow());
      return reply.header('cache-control', 'no-store').send({ result: isGood ? 'allow' : 'deny' });
    });

  hook('/broker/auth', ({ username = '', password = '', clientid, clientId }, now) =>
    gate.mayConnect({ username, password, clientId: clientid ?? clientId ?? '' }, now),
  );
  hook('/broker/acl', ({ username = '', topic = '', clientid, clientId, access, acc, action }, now) => {
    const isSubscribing = SUBSCRIBING.has((access ?? acc ?? action ?? '').toLowerCase());
    return gate.mayUse({ username, clientId: clientid ?? clientId ?? '', topic, isSubscribing }, now);
  });
}

/** Only requests without the secret are counted: the broker sends requests for all clients. */
function requireBroker(
  context: Pick<RequestContext, 'limit'>,
  secret: string,
  request: FastifyRequest,
  reply: FastifyReply,
): void {
  const given = tokenOf(request, { method: 'POST' }, []);
  if (secret !== '' && given !== undefined && fingerprint(given) === fingerprint(secret)) return;
  countRequest(reply, context.limit, keyOfCaller(request), timeNow());
  throw authorizationRequired();
}

/** The strings and numbers of a body, as strings. */
function textsIn(body: unknown): Record<string, string> {
  if (typeof body !== 'object' || body === null) return {};
  const texts = Object.entries(body)
    .filter(([, value]) => typeof value === 'string' || typeof value === 'number')
    .map(([name, value]) => [name, String(value)] as const)
    .filter(([, value]) => value.length <= MAX_LENGTH);
  return Object.fromEntries(texts);
}
