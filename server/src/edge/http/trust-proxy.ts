import type { IncomingMessage } from 'node:http';
import { isIP, type Socket } from 'node:net';
import { addressKey, isWithin, parseAddress, parseRanges } from '../../platform/egress/ip.ts';
import type { Log } from '../../platform/log.ts';

/** Whether the forwarding headers of the sender at this address are trusted; hop 0 is the connection. */
export type Trust = (address: string, hop: number) => boolean;

/**
 * Parses the setting: a number of proxies in front of the server, or their address ranges. Undefined if there are none.
 */
export function trustOf(setting: string): Trust | undefined {
  if (setting === '') return undefined;
  // Fastify treats a number as trusting no one, so the hops are counted here.
  if (/^\d+$/.test(setting)) return (_address, hop) => hop < Number(setting);
  const { ranges } = parseRanges(setting);
  return (text) => {
    const address = parseAddress(text.replace(/^::ffff:(?=\d+\.)/i, ''));
    return address !== undefined && ranges.some((range) => isWithin(address, range));
  };
}

/**
 * Records requests forwarded by untrusted senders: all clients behind such a proxy share one address and its limits.
 * Remembers the last sender for a day.
 */
export class UntrustedProxies {
  readonly #trust: Trust | undefined;
  readonly #log: Log;
  #last: { readonly address: string; readonly at: number } | undefined;

  constructor(setting: string, log: Log) {
    this.#trust = trustOf(setting);
    this.#log = log;
  }

  note({ headers, socket }: Pick<IncomingMessage, 'headers' | 'socket'>, now: number): void {
    const { remoteAddress: address } = socket;
    if (headers['x-forwarded-for'] === undefined || address === undefined || this.#trust?.(address, 0)) return;
    if (this.address(now) === undefined)
      this.#log.warn({ address }, 'An untrusted proxy forwards requests: set TRACKWAY_TRUST_PROXY if it is yours');
    this.#last = { address, at: now };
  }

  address = (now: number): string | undefined =>
    this.#last !== undefined && now - this.#last.at < DAY_MS ? this.#last.address : undefined;
}

const DAY_MS = 86_400_000;

/** The address of the sender of a request, as the trusted proxies report it. */
export function forwardedAddress({ headers, socket }: IncomingMessage, trust: Trust | undefined): string {
  const own = socket.remoteAddress ?? '';
  const forwarded = headers['x-forwarded-for'];
  if (trust === undefined || forwarded === undefined) return own;
  const hops = [
    own,
    ...String(forwarded)
      .split(',')
      .reverse()
      .map((hop) => hop.trim()),
  ];
  return hops.find((address, hop) => !trust(address, hop)) ?? hops.at(-1)!;
}

/** A request with the address of its sender. */
interface Addressed {
  readonly ip: string;
  readonly socket: Pick<Socket, 'remoteAddress'>;
}

/** The address of a caller. Some proxies add the port; invalid addresses are not trusted. */
export function callerAddress(request: Addressed): string {
  const said = request.ip;
  if (isIP(said) !== 0) return said;
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(said ?? '')?.[1] ?? (said ?? '').replace(/:\d+$/, '');
  return isIP(bare) === 0 ? (request.socket.remoteAddress ?? '') : bare;
}

/** The key for rate limits of a caller. */
export const keyOfCaller = (request: Addressed): string => addressKey(callerAddress(request));
