/** Text as a device wrote it, without what surrounds it; bytes that are no text as hexadecimal digits. */
export function textOrHex(bytes: Buffer): string {
  return isPrintable(bytes) ? bytes.toString('latin1').trim() : bytes.toString('hex');
}

export const isPrintable = (bytes: Buffer) =>
  bytes.every((byte) => (byte >= 0x20 && byte < 0x7f) || byte === 0x09 || byte === 0x0a || byte === 0x0d);

/** Whether a command can be written in characters of one byte. */
export const isAscii = (text: string) => /^[\x20-\x7e]*$/.test(text);
