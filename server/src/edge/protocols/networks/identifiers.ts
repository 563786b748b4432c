import { nameOf } from '../claims.ts';

/** The EUI of a device or gateway as it may be stored: 16 digits, in capitals or not. */
export function euiNames(sent: unknown): string[] {
  const eui = nameOf(sent, 40)?.replaceAll(/[:\-\s]/g, '');
  if (eui === undefined || !/^[0-9a-f]{16}$/i.test(eui)) return [];
  return [...new Set([eui.toUpperCase(), eui.toLowerCase()])];
}

/** The number of a Sigfox device as it may be stored: with or without leading zeros, in capitals or not. */
export function sigfoxNames(sent: unknown): string[] {
  const id = nameOf(sent, 20);
  if (id === undefined || !/^[0-9a-f]{1,16}$/i.test(id)) return [];
  const short = id.replace(/^0+(?=.)/, '').toUpperCase();
  const padded = short.padStart(8, '0');
  return [...new Set([short, padded, short.toLowerCase(), padded.toLowerCase()])];
}

export const hexOf = (bytes: Buffer) => bytes.toString('hex').toUpperCase();

/** Bytes that are sent as base64; undefined if they are not, or too many. */
export function bytesOf(sent: unknown, maxBytes: number): Buffer | undefined {
  if (typeof sent !== 'string' || sent.length > Math.ceil(maxBytes / 3) * 4 + 4) return undefined;
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(sent)) return undefined;
  const bytes = Buffer.from(sent, 'base64');
  return bytes.length > maxBytes ? undefined : bytes;
}
