/** Text that was read byte by byte: as UTF-8 if it is, else as it stands. */
export function readable(latin1: string): string {
  try {
    return strict.decode(Buffer.from(latin1, 'latin1'));
  } catch {
    return latin1;
  }
}

const strict = new TextDecoder('utf-8', { fatal: true });
