import type { FastifyInstance, FastifyRequest } from 'fastify';
import { collectDefaultMetrics, Histogram, Registry } from 'prom-client';
import type { Gate } from '../../calls.ts';
import { accessDenied } from '../../refusals.ts';
import { queryPairs } from './query.ts';
import { tokenOf } from './token.ts';

export interface Operators {
  readonly gate: Gate;
  /** Fails while the service can not serve. */
  ready(): Promise<void>;
}

/** What operators look at: is it alive, is it ready, how is it doing. */
export function mountOperators(server: FastifyInstance, { gate, ready }: Operators): void {
  const registry = new Registry();
  collectDefaultMetrics({ register: registry });
  const durations = new Histogram({
    name: 'trackway_http_request_duration_seconds',
    help: 'How long requests took, by operation and status.',
    labelNames: ['operation', 'status'],
    buckets: [0.001, 0.005, 0.02, 0.1, 0.5, 2, 10],
    registers: [registry],
  });
  // Finding a series by its labels costs more than counting in it.
  const series = new Map<string, ReturnType<typeof durations.labels>>();
  const seriesOf = (operation: string, status: number) => {
    const name = `${operation} ${status}`;
    const known = series.get(name) ?? durations.labels(operation, String(status));
    series.set(name, known);
    return known;
  };
  server.addHook('onResponse', (request, reply, done) => {
    const { operation = 'other' } = request.routeOptions.config as { operation?: string };
    seriesOf(operation, reply.statusCode).observe(reply.elapsedTime / 1000);
    done();
  });

  server.get('/healthz', (_request, reply) => reply.send({ status: 'ok' }));
  server.get('/readyz', async (_request, reply) => {
    try {
      await ready();
      return reply.send({ status: 'ok' });
    } catch {
      return reply.code(503).send({ status: 'unavailable' });
    }
  });
  server.get('/metrics', async (request, reply) => {
    await requireOperator(request, gate);
    return reply.header('content-type', registry.contentType).send(await registry.metrics());
  });
}

/** This machine, unless a proxy on it speaks for somebody else; or an admin. */
async function requireOperator(request: FastifyRequest, gate: Gate): Promise<void> {
  const isLocal = /^(127\.|::1$|::ffff:127\.)/.test(request.ip);
  const isForwarded = request.headers['x-forwarded-for'] !== undefined || request.headers.forwarded !== undefined;
  if (isLocal && !isForwarded) return;
  const token = tokenOf(request, { method: 'GET' } as never, queryPairs(request.raw.url!));
  if (token === undefined) throw accessDenied();
  const caller = await gate.authenticate(token, Date.now());
  if (!caller.admin) throw accessDenied();
}
