import { lookup as lookUp } from 'node:dns/promises';
import {
  type AgentOptions,
  type ClientRequest,
  Agent as HttpAgent,
  type IncomingHttpHeaders,
  type IncomingMessage,
  request as plainRequest,
} from 'node:http';
import { Agent as HttpsAgent, type RequestOptions, request as secureRequest } from 'node:https';
import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import type { Duplex } from 'node:stream';
import { type TLSSocket, connect as tlsConnect } from 'node:tls';
import { because } from '../because.ts';
import { within } from '../deadline.ts';
import { type AddressRule, checkTarget, FORBIDDEN, ownAddresses, readTarget, whyForbidden } from './addresses.ts';
import { CallFailed, errorName, notReached } from './failure.ts';
import { parseRanges } from './ip.ts';

/** The only client for addresses that users specify, and for web servers that the operator configures. */

export interface EgressRequest {
  readonly url: string;
  readonly headers: Readonly<Record<string, string | number>>;
  readonly body: string | Buffer;
  /** For the whole call: lookup, connection, redirects and response. */
  readonly deadlineMs: number;
  readonly signal: AbortSignal;
  /** Whether the caller also reads the response of a success, and waits for it. */
  readonly readsSuccess?: boolean;
}

/** A read-only request: its response is read, up to a limit. */
interface EgressQuestion extends Omit<EgressRequest, 'body' | 'readsSuccess'> {
  readonly maxBytes: number;
}

export interface EgressResponse {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  /** The beginning of the response; for a success only if requested. */
  readonly text: string;
}

export interface Egress {
  /** Sends a POST and resolves with any response, or throws `CallFailed`. */
  post(call: EgressRequest): Promise<EgressResponse>;
  /** Sends a GET and resolves with any response, or throws `CallFailed`. */
  get(call: EgressQuestion): Promise<EgressResponse>;
  /** Returns the end of a sentence that says what is wrong with an address; undefined if it may be called. */
  checkTarget(url: string): string | undefined;
  /** The same for all addresses of a host, which is looked up. Undefined too if it cannot be found. */
  checkHost(hostname: string): Promise<string | undefined>;
  close(): void;
}

export interface EgressOptions {
  /** Comma-separated ranges that may be called in addition to public addresses. */
  readonly allowTargets: string;
  readonly own?: AddressRule['own'];
  readonly lookup?: Lookup;
  readonly connect?: Connect;
}

/** Allows every address: for servers that the operator configures, which may be anywhere. */
export const ANY_TARGET = '0.0.0.0/0,::/0';

const CONNECT_MS = 5000;
const MAX_REDIRECTS = 3;
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
   * One request, never repeated here: the caller decides that, and records each attempt. A reused connection may just
   * have been closed as idle; then no other idle one is tried.
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
          reject(new CallFailed('reach', because('connectionLost'), { isUnclear: true, isStale: true, cause: error }));
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
    async checkHost(hostname) {
      const host = hostname.replace(/^\[|\]$/g, '');
      const addresses = isIP(host) === 0 ? await lookup(host).catch(() => []) : [host];
      return addresses.some((address) => whyForbidden(address, rule) !== undefined) ? FORBIDDEN : undefined;
    },
    close() {
      agents.http.destroy();
      agents.https.destroy();
    },
  };
}

/** Closes the idle connections to a host. */
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

/** A status is a response, even if the body fails. The body of a success is awaited only if the caller reads it. */
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
      // Such a connection is not worth reusing.
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
    const why = isLate ? because(isConnected ? 'noAnswer' : 'noConnection') : 'The request was aborted.';
    return new CallFailed('reach', why, { isUnclear: isConnected, cause: error });
  }
  if (!isConnected) return notReached(error);
  const isGarbage = error.code?.startsWith('HPE_');
  return new CallFailed('reach', because(isGarbage ? 'notHttp' : 'connectionLost'), { isUnclear: true, cause: error });
}

/**
 * The connection pool for calls to users' addresses. Nothing else uses it: every connection in it goes to a checked
 * address.
 */

/**
 * Common servers close a connection after 5 s idle. Closing earlier avoids requests on a connection that just closed.
 */
const IDLE_MS = 4000;

const POOL: AgentOptions = {
  keepAlive: true,
  timeout: IDLE_MS,
  maxFreeSockets: 256,
  // Callers limit their own concurrency; this only keeps a bug from using up all file descriptors.
  maxTotalSockets: 2048,
  scheduling: 'lifo',
};

type Asked = RequestOptions;
type Connected = (error: Error | null, socket: Duplex) => void;

function guardedAgents(dialling: Dialling): { readonly http: HttpAgent; readonly https: HttpsAgent } {
  const open = (options: Asked, message: Connected, finish: (socket: Socket) => Promise<Socket>) => {
    dial(options.host!, Number(options.port), dialling)
      .then(finish)
      .then(
        (socket) => message(null, socket),
        (error: Error) => message(error, undefined as never),
      );
    return undefined;
  };
  class GuardedHttp extends HttpAgent {
    override createConnection(options: Asked, message: Connected) {
      return open(options, message, async (socket) => socket);
    }
  }
  class GuardedHttps extends HttpsAgent {
    override createConnection(options: Asked, message: Connected) {
      return open(options, message, (socket) => secured(socket, options, dialling.withinMs));
    }
  }
  return { http: new GuardedHttp(POOL), https: new GuardedHttps(POOL) };
}

/** The certificate must match the requested name, not the address that the name resolved to. */
function secured(socket: Socket, { host, servername }: Asked, withinMs: number): Promise<TLSSocket> {
  return new Promise((resolve, reject) => {
    const secure = tlsConnect({ socket, host: host!, servername, ALPNProtocols: ['http/1.1'] });
    const failed = (error?: NodeJS.ErrnoException) => {
      clearTimeout(timer);
      secure.destroy();
      socket.destroy();
      reject(new CallFailed('reach', because('tlsFailed', { error: errorName(error?.code) }), { cause: error }));
    };
    const timer = setTimeout(failed, withinMs);
    secure.once('error', failed);
    secure.once('close', failed);
    secure.once('secureConnect', () => {
      clearTimeout(timer);
      secure.off('error', failed);
      secure.off('close', failed);
      resolve(secure);
    });
  });
}

/** Connects only to checked addresses. */

type Lookup = (hostname: string) => Promise<readonly string[]>;
export type Connect = (address: string, port: number) => Socket;

interface Dialling {
  readonly rule: AddressRule;
  readonly lookup: Lookup;
  readonly connect: Connect;
  /** For the lookup and all connection attempts together. */
  readonly withinMs: number;
}

/** Resolves all addresses of a name with the system's resolver. */
const systemLookup: Lookup = async (hostname) => {
  const found = await lookUp(hostname, { all: true });
  return found.map(({ address }) => address);
};

const systemConnect: Connect = (address, port) => tcpConnect({ host: address, port, noDelay: true, keepAlive: true });

/** Maximum number of addresses of one name to try. */
const MAX_ADDRESSES = 4;

/**
 * Resolves the name once for each connection and connects to exactly the checked address, so that a later change of the
 * DNS record has no effect. If any address of the name is forbidden, none is called.
 */
async function dial(hostname: string, port: number, dialling: Dialling): Promise<Socket> {
  const { rule, lookup, connect, withinMs } = dialling;
  const until = Date.now() + withinMs;
  const addresses = isIP(hostname) === 0 ? await inTime(lookup(hostname), withinMs) : [hostname];
  if (addresses.length === 0) throw notReached({ code: 'ENOTFOUND' });
  if (addresses.some((address) => whyForbidden(address, rule) !== undefined)) {
    throw new CallFailed('forbidden', `The address ${FORBIDDEN}.`);
  }
  const tried = addresses.slice(0, MAX_ADDRESSES);
  let last: unknown;
  for (const [i, address] of tried.entries()) {
    const share = (until - Date.now()) / (tried.length - i);
    if (share <= 0) break;
    try {
      return await connected(connect(address, port), share);
    } catch (error) {
      last = error;
    }
  }
  throw notReached(last ?? { code: 'ETIMEDOUT' });
}

function connected(socket: Socket, withinMs: number): Promise<Socket> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => socket.destroy(timedOut()), withinMs);
    socket.once('error', reject);
    socket.once('close', () => {
      clearTimeout(timer);
      reject(timedOut());
    });
    socket.once('connect', () => {
      clearTimeout(timer);
      socket.off('error', reject);
      resolve(socket);
    });
  });
}

async function inTime<T>(promise: Promise<T>, withinMs: number): Promise<T> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<never>((_resolve, reject) => {
    timer = setTimeout(() => reject(Object.assign(new Error('late'), { code: 'EAI_AGAIN' })), withinMs);
    timer.unref();
  });
  try {
    return await Promise.race([promise, late]);
  } catch (error) {
    throw notReached(error);
  } finally {
    clearTimeout(timer);
  }
}

const timedOut = () => Object.assign(new Error('No connection in time'), { code: 'ETIMEDOUT' });
