import { ERRORS } from '@trackway/contract/errors.ts';
import type { ReportAnswer, ReportingIdentity, ReportReceiver } from '../../../calls.ts';
import { timeNow } from '../../../platform/clock.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Report } from '../../../reports.ts';
import { nameOf } from '../../protocols/claims.ts';
import { firstOf } from '../../protocols/gather.ts';
import { MAX_KEY } from '../../protocols/limits.ts';
import type { Decoded, PhoneProtocol, PhoneRequest, ReportOutcome } from '../../protocols/phone.ts';
import { refuseTooDeep } from '../body.ts';
import { queryPairs } from '../query.ts';
import { callerAddress, keyOfCaller } from '../trust-proxy.ts';
import { countReport, type Endpoint, type IngestAnswer, type IngestRequest } from './endpoint.ts';
import { basicPassword, deviceByKey, type IngestOptions, keyIn } from './reports.ts';

/** For an address that fails often, a body that may contain the key is parsed only up to this size. */
const SMALL_BYTES = 64 * 1024;
const UNKNOWN_KEY = 'Unknown device key';
const UNKNOWN_DEVICE = 'Unknown device: send its key, or allow it to report without a key';
const INACTIVE = ERRORS.deviceInactive;

/** Where the apps of phones report. They send any content type, so their protocols parse the text themselves. */
export function phoneEndpoint(options: IngestOptions, protocol: PhoneProtocol): Endpoint {
  const { failures, bodyLimit } = options;
  return {
    operation: `ingest ${protocol.name}`,
    methods: ['GET', 'POST'],
    bodyLimit,
    mayHaveKey: true,
    async begin(request) {
      const query = queryPairs(request.url);
      const key = keyBeforeBody(request, query, protocol);
      let known: ReportingIdentity | undefined;
      if (key === undefined) {
        if (isLarge(request)) failures.check(keyOfCaller(request), timeNow());
      } else {
        known = await deviceByKey(options, keyOfCaller(request), key);
        if (known === undefined) return problem(protocol, { status: 401, problem: UNKNOWN_KEY });
      }
      return (bytes) => {
        const body = bytes.toString('utf8');
        refuseTooDeep(body);
        return servePhone({ options, protocol, request, query, body, key, known });
      };
    },
  };
}

interface PhoneExchange {
  readonly options: IngestOptions;
  readonly protocol: PhoneProtocol;
  readonly request: IngestRequest;
  readonly query: PhoneRequest['query'];
  readonly body: string;
  /** The key, if it was found before the body was read, and its device. */
  readonly key: string | undefined;
  readonly known: ReportingIdentity | undefined;
  /** Whether the first attempt found that the identifier is no longer of the device that it was known for. */
  readonly isSecondAttempt?: boolean;
}

async function servePhone(exchange: PhoneExchange): Promise<IngestAnswer> {
  const { options, protocol, request, query, body, known } = exchange;
  const { reception, notes, limit, failures } = options;
  const now = timeNow();
  const phoneRequest: PhoneRequest = {
    query,
    contentType: request.headers['content-type'] ?? '',
    body,
    headers: request.headers as Record<string, string | undefined>,
    now,
  };
  const encoded = protocol.decode(phoneRequest);
  if ('malformed' in encoded) return malformed(protocol, encoded);
  const key = exchange.key ?? encoded.key;
  const credential = key ?? encoded.identifier;
  const address = keyOfCaller(request);
  if (known === undefined) failures.check(address, now, credential);
  const identity = known ?? (await identityOf(reception, key, encoded));
  if (identity) countReport(limit, identity.deviceId, request, now);
  // The device, and so the secret, is known only now.
  const secret = identity && encoded.encrypted ? await reception.secretOf(identity.deviceId) : undefined;
  const decoded = secret === undefined ? encoded : protocol.decode({ ...phoneRequest, secret });
  if ('malformed' in decoded) return malformed(protocol, decoded);
  const asSent = () => JSON.stringify([query, body]);
  const received = identity && (await receivedFrom(reception, identity, { ...decoded.report, asSent }, now));
  if (received === 'inactive') return problem(protocol, { status: INACTIVE.status, problem: INACTIVE.message });
  if (received === undefined) {
    if (identity?.identifier !== undefined && !exchange.isSecondAttempt)
      return servePhone({ ...exchange, isSecondAttempt: true });
    failures.failed(address, now);
    if (key !== undefined) return problem(protocol, { status: 401, problem: UNKNOWN_KEY });
    const { identifier } = encoded;
    if (identifier === undefined) return problem(protocol, { status: 400, problem: UNKNOWN_DEVICE });
    notes.noteUnknown({ protocol: protocol.name, names: [identifier], address: callerAddress(request), now });
    return problem(protocol, { status: 404, problem: UNKNOWN_DEVICE });
  }
  failures.succeeded(address, credential!);
  const next = received.messages[0] as { id: number; message: string | null } | undefined;
  const isDecrypted = secret !== undefined && decoded.report.unreadable === undefined;
  const isProven = identity!.keyHash !== undefined || isDecrypted;
  const friends = protocol.showsFriends ? await reception.friendsOf(identity!.deviceId, protocol.name, isProven) : [];
  const answer = protocol.answer({
    ...(next?.message && { command: next.message }),
    ...(friends.length > 0 && { friends }),
    ...(isDecrypted && { secret }),
  });
  if (answer.commandSent && next) await reception.messageSent(identity!.deviceId, next.id, now);
  return answer;
}

/** Errors are returned in the format of the phone's protocol. */
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

const problem = (protocol: PhoneProtocol, outcome: Extract<ReportOutcome, { problem: string }>) =>
  protocol.answer(outcome);

const malformed = (protocol: PhoneProtocol, refused: { readonly malformed: string; readonly tooLarge?: true }) =>
  problem(protocol, { status: refused.tooLarge ? 413 : 400, problem: refused.malformed });

/** If a key is given, it alone identifies the device. */
async function identityOf(
  reception: ReportReceiver,
  key: string | undefined,
  { identifier }: Decoded,
): Promise<ReportingIdentity | undefined> {
  if (key !== undefined) return reception.deviceOfKey(key);
  return identifier === undefined ? undefined : reception.deviceOfIdentifier(identifier);
}

function keyBeforeBody(
  { key, headers }: IngestRequest,
  query: PhoneRequest['query'],
  { takesBearer }: PhoneProtocol,
): string | undefined {
  if (key !== undefined) return key;
  const inQuery = nameOf(firstOf(query, 'key'), MAX_KEY);
  return inQuery ?? (takesBearer ? keyIn(headers) : basicPassword(headers));
}

/** Whether the body may be large. A body of unknown length may be. */
function isLarge({ headers, method }: IngestRequest): boolean {
  if (method === 'GET') return false;
  const length = Number(headers['content-length'] ?? Number.NaN);
  return !(length <= SMALL_BYTES);
}
