import {
  type ClientRequest,
  type Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { request as secureRequest } from 'node:https';
import { within } from '../deadline.ts';
import { type AddressRule, ownAddresses } from './addresses.ts';
import { guardedAgents } from './agents.ts';
import { type Connect, type Lookup, systemConnect, systemLookup } from './dial.ts';
import { CallFailed, notReached } from './failure.ts';
import { parseRanges } from './ip.ts';
import { checkTarget, readTarget } from './target.ts';

/** The one client that calls addresses which users give, and web servers that the operator names. */

export interface EgressRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer;
  /** For the whole call: lookup, connection, redirects and answer. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Whether the caller wants to read the answer of a success too, and waits for it. */
  readonly readsSuccess?: boolean;
}

/** A request that only reads: its answer is read, up to a limit. */
export interface EgressQuestion extends Omit<EgressRequest, 'body' | 'readsSuccess'> {
  readonly maxBytes: number;
}

export interface EgressResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the answer; of a success only where it was asked for. */
  readonly text: string;
}

export interface Egress {
  /** Sends a POST and resolves with any answer, or throws `CallFailed`. */
  post(call: EgressRequest): Promise<EgressResponse>;
  /** Sends a GET and resolves with any answer, or throws `CallFailed`. */
  get(call: EgressQuestion): Promise<EgressResponse>;
  /** Returns the end of a sentence that says what is wrong with an address; undefined if it may be called. */
  checkTarget(url: string): string | undefined;
  close(): void;
}

export interface EgressOptions {
  /** Comma-separated ranges that may be called besides public addresses. */
  readonly allowTargets: string;
  readonly own?: AddressRule['own'];
  readonly lookup?: Lookup;
  readonly connect?: Connect;
}

/** Allows every address: for servers that the operator names, which may be anywhere. */
export const ANY_TARGET = '0.0.0.0/0,::/0';

const CONNECT_MS = 5000;
const MAX_REDIRECTS = 3;
const BROKE = 'The connection was lost before an answer arrived.';
const MAX_ANSWER_BYTES = 4096;
/** How long reading the body of a success may occupy its connection. */
const DRAIN_MS = 2000;

type OutgoingCall = EgressRequest & { readonly method: 'POST' | 'GET'; readonly maxBytes: number };

export function createEgress(options: EgressOptions): Egress {
  const { lookup = systemLookup, connect = systemConnect, own = () => ownAddresses() } = options;
  const { ranges, wrong } = parseRanges(options.allowTargets);
  if (wrong !== undefined) throw new Error(`${wrong} is not an address range`);
  const rule: AddressRule = { allowed: ranges, own };
  const agents = guardedAgents({ rule, lookup, connect, withinMs: CONNECT_MS });

  async function follow(call: OutgoingCall, signal: AbortSignal): Promise<EgressResponse> {
    let { url, headers } = { url: required(call.url, rule), headers: call.headers };
    for (let redirects = 0; ; redirects++) {
      const answer = await attempt(url, headers, call, signal);
      const { location } = answer.headers;
      if ((answer.status !== 307 && answer.status !== 308) || location === undefined) return answer;
      if (redirects === MAX_REDIRECTS) {
        throw new CallFailed('reach', `The address redirects more than ${MAX_REDIRECTS} times.`);
      }
      const next = redirected(location, url, rule);
      if (url.protocol === 'https:' && next.protocol === 'http:') {
        throw new CallFailed('forbidden', 'The redirect from https to http is not followed.');
      }
      if (next.origin !== url.origin) headers = withoutCredentials(headers);
      url = next;
    }
  }

  /**
   * One request, never repeated here: whoever asked decides that, and keeps a record of each. A connection that was used
   * before may just have been closed as idle; then no other that is idle is worth trying.
   */
  function attempt(
    url: URL,
    headers: EgressRequest['headers'],
    { method, body, readsSuccess = false, maxBytes }: OutgoingCall,
    signal: AbortSignal,
  ): Promise<EgressResponse> {
    const [agent, start] = url.protocol === 'https:' ? [agents.https, secureRequest] : [agents.http, plainRequest];
    return new Promise((resolve, reject) => {
      let isConnected = false;
      let isAnswered = false;
      const request = requestOf(() => start(url, { method, agent, headers, signal }));
      const failed = (error: NodeJS.ErrnoException) => {
        if (isAnswered) return;
        const isStale = request.reusedSocket && (error.code === 'ECONNRESET' || error.code === 'EPIPE');
        if (isStale && !signal.aborted) {
          closeIdle(agent, url);
          reject(new CallFailed('reach', BROKE, { isUnclear: true, isStale: true, cause: error }));
        } else reject(failureOf(error, isConnected, signal));
      };
      // Without this listener, a request that has no connection yet would end only once it has one.
      signal.addEventListener('abort', () => failed(signal.reason), { once: true });
      request.once('socket', () => {
        isConnected = true;
      });
      request.once('response', (response) => {
        isAnswered = true;
        answerOf(response, readsSuccess, maxBytes).then(resolve);
      });
      request.on('error', failed);
      request.end(body);
    });
  }

  return {
    post: (call) => {
      const outgoing = { ...call, method: 'POST' as const, maxBytes: MAX_ANSWER_BYTES };
      return within(call.signal, call.deadlineMs, (signal) => follow(outgoing, signal));
    },
    get: (call) => {
      const outgoing = { ...call, method: 'GET' as const, body: '', readsSuccess: true };
      return within(call.signal, call.deadlineMs, (signal) => follow(outgoing, signal));
    },
    checkTarget: (url) => checkTarget(url, rule),
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Closes the connections to a host that nobody uses at the moment. */
function closeIdle(agent: HttpAgent, { hostname, port, protocol }: URL): void {
  const of = `${hostname}:${port || (protocol === 'https:' ? 443 : 80)}:`;
  for (const [name, sockets = []] of Object.entries(agent.freeSockets))
    if (name.startsWith(of)) for (const socket of [...sockets]) socket.destroy();
}

/** Node rejects invalid headers here, before anything is sent. */
function requestOf(start: () => ClientRequest): ClientRequest {
  try {
    return start();
  } catch (error) {
    throw new CallFailed('address', 'The message cannot be sent: one of its headers is not valid.', { cause: error });
  }
}

function required(text: string, rule: AddressRule): URL {
  const target = readTarget(text, rule);
  if ('url' in target) return target.url;
  throw new CallFailed(target.isForbidden ? 'forbidden' : 'address', `The address ${target.wrong}.`);
}

/** A redirect's target may change, unlike the given address, so a bad one is not a permanent failure. */
function redirected(location: string, from: URL, rule: AddressRule): URL {
  const target = readTarget(URL.canParse(location, from) ? new URL(location, from).href : '', rule);
  if ('url' in target) return target.url;
  throw new CallFailed('forbidden', `The redirect ${target.wrong}.`);
}

const withoutCredentials = (headers: EgressRequest['headers']): EgressRequest['headers'] =>
  Object.fromEntries(Object.entries(headers).filter(([name]) => !/^(authorization|cookie)$/i.test(name)));

/** A status is an answer, whatever becomes of the body. Of a success nobody waits for it, unless they want to read it. */
function answerOf(response: IncomingMessage, readsSuccess: boolean, maxBytes: number): Promise<EgressResponse> {
  const { statusCode: status = 0, headers } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  const isUnread = status >= 200 && status < 300 && !readsSuccess;
  return new Promise((resolve) => {
    const done = () => {
      const text = isUnread ? '' : Buffer.concat(chunks).subarray(0, maxBytes).toString('utf8');
      resolve({ status, headers, text });
    };
    response.on('data', (chunk: Buffer) => {
      size += chunk.length;
      if (!isUnread) chunks.push(chunk);
      // Such a connection is not worth keeping.
      if (size > maxBytes) response.destroy();
    });
    response.once('error', done);
    response.once('close', done);
    if (!isUnread) return;
    done();
    const timer = setTimeout(() => response.destroy(), DRAIN_MS);
    response.once('close', () => clearTimeout(timer));
  });
}

function failureOf(error: NodeJS.ErrnoException, isConnected: boolean, signal: AbortSignal): CallFailed {
  if (error instanceof CallFailed) return error;
  if (signal.aborted) {
    const isLate = (signal.reason as Error | undefined)?.name === 'TimeoutError';
    const sentence = isLate ? `No ${isConnected ? 'answer' : 'connection'} in time.` : 'The request was aborted.';
    return new CallFailed('reach', sentence, { isUnclear: isConnected, cause: error });
  }
  if (!isConnected) return notReached(error);
  const isGarbage = error.code?.startsWith('HPE_');
  const sentence = isGarbage ? 'The answer was not HTTP.' : BROKE;
  return new CallFailed('reach', sentence, { isUnclear: true, cause: error });
}
