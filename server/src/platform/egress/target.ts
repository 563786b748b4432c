import { isIP } from 'node:net';
import { type AddressRule, whyForbidden } from './addresses.ts';

/** Checks the format of an address to call, before its name is resolved. */

const MAX_LENGTH = 2048;

/** Ports below 1024 belong to mail, shells and directories, which must not receive our requests. */
const isWebPort = (port: string) => port === '' || port === '80' || port === '443' || Number(port) >= 1024;

export type EgressTarget = { readonly url: URL } | { readonly wrong: string; readonly isForbidden: boolean };

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
export function literalOf({ hostname }: URL): string | undefined {
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
