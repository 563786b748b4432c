/** Addresses of this server that a phone can use. */

const LOOPBACK = /^(localhost|127\.|0\.0\.0\.0$|\[::1?\]$)/i;

/** The address of a server as it was typed; undefined if a phone cannot use it. */
export function phoneAddressIn(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || LOOPBACK.test(url.hostname)) return undefined;
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** Those that the server knows and the one by which this page was loaded, if that is not this machine's own. */
export function phoneAddresses(
  known: readonly { readonly url: string; readonly kind: string }[],
  page: string,
): string[] {
  const usable = known.filter(({ url }) => phoneAddressIn(url) !== undefined);
  const [publicOnes, others] = [
    usable.filter(({ kind }) => kind === 'public'),
    usable.filter(({ kind }) => kind !== 'public'),
  ];
  const own = phoneAddressIn(page);
  return [...new Set([...publicOnes.map(({ url }) => url), ...(own ? [own] : []), ...others.map(({ url }) => url)])];
}
