import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { type AddressRule, whyForbidden } from './addresses.ts';
import { CallFailed, notReached } from './failure.ts';
import { FORBIDDEN } from './target.ts';

/** Connects only to addresses that were checked. */

export type Lookup = (hostname: string) => Promise<readonly string[]>;
export type Connect = (address: string, port: number) => Socket;

export interface Dialling {
  readonly rule: AddressRule;
  readonly lookup: Lookup;
  readonly connect: Connect;
  /** For the lookup and all connection attempts together. */
  readonly withinMs: number;
}

/** Resolves all addresses of a name with the system's resolver. */
export const systemLookup: Lookup = async (hostname) => {
  const found = await lookUp(hostname, { all: true });
  return found.map(({ address }) => address);
};

export const systemConnect: Connect = (address, port) =>
  tcpConnect({ host: address, port, noDelay: true, keepAlive: true });

/** The most addresses of one name to try. */
const MAX_ADDRESSES = 4;

/**
 * Resolves the name once for each connection and connects to the very address that was checked, so that a later change
 * of the DNS record has no effect. If any address of the name is forbidden, none is called.
 */
export async function dial(hostname: string, port: number, dialling: Dialling): Promise<Socket> {
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
