import { isIPv4, isIPv6 } from 'node:net';

/** An address as 4 or 16 bytes, so that different spellings compare as equal. */
export type IpAddress = readonly number[];

export interface IpRange {
  readonly base: IpAddress;
  readonly bits: number;
}

/** Accepts only canonical spellings; any other text is not an address. */
export function parseAddress(text: string): IpAddress | undefined {
  if (isIPv4(text)) return text.split('.').map(Number);
  const [address = ''] = text.split('%', 1);
  return isIPv6(address) ? bytesOfV6(address) : undefined;
}

function bytesOfV6(text: string): IpAddress {
  const [head = '', tail] = text.split('::', 2);
  const before = bytesOfGroups(head);
  if (tail === undefined) return before;
  const after = bytesOfGroups(tail);
  return [...before, ...new Array<number>(16 - before.length - after.length).fill(0), ...after];
}

const bytesOfGroups = (text: string): number[] =>
  text === ''
    ? []
    : text.split(':').flatMap((group) => {
        if (group.includes('.')) return group.split('.').map(Number);
        const value = Number.parseInt(group, 16);
        return [value >> 8, value & 255];
      });

/** Parses `10.0.0.0/8`, `fd00::/8`, or a single address. */
export function parseRange(text: string): IpRange | undefined {
  const parts = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text);
  const base = parts ? parseAddress(parts[1]!) : undefined;
  if (!parts || base === undefined || text.includes('%')) return undefined;
  const bits = parts[2] === undefined ? base.length * 8 : Number(parts[2]);
  return bits <= base.length * 8 ? { base, bits } : undefined;
}

export function isWithin(address: IpAddress, { base, bits }: IpRange): boolean {
  if (address.length !== base.length) return false;
  const whole = bits >> 3;
  for (let i = 0; i < whole; i++) if (address[i] !== base[i]) return false;
  const remaining = bits & 7;
  return remaining === 0 || (address[whole]! ^ base[whole]!) >> (8 - remaining) === 0;
}

/** Parses comma-separated ranges, or returns the first item that is not one. */
export function parseRanges(list: string): { ranges: readonly IpRange[]; wrong?: string } {
  const items = list
    .split(/[\s,]+/)
    .map((item) => item.trim())
    .filter((item) => item !== '');
  const ranges: IpRange[] = [];
  for (const item of items) {
    const range = parseRange(item);
    if (range === undefined) return { ranges: [], wrong: item };
    ranges.push(range);
  }
  return { ranges };
}

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
