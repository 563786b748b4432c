import { isIPv4 } from 'node:net';
import { parseAddress } from './egress/ip.ts';

const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 255, 255];

/**
 * The key for counting callers of an address. A caller with IPv6 has 2^64 addresses in one /64 network, so these count
 * as one; IPv4-mapped IPv6 addresses count as IPv4.
 */
export function addressKey(address: string): string {
  if (isIPv4(address)) return address;
  const bytes = parseAddress(address);
  if (bytes === undefined) return address.slice(0, 64);
  if (MAPPED_PREFIX.every((byte, i) => byte === bytes[i])) return bytes.slice(12).join('.');
  const groups = [0, 2, 4, 6].map((i) => ((bytes[i]! << 8) | bytes[i + 1]!).toString(16));
  return `${groups.join(':')}::/64`;
}

/** Whether only this machine can connect to a server that listens on this host. */
export const isLoopback = (host: string): boolean => /^(localhost$|127\.|::1$|\[::1\]$)/i.test(host);
