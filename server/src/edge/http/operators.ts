import { isWithinScope } from '@trackway/contract/scopes.ts';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Registry } from 'prom-client';
import type { Gate } from '../../calls.ts';
import { accessDenied, outOfScope } from '../../refusals.ts';
import type { Meter } from './meter.ts';
import { queryPairs } from './query.ts';
import { readable } from './readable.ts';
import { tokenOf } from './token.ts';

export interface Operators {
  readonly gate: Gate;
  /** Whether the service can store what it acknowledges. */
  ready(): Promise<{ readonly isReady: boolean; readonly reasons: readonly string[] }>;
  /** Numbers of the product, in the text format of Prometheus. */
  figures(): Promise<string>;
}

/** Mounts the addresses for operators: liveness, readiness and metrics. */
export function mountOperators(server: FastifyInstance, { gate, ready, figures }: Operators, meter: Meter): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });

  readable(server, '/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  readable(server, '/readyz', async (_request, reply) => {
    const { isReady, reasons } = await ready();
    if (isReady) return reply.send({ status: 'ok' });
    return reply.code(503).header('retry-after', '5').send({ status: 'unavailable', reasons });
  });
  readable(server, '/metrics', async (request, reply) => {
    await requireOperator(request, gate);
    return reply
      .header('content-type', registry.contentType)
      .send((await registry.metrics()) + (await figures()) + meter.text());
  });
}

/** Allows a caller on this machine, unless it is a proxy that forwards for someone else, and any admin. */
async function requireOperator(request: FastifyRequest, gate: Gate): Promise<void> {
  const isLocal = /^(127\.|::1$|::ffff:127\.)/.test(request.ip);
  const isForwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  if (isLocal && !isForwarded) return;
  const token = tokenOf(request, { method: 'GET' }, queryPairs(request.raw.url!));
  if (token === undefined) throw accessDenied();
  const caller = await gate.authenticate(token, Date.now());
  if (!caller.admin) throw accessDenied();
  if (caller.scope !== undefined && !isWithinScope(caller.scope, 'getHealth')) throw outOfScope();
}
