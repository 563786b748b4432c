/** Clients refuse answers whose headers are too long, and the query of a request may be long. */
const MOST_BYTES = 8192;

/**
 * The value of a `Link` header: as many links as it has room for, in this order. Undefined if there is none.
 *
 * @param addresses by the relation of each
 */
export function linkHeader(addresses: Readonly<Record<string, string>>): string | undefined {
  const links: string[] = [];
  let bytes = 0;
  for (const [relation, address] of Object.entries(addresses)) {
    const link = `<${address}>; rel="${relation}"`;
    bytes += link.length + 2;
    if (bytes > MOST_BYTES) break;
    links.push(link);
  }
  return links.length === 0 ? undefined : links.join(', ');
}
