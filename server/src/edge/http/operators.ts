import { isWithinScope } from '@trackway/contract/scopes.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Gate } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { fingerprint } from '../../platform/secrets.ts';
import { accessDenied, outOfScope } from '../../refusals.ts';
import type { Meter } from './meter.ts';
import { readable } from './pages.ts';
import { queryPairs } from './query.ts';
import { tokenOf } from './request.ts';

export interface Operators {
  readonly gate: Gate;
  /** Whether the service can durably store data. */
  ready(): Promise<{ readonly isReady: boolean; readonly reasons: readonly string[] }>;
  /** The operator's name for this node; empty if it has none. Readiness is public, so the name is too. */
  readonly nodeName: string;
  /** Metrics of the product, in the text format of Prometheus. */
  figures(): Promise<string>;
  /** Allows reading the metrics without an account; empty to disable. */
  readonly metricsToken: string;
  /** Whether a proxy is in front of the server. Then a local connection may come from any caller. */
  readonly isProxied: boolean;
}

/** Mounts the endpoints for operators: liveness, readiness and metrics. */
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
    // Measuring the event loop delay wakes the process a hundred times a second, so it starts with the first request
    // for metrics.
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

/** Headers that proxies add. */
const FORWARDING = ['x-forwarded-for', 'x-forwarded-host', 'x-forwarded-proto', 'x-real-ip', 'forwarded', 'via'];

/**
 * Allows callers with the metrics token, admins, and local callers unless they may be a proxy that forwards for others.
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
