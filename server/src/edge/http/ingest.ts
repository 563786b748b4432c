import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportAnswer, ReportingIdentity, ReportReceiver } from '../../calls.ts';
import { authorizationRequired } from '../../refusals.ts';
import { reportOf } from '../listeners/report-body.ts';
import type { Decoded, Malformed, PhoneProtocol, PhoneRequest } from '../protocols/phone.ts';
import { phoneProtocols } from '../protocols/protocols.ts';
import type { Meter } from './meter.ts';
import { setRateLimitHeaders } from './mount.ts';
import { queryPairs } from './query.ts';
import { type RateLimit, refuseOverdrawn } from './rate-limit.ts';

export interface IngestRouteOptions {
  readonly reception: ReportReceiver;
  readonly bodyLimit: number;
  readonly maxItems: number;
  /** Reports per minute allowed for each device. */
  readonly limit: RateLimit;
}

/** Mounts the addresses where devices report over HTTP: our own protocol, and those of phone apps. */
export function mountIngest(
  server: FastifyInstance,
  { reception, bodyLimit, maxItems, limit }: IngestRouteOptions,
  meter: Meter,
): void {
  server.post('/ingest/reports', { bodyLimit, config: { operation: 'ingestReports' } }, async (request, reply) => {
    const started = performance.now();
    const key = keyInHeaders(request);
    const identity = key === undefined ? undefined : await reception.deviceOfKey(key);
    if (identity === undefined) throw authorizationRequired();
    const now = Date.now();
    countReport(limit, identity, reply, now);
    const received = await receiveBody(reception, identity, request.body, now, maxItems);
    if (received === undefined) throw authorizationRequired();
    meter.note('ingest reports', 200, (performance.now() - started) / 1000);
    return reply.send(received);
  });

  // Phone apps send any content type, so their protocols parse the text themselves.
  server.register(async (phones) => {
    phones.removeAllContentTypeParsers();
    phones.addContentTypeParser('*', { parseAs: 'string' }, (_request, text, done) => done(null, text));
    for (const protocol of phoneProtocols) {
      for (const url of [`/ingest/${protocol.name}`, `/ingest/${protocol.name}/:key`]) {
        phones.route({
          method: ['GET', 'POST'],
          url,
          bodyLimit,
          config: { operation: `ingest ${protocol.name}` },
          handler: async (request, reply) => {
            const started = performance.now();
            const answer = await servePhone(reception, protocol, limit, request, reply);
            meter.note(`ingest ${protocol.name}`, reply.statusCode, (performance.now() - started) / 1000);
            return answer;
          },
        });
      }
    }
  });
}

/** Returns undefined if the key no longer belongs to the device, even if the body is invalid too. */
async function receiveBody(
  reception: ReportReceiver,
  identity: ReportingIdentity,
  body: unknown,
  now: number,
  maxItems: number,
): Promise<ReportAnswer | undefined> {
  let parsed: ReturnType<typeof reportOf>;
  try {
    parsed = reportOf(body, now, maxItems);
  } catch (error) {
    if (!(await reception.keyIsCurrent(identity))) return undefined;
    throw error;
  }
  return reception.receive(identity, parsed.report, parsed.confirmation, now);
}

async function servePhone(
  reception: ReportReceiver,
  protocol: PhoneProtocol,
  limit: RateLimit,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const now = Date.now();
  const phoneRequest: PhoneRequest = {
    query: queryPairs(request.raw.url!),
    contentType: request.headers['content-type'] ?? '',
    body: typeof request.body === 'string' ? request.body : '',
    headers: request.headers as Record<string, string | undefined>,
    now,
  };
  const encoded = protocol.decode(phoneRequest);
  if ('malformed' in encoded) return refuseMalformed(reply, protocol, encoded);
  const { key, identity } = await identityOf(reception, request, encoded);
  if (identity) countReport(limit, identity, reply, now);
  // Which device it is, and so by which secret, is known only now.
  const secret = identity && encoded.encrypted ? await reception.secretOf(identity.deviceId) : undefined;
  const decoded = secret === undefined ? encoded : protocol.decode({ ...phoneRequest, secret });
  if ('malformed' in decoded) return refuseMalformed(reply, protocol, decoded);
  const asSent = () => JSON.stringify([phoneRequest.query, phoneRequest.body]);
  const report = { ...decoded.report, asSent };
  const received = identity && (await reception.receive(identity, report, { messages: [] }, now));
  if (received === undefined) {
    const problem =
      key === undefined
        ? 'Unknown device: give its key, or let it report by its identifier alone'
        : 'Unknown device key';
    return sendProblem(reply, protocol, { status: key === undefined ? 400 : 401, problem });
  }
  const next = received.messages[0] as { id: number; message: string | null } | undefined;
  const isDecrypted = secret !== undefined && decoded.report.unreadable === undefined;
  const answer = protocol.answer({
    ...(next?.message && { command: next.message }),
    ...(isDecrypted && { secret }),
  });
  if (answer.commandSent && next) await reception.messageSent(identity!.deviceId, next.id, now);
  return reply.code(answer.status).header('content-type', answer.contentType).send(answer.body);
}

const refuseMalformed = (reply: FastifyReply, protocol: PhoneProtocol, { tooLarge, malformed }: Malformed) =>
  sendProblem(reply, protocol, { status: tooLarge ? 413 : 400, problem: malformed });

/** A device has an allowance of its own, where operators set one; nothing of it counts against its owner. */
function countReport(limit: RateLimit, { deviceId }: ReportingIdentity, reply: FastifyReply, now: number): void {
  const allowance = limit.count(String(deviceId), now);
  if (allowance.limit === 0) return;
  setRateLimitHeaders(reply, allowance);
  refuseOverdrawn(allowance, now);
}

function sendProblem(
  reply: FastifyReply,
  protocol: PhoneProtocol,
  outcome: { status: number; problem: string },
): FastifyReply {
  const { status, contentType, body } = protocol.answer(outcome);
  return reply.code(status).header('content-type', contentType).send(body);
}

/**
 * If a key is given, it alone identifies the device. Some apps drop the query string, so the path may carry the key.
 */
async function identityOf(
  reception: ReportReceiver,
  request: FastifyRequest,
  decoded: Decoded,
): Promise<{ key: string | undefined; identity: ReportingIdentity | undefined }> {
  const key = (request.params as { key?: string }).key ?? decoded.key ?? basicPassword(request);
  if (key !== undefined) return { key, identity: await reception.deviceOfKey(key) };
  const { identifier } = decoded;
  return { key, identity: identifier === undefined ? undefined : await reception.deviceOfIdentifier(identifier) };
}

function keyInHeaders(request: FastifyRequest): string | undefined {
  const { authorization } = request.headers;
  if (authorization === undefined) return undefined;
  return basicPassword(request) ?? authorization.replace(/^bearer\s+/i, '').trim();
}

function basicPassword({ headers }: FastifyRequest): string | undefined {
  const encoded = /^basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, 'base64').toString('utf8').split(':').slice(1).join(':') || undefined;
}
