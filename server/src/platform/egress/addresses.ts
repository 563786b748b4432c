import { isIP } from 'node:net';
import { networkInterfaces } from 'node:os';
import { type IpAddress, type IpRange, isWithin, parseAddress, parseRange } from './ip.ts';

/** Decides which addresses may be called: addresses of the public internet, and addresses that the operator allows. */

const range = (text: string): IpRange => parseRange(text)!;

/** Special IPv4 ranges (IANA), and one address in a public range that a cloud provider reserves for itself. */
const FORBIDDEN_V4: readonly (readonly [IpRange, string])[] = [
  [range('0.0.0.0/8'), 'unspecified'],
  [range('10.0.0.0/8'), 'private'],
  [range('100.64.0.0/10'), 'carrier-grade NAT'],
  [range('127.0.0.0/8'), 'loopback'],
  [range('168.63.129.16/32'), "a cloud's own"],
  [range('169.254.0.0/16'), 'link-local'],
  [range('172.16.0.0/12'), 'private'],
  [range('192.0.0.0/24'), 'reserved'],
  [range('192.0.2.0/24'), 'for documentation'],
  [range('192.88.99.0/24'), 'reserved'],
  [range('192.168.0.0/16'), 'private'],
  [range('198.18.0.0/15'), 'for benchmarks'],
  [range('198.51.100.0/24'), 'for documentation'],
  [range('203.0.113.0/24'), 'for documentation'],
  [range('224.0.0.0/4'), 'multicast'],
  [range('240.0.0.0/4'), 'reserved'],
];

/** In IPv6 only global unicast is public. Everything outside it is forbidden, and so are these ranges within it. */
const GLOBAL_UNICAST = range('2000::/3');
const FORBIDDEN_V6: readonly (readonly [IpRange, string])[] = [
  [range('::/128'), 'unspecified'],
  [range('::1/128'), 'loopback'],
  [range('fc00::/7'), 'private'],
  [range('fe80::/10'), 'link-local'],
  [range('fec0::/10'), 'private'],
  [range('ff00::/8'), 'multicast'],
  [range('2001::/32'), 'a tunnel'],
  [range('2001::/23'), 'reserved'],
  [range('2001:db8::/32'), 'for documentation'],
  [range('2002::/16'), 'a tunnel'],
  [range('3fff::/20'), 'for documentation'],
];

const MAPPED = range('::ffff:0:0/96');
/** The well-known prefix that IPv6-only networks use to reach IPv4. */
const NAT64 = range('64:ff9b::/96');

/** Returns the address that a packet finally reaches: IPv4 embedded in IPv6 is checked as IPv4. */
const inner = (address: IpAddress): IpAddress =>
  isWithin(address, MAPPED) || isWithin(address, NAT64) ? address.slice(12) : address;

/** Detects a tunnel endpoint under any prefix: `…:0:5efe:a.b.c.d` (ISATAP). */
const isIsatap = (address: IpAddress) =>
  (address[8]! & 0xfc) === 0 && address[9] === 0 && address[10] === 0x5e && address[11] === 0xfe;

export interface AddressRule {
  /** Ranges that the operator allows, even if they are not public. */
  readonly allowed: readonly IpRange[];
  /**
   * The addresses of this machine. Public ones are forbidden too: a call from this machine to itself would bypass the
   * firewall in front of it.
   */
  own(): readonly string[];
}

/**
 * Names the kind of forbidden address, or returns undefined if the address may be called. An unparsable address is
 * forbidden.
 */
export function whyForbidden(text: string, { allowed, own }: AddressRule): string | undefined {
  const address = parseAddress(text);
  if (address === undefined) return 'not understood';
  const judged = inner(address);
  if (allowed.some((each) => isWithin(judged, each))) return undefined;
  const kind = judged.length === 4 ? kindOfV4(judged) : kindOfV6(judged);
  if (kind !== undefined) return kind;
  const isOwn = own().some((mine) => {
    const other = parseAddress(mine);
    return other?.length === judged.length && other.every((byte, i) => byte === judged[i]);
  });
  return isOwn ? "this machine's own" : undefined;
}

const kindOfV4 = (address: IpAddress) => FORBIDDEN_V4.find(([each]) => isWithin(address, each))?.[1];

function kindOfV6(address: IpAddress): string | undefined {
  const special = FORBIDDEN_V6.find(([each]) => isWithin(address, each))?.[1];
  if (special !== undefined) return special;
  if (!isWithin(address, GLOBAL_UNICAST)) return 'reserved';
  return isIsatap(address) ? 'a tunnel' : undefined;
}

const FRESH_MS = 10_000;
let known: { readonly addresses: readonly string[]; readonly at: number } | undefined;

/** Returns the addresses of this machine's interfaces, which may change while it runs. */
export function ownAddresses(now = Date.now()): readonly string[] {
  if (known === undefined || now - known.at > FRESH_MS || now < known.at) {
    const addresses = Object.values(networkInterfaces()).flatMap((list) => (list ?? []).map(({ address }) => address));
    known = { addresses, at: now };
  }
  return known.addresses;
}

/** Checks the format of an address to call, before its name is resolved. */

const MAX_LENGTH = 2048;

/** Ports below 1024 belong to mail, shells and directories, which must not receive our requests. */
const isWebPort = (port: string) => port === '' || port === '80' || port === '443' || Number(port) >= 1024;

type EgressTarget = { readonly url: URL } | { readonly wrong: string; readonly isForbidden: boolean };

/**
 * `wrong` is the end of a sentence that begins with the field's name. The URL parser turns every unusual spelling of an
 * IPv4 address (decimal, octal, hexadecimal, short, full-width digits, a trailing dot) into the plain one.
 */
export function readTarget(text: string, rule: AddressRule): EgressTarget {
  const url = text.length <= MAX_LENGTH && URL.canParse(text) ? new URL(text) : undefined;
  const bad = (wrong: string, isForbidden = false): EgressTarget => ({ wrong, isForbidden });
  if (url === undefined || /\s/.test(text)) return bad('is not an address like https://example.com/hook');
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return bad('must begin with https:// or http://');
  if (url.username !== '' || url.password !== '') return bad('must not contain a user name or password');
  if (!isWebPort(url.port)) return bad('must use port 80, 443, or 1024 and above');
  const literal = literalOf(url);
  if (literal !== undefined && whyForbidden(literal, rule) !== undefined) return bad(FORBIDDEN, true);
  return isLocalName(url.hostname) && rule.allowed.length === 0 ? bad(FORBIDDEN, true) : { url };
}

/** Does not reveal what the name resolved to, because names inside the network may be secret. */
export const FORBIDDEN =
  'points to a network that is not allowed; the operator can allow it with TRACKWAY_ALLOW_TARGETS';

/** Returns the IP address that the URL has instead of a name, if any. */
function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/**
 * Names that no public resolver knows. They are rejected early for a clear message; resolved addresses are checked
 * anyway.
 */
const isLocalName = (hostname: string) => /(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(hostname);

/** Returns the end of a sentence that says what is wrong with a user's address; undefined if it may be called. */
export function checkTarget(text: string, rule: AddressRule): string | undefined {
  const target = readTarget(text, rule);
  return 'wrong' in target ? target.wrong : undefined;
}
