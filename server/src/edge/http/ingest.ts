import type { IncomingHttpHeaders } from 'node:http';
import { ERRORS } from '@trackway/contract/errors.ts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { ReportAnswer, ReportingIdentity, ReportReceiver } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import { authorizationRequired } from '../../refusals.ts';
import type { Report } from '../../reports.ts';
import { reportOf } from '../listeners/report-body.ts';
import { nameOf } from '../protocols/claims.ts';
import { firstOf } from '../protocols/gather.ts';
import { MAX_KEY } from '../protocols/limits.ts';
import type { Decoded, Malformed, PhoneProtocol, PhoneRequest } from '../protocols/phone.ts';
import { phoneProtocols } from '../protocols/protocols.ts';
import type { FailureLimit } from './connections/failure-limit.ts';
import type { Meter } from './meter.ts';
import { setRateLimitHeaders } from './mount.ts';
import { queryPairs } from './query.ts';
import { type RateLimit, refuseOverdrawn } from './rate-limit.ts';
import { keyOfCaller } from './trust-proxy.ts';

export interface IngestRouteOptions {
  readonly reception: ReportReceiver;
  readonly bodyLimit: number;
  readonly maxItems: number;
  /** Reports per minute allowed for each device. */
  readonly limit: RateLimit;
  /** Wrong keys and identifiers allowed for each address. */
  readonly failures: FailureLimit;
}

/** A body in which the key may be is parsed for an address that fails often only up to this size. */
const SMALL_BYTES = 64 * 1024;

/** Mounts the addresses where devices report over HTTP: our own protocol, and those of phone apps. */
export function mountIngest(
  server: FastifyInstance,
  { reception, bodyLimit, maxItems, limit, failures }: IngestRouteOptions,
  meter: Meter,
): void {
  /** Found by their key before the body is read. */
  const identities = new WeakMap<FastifyRequest, ReportingIdentity>();

  async function identifyByKey(request: FastifyRequest, key: string | undefined): Promise<boolean> {
    const identity = await deviceByKey({ reception, failures }, keyOfCaller(request), key);
    if (identity !== undefined) identities.set(request, identity);
    return identity !== undefined;
  }

  server.route({
    method: 'POST',
    url: '/ingest/reports',
    bodyLimit,
    config: { operation: 'ingest reports' },
    async onRequest(request) {
      if (!(await identifyByKey(request, keyIn(request.headers)))) throw authorizationRequired();
    },
    async handler(request, reply) {
      const started = performance.now();
      const identity = identities.get(request)!;
      const now = timeNow();
      countReport(limit, identity, reply, now);
      const received = await receiveBody(reception, identity, request.body, now, maxItems);
      if (received === undefined) {
        failures.failed(keyOfCaller(request), now);
        throw authorizationRequired();
      }
      failures.succeeded(keyOfCaller(request), keyIn(request.headers)!);
      meter.note('ingest reports', 200, (performance.now() - started) / 1000);
      return reply.send(received);
    },
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
          onRequest: async (request, reply) => {
            const key = keyBeforeBody(request, protocol);
            if (key === undefined) {
              if (isLarge(request)) failures.check(keyOfCaller(request), timeNow());
            } else if (!(await identifyByKey(request, key)))
              return sendProblem(reply, protocol, { status: 401, problem: UNKNOWN_KEY });
          },
          handler: async (request, reply) => {
            const started = performance.now();
            const known = identities.get(request);
            const answer = await servePhone({ reception, protocol, limit, failures, known }, request, reply);
            meter.note(`ingest ${protocol.name}`, reply.statusCode, (performance.now() - started) / 1000);
            return answer;
          },
        });
      }
    }
  });
}

/** The device of a key. An address that names too many wrong ones is refused. */
export async function deviceByKey(
  { reception, failures }: Pick<IngestRouteOptions, 'reception' | 'failures'>,
  address: string,
  key: string | undefined,
): Promise<ReportingIdentity | undefined> {
  const now = timeNow();
  failures.check(address, now, key);
  const identity = key === undefined ? undefined : await reception.deviceOfKey(key);
  if (identity === undefined) failures.failed(address, now);
  return identity;
}

/** Returns undefined if the key no longer belongs to the device, even if the body is invalid too. */
export async function receiveBody(
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

const UNKNOWN_KEY = 'Unknown device key';

interface PhoneContext extends Pick<IngestRouteOptions, 'reception' | 'limit' | 'failures'> {
  readonly protocol: PhoneProtocol;
  /** The device, where its key was found before the body was read. */
  readonly known: ReportingIdentity | undefined;
}

async function servePhone(context: PhoneContext, request: FastifyRequest, reply: FastifyReply): Promise<FastifyReply> {
  const { reception, protocol, limit, failures, known } = context;
  const now = timeNow();
  const phoneRequest: PhoneRequest = {
    query: queryPairs(request.raw.url!),
    contentType: request.headers['content-type'] ?? '',
    body: typeof request.body === 'string' ? request.body : '',
    headers: request.headers as Record<string, string | undefined>,
    now,
  };
  const encoded = protocol.decode(phoneRequest);
  if ('malformed' in encoded) return refuseMalformed(reply, protocol, encoded);
  const key = keyBeforeBody(request, protocol) ?? encoded.key;
  const credential = key ?? encoded.identifier;
  const address = keyOfCaller(request);
  if (known === undefined) failures.check(address, now, credential);
  const identity = known ?? (await identityOf(reception, key, encoded));
  if (identity) countReport(limit, identity, reply, now);
  // Which device it is, and so by which secret, is known only now.
  const secret = identity && encoded.encrypted ? await reception.secretOf(identity.deviceId) : undefined;
  const decoded = secret === undefined ? encoded : protocol.decode({ ...phoneRequest, secret });
  if ('malformed' in decoded) return refuseMalformed(reply, protocol, decoded);
  const asSent = () => JSON.stringify([phoneRequest.query, phoneRequest.body]);
  const report = { ...decoded.report, asSent };
  const received = identity && (await receivedFrom(reception, identity, report, now));
  if (received === 'inactive')
    return sendProblem(reply, protocol, { status: INACTIVE.status, problem: INACTIVE.message });
  if (received === undefined) {
    failures.failed(address, now);
    const problem =
      key === undefined ? 'Unknown device: give its key, or let it report by its identifier alone' : UNKNOWN_KEY;
    return sendProblem(reply, protocol, { status: key === undefined ? 400 : 401, problem });
  }
  failures.succeeded(address, credential!);
  const next = received.messages[0] as { id: number; message: string | null } | undefined;
  const isDecrypted = secret !== undefined && decoded.report.unreadable === undefined;
  const answer = protocol.answer({
    ...(next?.message && { command: next.message }),
    ...(isDecrypted && { secret }),
  });
  if (answer.commandSent && next) await reception.messageSent(identity!.deviceId, next.id, now);
  return reply.code(answer.status).header('content-type', answer.contentType).send(answer.body);
}

const INACTIVE = ERRORS.deviceInactive;

/** A phone is refused in the words of its protocol. */
async function receivedFrom(
  reception: ReportReceiver,
  identity: ReportingIdentity,
  report: Report,
  now: number,
): Promise<ReportAnswer | 'inactive' | undefined> {
  try {
    return await reception.receive(identity, report, { messages: [] }, now);
  } catch (error) {
    if (error instanceof Refusal && error.code === INACTIVE.code) return 'inactive';
    throw error;
  }
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

/** If a key is given, it alone identifies the device. */
async function identityOf(
  reception: ReportReceiver,
  key: string | undefined,
  { identifier }: Decoded,
): Promise<ReportingIdentity | undefined> {
  if (key !== undefined) return reception.deviceOfKey(key);
  return identifier === undefined ? undefined : reception.deviceOfIdentifier(identifier);
}

/** Some apps drop the query string, so the path may carry the key. */
function keyBeforeBody(request: FastifyRequest, { takesBearer }: PhoneProtocol): string | undefined {
  const inPath = (request.params as { key?: string }).key;
  if (inPath !== undefined) return inPath;
  const inQuery = nameOf(firstOf(queryPairs(request.raw.url!), 'key'), MAX_KEY);
  return inQuery ?? (takesBearer ? keyIn(request.headers) : basicPassword(request.headers));
}

/** Whether the body may be large: one of unknown length may be. */
function isLarge({ headers, method }: FastifyRequest): boolean {
  if (method === 'GET') return false;
  const length = Number(headers['content-length'] ?? Number.NaN);
  return !(length <= SMALL_BYTES);
}

/** The key that a device names in the head of its request. */
export function keyIn(headers: IncomingHttpHeaders): string | undefined {
  const { authorization } = headers;
  if (authorization === undefined) return undefined;
  return basicPassword(headers) ?? authorization.replace(/^bearer\s+/i, '').trim();
}

export function basicPassword(headers: IncomingHttpHeaders): string | undefined {
  const encoded = /^basic\s+(\S+)$/i.exec(headers.authorization ?? '')?.[1];
  if (encoded === undefined) return undefined;
  return Buffer.from(encoded, 'base64').toString('utf8').split(':').slice(1).join(':') || undefined;
}
