import { isIP } from 'node:net';
import { type AddressRule, whyForbidden } from './addresses.ts';

/** What an address to call must look like, before any name in it is resolved. */

const MAX_LENGTH = 2048;

/** Below 1024 live mail, shells and directories, which must not be fed with requests. */
const isWebPort = (port: string) => port === '' || port === '80' || port === '443' || Number(port) >= 1024;

export type EgressTarget = { readonly url: URL } | { readonly wrong: string; readonly isForbidden: boolean };

/**
 * `wrong` is the end of a sentence that begins with what bears the address. The URL's own parser turns every odd spelling
 * of an IPv4 address (decimal, octal, hexadecimal, short, full-width digits, a trailing dot) into the plain one.
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

/** Says nothing of what was found inside: a resolver's answer may be a secret of the network. */
export const FORBIDDEN =
  'points to a network that is not allowed; the operator can allow it with TRACKWAY_ALLOW_TARGETS';

/** The IP address that stands in the place of the name, if one does. */
export function literalOf({ hostname }: URL): string | undefined {
  const bare = hostname.startsWith('[') ? hostname.slice(1, -1) : hostname;
  return isIP(bare) === 0 ? undefined : bare;
}

/** Names that no public resolver knows: refused early, for a clear word; what names resolve to is checked anyway. */
const isLocalName = (hostname: string) => /(^|\.)(localhost|local|internal|home\.arpa)\.?$/.test(hostname);

/** The end of a sentence about what is wrong with an address somebody gives us to call; undefined where nothing is. */
export function checkTarget(text: string, rule: AddressRule): string | undefined {
  const target = readTarget(text, rule);
  return 'wrong' in target ? target.wrong : undefined;
}
