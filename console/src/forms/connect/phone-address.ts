/** Addresses of this server that a phone can use. */

const LOOPBACK = /^(localhost|127\.|0\.0\.0\.0$|\[::1?\]$)/i;

/** The typed address of a server; undefined if a phone cannot use it. */
export function phoneAddressIn(typed: string): string | undefined {
  const text = typed.trim();
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || !/^https?:$/.test(url.protocol) || LOOPBACK.test(url.hostname)) return undefined;
  return (url.origin + url.pathname).replace(/\/+$/, '');
}

/** The addresses that the server knows and that of this page, unless it is a loopback address. */
export function phoneAddresses(
  known: readonly { readonly url: string; readonly kind: string }[],
  page: string,
): string[] {
  // The server lists no loopback address of its network; its public URL may be one.
  const usable = known.filter(({ url, kind }) => kind === 'network' || phoneAddressIn(url) !== undefined);
  const [publicOnes, others] = [
    usable.filter(({ kind }) => kind === 'public'),
    usable.filter(({ kind }) => kind !== 'public'),
  ];
  const own = phoneAddressIn(page);
  return [...new Set([...publicOnes.map(({ url }) => url), ...(own ? [own] : []), ...others.map(({ url }) => url)])];
}
