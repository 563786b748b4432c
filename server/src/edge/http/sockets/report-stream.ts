import type { FastifyInstance } from 'fastify';
import { WebSocketServer } from 'ws';
import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { authorizationRequired } from '../../../refusals.ts';
import { nameOf } from '../../protocols/claims.ts';
import { firstOf } from '../../protocols/gather.ts';
import { MAX_KEY } from '../../protocols/limits.ts';
import { errorBody, refusalOf } from '../errors.ts';
import { deviceByKey, type IngestRouteOptions, keyIn, receiveBody } from '../ingest.ts';
import type { Meter } from '../meter.ts';
import { queryPairs } from '../query.ts';
import { refuseOverdrawn } from '../rate-limit.ts';
import { keyOfCaller } from '../trust-proxy.ts';
import { type ReportStream, type StreamedOutcome, serveReports } from './serve-reports.ts';
import { requireHandshake } from './upgrade.ts';

export interface ReportStreamOptions extends IngestRouteOptions {
  readonly log: Log;
  readonly pingMs?: number;
}

const NAME = 'ingest stream';
const PING_MS = 30_000;

/** Mounts the web socket for devices that report often: the same reports as over HTTP, without a request for each. */
export function mountReportStream(server: FastifyInstance, options: ReportStreamOptions, meter: Meter): void {
  const { bodyLimit, log, pingMs = PING_MS } = options;
  const sockets = new WebSocketServer({
    noServer: true,
    clientTracking: false,
    perMessageDeflate: false,
    maxPayload: bodyLimit,
  });
  const open = new Set<ReportStream>();
  server.addHook('preClose', async () => {
    for (const stream of open) stream.stop();
  });

  server.get('/ingest/stream', { config: { operation: NAME } }, async (request, reply) => {
    const key = keyIn(request.headers) ?? nameOf(firstOf(queryPairs(request.raw.url!), 'key'), MAX_KEY);
    const identity = await deviceByKey(options, keyOfCaller(request), key);
    if (identity === undefined) throw authorizationRequired();
    const upgrade = requireHandshake(request);
    options.failures.succeeded(keyOfCaller(request), key!);
    const { deviceId } = identity;

    async function receive(body: unknown): Promise<StreamedOutcome> {
      const started = performance.now();
      const outcome = await outcomeOf(body).catch((error) => failureOf(error, log));
      meter.note(NAME, outcome.status, (performance.now() - started) / 1000);
      return outcome;
    }

    async function outcomeOf(body: unknown): Promise<StreamedOutcome> {
      const now = timeNow();
      const allowance = options.limit.count(String(deviceId), now);
      if (allowance.limit !== 0) refuseOverdrawn(allowance, now);
      const received = await receiveBody(options.reception, identity!, body, now, options.maxItems);
      if (received === undefined) throw authorizationRequired();
      return { status: 200, content: received };
    }

    reply.hijack();
    upgrade.take();
    sockets.handleUpgrade(request.raw, upgrade.socket, upgrade.head, (socket) => {
      const stream = serveReports(socket, upgrade.socket, { receive, mostBytes: bodyLimit, pingMs });
      open.add(stream);
      socket.on('close', () => open.delete(stream));
    });
    return reply;
  });
}

function failureOf(error: unknown, log: Log): StreamedOutcome {
  const refusal = refusalOf(error);
  const { statusCode: status, headers } = refusal;
  if (status >= 500) log.error({ error: refusal.cause ?? error }, 'A report of a stream could not be taken in');
  const retryAfter = headers?.['retry-after'];
  const body = errorBody('v1', refusal) as object;
  return { status, content: { ...body, ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }) } };
}
