import type { Socket } from 'node:net';
import type { FastifyInstance } from 'fastify';
import { type RawData, type WebSocket, WebSocketServer } from 'ws';
import { timeNow } from '../../../platform/clock.ts';
import type { Log } from '../../../platform/log.ts';
import { authorizationRequired } from '../../../refusals.ts';
import { nameOf } from '../../protocols/claims.ts';
import { firstOf } from '../../protocols/gather.ts';
import { MAX_KEY } from '../../protocols/limits.ts';
import { errorBody, refusalOf } from '../errors.ts';
import { deviceByKey, type IngestOptions, keyIn, receiveBody } from '../ingest/reports.ts';
import type { Meter } from '../meter.ts';
import { queryPairs } from '../query.ts';
import { refuseOverdrawn } from '../rate-limit.ts';
import { keyOfCaller } from '../trust-proxy.ts';
import { BadFrame, type MessageId, readReportFrame } from './frames.ts';
import { requireHandshake } from './sockets.ts';

interface ReportStreamOptions extends IngestOptions {
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
  if (status >= 500) log.error({ error: refusal.cause ?? error }, 'A report over a web socket could not be processed');
  const retryAfter = headers?.['retry-after'];
  const body = errorBody('v1', refusal) as object;
  return { status, content: { ...body, ...(retryAfter !== undefined && { retryAfter: Number(retryAfter) }) } };
}

/** Reading pauses while this many reports are being stored. */
const MOST_WAITING = 32;
/** Time limit for the device to confirm the close. */
const FAREWELL_MS = 2000;

/** The result of one report; the response contains it together with `id` and `status`. */
interface StreamedOutcome {
  readonly status: number;
  readonly content: object;
}

interface ReportStreamContext {
  /**
   * Stores one report. It never throws, and starts synchronously, so that reports are stored in the order of their
   * frames.
   */
  receive(report: unknown): Promise<StreamedOutcome>;
  /** Reading pauses while reports of this total size in bytes are being stored. */
  readonly mostBytes: number;
  readonly pingMs: number;
}

interface ReportStream {
  /** Accepts no more reports, answers the accepted ones, and closes. */
  stop(): void;
}

/** Serves one web socket of a device. Each report is answered when it is durable; several can be in progress. */
function serveReports(socket: WebSocket, wire: Socket, context: ReportStreamContext): ReportStream {
  let waiting = 0;
  let waitingBytes = 0;
  let farewell: readonly [code: number, reason: string] | undefined;
  let lastDataAt = performance.now();

  function answer(id: MessageId | undefined, { status, content }: StreamedOutcome): void {
    if (socket.readyState === socket.OPEN) {
      gather();
      socket.send(JSON.stringify({ id, status, ...content }));
    }
    // The key was replaced: its holder is no longer the device.
    if (status === 401) end(1008, 'the key has ended');
  }

  /** Responses that are ready in the same turn of the event loop are sent as one. */
  function gather(): void {
    if (wire.writableCorked > 0) return;
    wire.cork();
    setImmediate(() => wire.uncork());
  }

  /** Reading pauses while the device does not read its responses. */
  function adjustReading(): void {
    const isFull = waiting >= MOST_WAITING || waitingBytes >= context.mostBytes || wire.writableNeedDrain;
    if (isFull) socket.pause();
    else if (socket.isPaused) socket.resume();
  }

  function end(code: number, reason: string): void {
    farewell ??= [code, reason];
    if (waiting > 0 || socket.readyState !== socket.OPEN) return;
    socket.close(...farewell);
    if (socket.isPaused) socket.resume();
    setTimeout(() => socket.terminate(), FAREWELL_MS).unref();
  }

  async function take(data: RawData): Promise<void> {
    const text = data.toString();
    waiting += 1;
    waitingBytes += text.length;
    adjustReading();
    try {
      const { id, report } = readReportFrame(text);
      answer(id, await context.receive(report));
    } catch (error) {
      if (!(error instanceof BadFrame)) throw error;
      const { message } = error;
      answer(error.messageId, { status: 400, content: { error: { statusCode: 400, name: 'Error', message } } });
    } finally {
      waiting -= 1;
      waitingBytes -= text.length;
      if (farewell === undefined) adjustReading();
      else end(...farewell);
    }
  }

  socket.on('message', (data) => {
    // Reports after the close are not answered: the device sends them again.
    if (farewell === undefined) void take(data);
  });
  socket.on('pong', () => {
    lastDataAt = performance.now();
  });
  const pings = setInterval(() => {
    // While reading is paused, pongs cannot arrive either.
    if (socket.isPaused) lastDataAt = performance.now();
    else if (performance.now() - lastDataAt > 2 * context.pingMs) socket.terminate();
    else socket.ping();
  }, context.pingMs);
  pings.unref();
  wire.on('drain', adjustReading);
  // An invalid frame closes the socket with its own code.
  socket.on('error', () => {});
  socket.on('close', () => {
    clearInterval(pings);
    wire.off('drain', adjustReading);
  });

  return { stop: () => end(1001, 'the server stops') };
}
