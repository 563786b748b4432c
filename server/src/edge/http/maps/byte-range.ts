/** The part of a file that a request asks for: first and last byte, both included. */
export interface ByteRange {
  readonly first: number;
  readonly last: number;
}

/**
 * Reads a `Range` header for one part of a file (RFC 9110, 14.2).
 *
 * @returns `whole` where the header is absent, malformed, of another unit or names several parts: such a header may be
 * ignored; `none` where no byte of the file is meant
 */
export function rangeOf(header: string | undefined, size: number): ByteRange | 'whole' | 'none' {
  const [, from, to] = /^bytes=[ \t]*(\d*)-(\d*)[ \t]*$/i.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return 'whole';
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'none' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  if (to !== '' && Number(to) < first) return 'whole';
  if (first >= size) return 'none';
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}
