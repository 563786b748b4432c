import { SOCKET_ENCODINGS } from '@trackway/contract/resources/sockets.ts';
import { isTooDeep } from '../../protocols/claims.ts';

/** How the data of a frame represents the content of a message. */
export type Encoding = (typeof SOCKET_ENCODINGS)[number];

export const isEncoding = (value: unknown): value is Encoding => SOCKET_ENCODINGS.includes(value as Encoding);

/** The content of a message: bytes in base64, or text. */
export interface MessageContent {
  readonly config?: string | null;
  readonly message?: string | null;
}

/** The data does not match its encoding. */
export class UnreadableData extends Error {}

const BASE64 = /^[A-Za-z0-9+/]*={0,2}$/;

/** The data of a frame for a message. */
export function dataOf({ config, message }: MessageContent, encoding: Encoding): unknown {
  const bytes = bytesOf(config, message);
  switch (encoding) {
    case 'hex':
      return [...bytes].map((byte) => byte.toString(16).padStart(2, '0')).join(' ');
    case 'decimal':
      return [...bytes].join(' ');
    case 'base64':
      return bytes.toString('base64');
    default:
      return parsedOr(bytes.toString('utf8'));
  }
}

/** Bytes are base64 by convention only: other content is used unchanged. */
function bytesOf(config: string | null | undefined, message: string | null | undefined): Buffer {
  if (!config) return Buffer.from(message ?? '', 'utf8');
  return fromBase64(config) ?? Buffer.from(config, 'utf8');
}

function fromBase64(text: string): Buffer | undefined {
  const plain = text.replaceAll(/\s/g, '').replaceAll('-', '+').replaceAll('_', '/');
  if (!BASE64.test(plain) || plain.replaceAll('=', '').length % 4 === 1) return undefined;
  return Buffer.from(plain, 'base64');
}

function parsedOr(text: string): unknown {
  try {
    return isTooDeep(text) ? text : JSON.parse(text);
  } catch {
    return text;
  }
}

/** Parses the content of a message from the data of a frame. */
export function contentOf(data: unknown, encoding: Encoding): MessageContent {
  if (encoding === 'json') return { message: typeof data === 'string' ? data : JSON.stringify(data) };
  const bytes = typeof data === 'string' ? DECODERS[encoding](data) : undefined;
  if (bytes === undefined) throw new UnreadableData(`data is not ${encoding}`);
  return { config: bytes.toString('base64') };
}

const DECODERS: Record<Exclude<Encoding, 'json'>, (text: string) => Buffer | undefined> = {
  hex(text) {
    const digits = text.replaceAll(/\s/g, '');
    return /^(?:[0-9a-f]{2})*$/i.test(digits) ? Buffer.from(digits, 'hex') : undefined;
  },
  decimal(text) {
    const words = text.split(/[\s,]+/).filter((word) => word !== '');
    const isGood = words.every((word) => /^\d{1,3}$/.test(word) && Number(word) <= 255);
    return isGood ? Buffer.from(words.map(Number)) : undefined;
  },
  base64: fromBase64,
};
