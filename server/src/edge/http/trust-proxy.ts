import { isIP } from 'node:net';
import type { FastifyRequest } from 'fastify';
import { addressKey } from '../../platform/address-key.ts';
import { isWithin, parseAddress, parseRanges } from '../../platform/egress/ip.ts';

/** Whether what the sender at this address says about whom it forwards for is believed; hop 0 is the connection. */
export type Trust = (address: string, hop: number) => boolean;

/**
 * What the setting means: a number of proxies in front of the server, or the ranges of their addresses. Undefined where
 * there are none.
 */
export function trustOf(setting: string): Trust | undefined {
  if (setting === '') return undefined;
  // Fastify reads a number as trusting nobody, so the hops are counted here.
  if (/^\d+$/.test(setting)) return (_address, hop) => hop < Number(setting);
  const { ranges } = parseRanges(setting);
  return (text) => {
    const address = parseAddress(text.replace(/^::ffff:(?=\d+\.)/i, ''));
    return address !== undefined && ranges.some((range) => isWithin(address, range));
  };
}

/** The address of a caller. Some proxies add the port; what is no address at all is not believed. */
export function callerAddress(request: FastifyRequest): string {
  const said = request.ip;
  if (isIP(said) !== 0) return said;
  const bare = /^\[([^\]]+)\](?::\d+)?$/.exec(said ?? '')?.[1] ?? (said ?? '').replace(/:\d+$/, '');
  return isIP(bare) === 0 ? (request.socket.remoteAddress ?? '') : bare;
}

/** By which a caller is counted. */
export const keyOfCaller = (request: FastifyRequest): string => addressKey(callerAddress(request));
