import { lookup as lookUp } from 'node:dns/promises';
import { isIP, type Socket, connect as tcpConnect } from 'node:net';
import { type AddressRule, whyForbidden } from './addresses.ts';
import { CallFailed, notReached } from './failure.ts';
import { FORBIDDEN } from './target.ts';

/** Connects to addresses that were checked, and to no other. */

export type Lookup = (hostname: string) => Promise<readonly string[]>;
export type Connect = (address: string, port: number) => Socket;

export interface Dialling {
  readonly rule: AddressRule;
  readonly lookup: Lookup;
  readonly connect: Connect;
  /** For the look-up and all attempts together. */
  readonly withinMs: number;
}

/** All addresses of a name, as the machine itself would resolve it. */
export const systemLookup: Lookup = async (hostname) => {
  const found = await lookUp(hostname, { all: true });
  return found.map(({ address }) => address);
};

export const systemConnect: Connect = (address, port) =>
  tcpConnect({ host: address, port, noDelay: true, keepAlive: true });

/** The most addresses of one name that are tried. */
const MAX_ADDRESSES = 4;

/**
 * A name is resolved here, once for each connection, and the connection goes to the very address that was checked: what
 * the name resolves to a moment later does not matter. If any of its addresses is forbidden, none is called.
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
