import { isWithinScope } from '@trackway/contract/scopes.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Gate } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { accessDenied, outOfScope } from '../../refusals.ts';
import type { Meter } from './meter.ts';
import { queryPairs } from './query.ts';
import { readable } from './readable.ts';
import { tokenOf } from './token.ts';

export interface Operators {
  readonly gate: Gate;
  /** Whether the service can store what it acknowledges. */
  ready(): Promise<{ readonly isReady: boolean; readonly reasons: readonly string[] }>;
  /** What the operator calls this node; empty where it has no name, since anyone may ask for readiness. */
  readonly nodeName: string;
  /** Numbers of the product, in the text format of Prometheus. */
  figures(): Promise<string>;
  /** Reads the metrics without an account; empty for none. */
  readonly metricsToken: string;
  /** Whether a proxy stands in front of the server, so that a caller on this machine may be anybody. */
  readonly isProxied: boolean;
}

/** Mounts the addresses for operators: liveness, readiness and metrics. */
export function mountOperators(server: FastifyInstance, operators: Operators, meter: Meter): void {
  const { ready, figures } = operators;
  const named = operators.nodeName === '' ? {} : { node: operators.nodeName };
  let registry: Registry | undefined;

  readable(server, '/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  readable(server, '/readyz', async (_request, reply) => {
    const { isReady, reasons } = await ready();
    if (isReady) return reply.send({ status: 'ok', ...named });
    return reply
      .code(503)
      .header('retry-after', '5')
      .send({ status: 'unavailable', reasons, ...named });
  });
  readable(server, '/metrics', async (request, reply) => {
    await requireOperator(request, operators);
    // It measures the delay of the process by waking it a hundred times a second: only where somebody asks for it.
    registry ??= processMetrics();
    return reply
      .header('content-type', registry.contentType)
      .send((await registry.metrics()) + (await figures()) + meter.text());
  });
}

function processMetrics(): Registry {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  return registry;
}

/** What proxies add. */
const FORWARDING = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/**
 * Allows whoever has the token of the metrics, any admin, and a caller on this machine, unless that may be a proxy which
 * forwards for someone else.
 */
async function requireOperator(request: FastifyRequest, { gate, metricsToken, isProxied }: Operators): Promise<void> {
  const isLocal = /^(127\.|::1$|::ffff:127\.)/.test(request.socket.remoteAddress ?? '');
  const isForwarded = FORWARDING.some((name) => request.headers[name] !== undefined);
  if (isLocal && !isForwarded && !isProxied) return;
  const token = tokenOf(request, { method: 'GET' }, queryPairs(request.raw.url!));
  if (token === undefined) throw accessDenied();
  if (metricsToken !== '' && fingerprint(token) === fingerprint(metricsToken)) return;
  const caller = await gate.authenticate(token, timeNow());
  if (!caller.admin) throw accessDenied();
  if (caller.scope !== undefined && !isWithinScope(caller.scope, 'getHealth')) throw outOfScope();
}
