import { SOCKET_ENCODINGS } from '@trackway/contract/resources/sockets.ts';
import { isTooDeep } from '../../protocols/claims.ts';

/** The frames of a web socket, as text. */

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

export type MessageId = string | number;

const MAX_MESSAGE_ID = 200;

/** An invalid frame; the error message is for the client. */
export class BadFrame extends Error {
  readonly messageId: MessageId | undefined;
  constructor(message: string, messageId?: MessageId) {
    super(message);
    this.messageId = messageId;
  }
}

export interface InFrame {
  readonly type: string;
  readonly messageId: MessageId | undefined;
  readonly device: unknown;
  readonly data: unknown;
  readonly encoding: unknown;
}

export function readFrame(text: string): InFrame {
  const frame = objectIn(text);
  const messageId = messageIdOf('messageId', frame.messageId);
  const { type, device, data, encoding } = frame;
  if (typeof type !== 'string') throw new BadFrame('type is required', messageId);
  return { type, messageId, device, data, encoding };
}

/** A frame of a device that reports: `{id, report}`. */
export function readReportFrame(text: string): { id: MessageId | undefined; report: unknown } {
  const frame = objectIn(text);
  const id = messageIdOf('id', frame.id);
  if (frame.report === undefined) throw new BadFrame('report is required', id);
  return { id, report: frame.report };
}

function objectIn(text: string): Record<string, unknown> {
  if (isTooDeep(text)) throw new BadFrame('the frame is nested too deeply');
  let frame: Record<string, unknown>;
  try {
    frame = JSON.parse(text);
  } catch {
    throw new BadFrame('the frame is not JSON');
  }
  if (typeof frame !== 'object' || frame === null || Array.isArray(frame))
    throw new BadFrame('the frame is not a JSON object');
  return frame;
}

function messageIdOf(name: string, value: unknown): MessageId | undefined {
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'number' || (typeof value === 'string' && value.length <= MAX_MESSAGE_ID)) return value;
  throw new BadFrame(`${name} must be a text of at most ${MAX_MESSAGE_ID} characters`);
}

/** Splits a comma-separated list of identifiers. */
export function identifiersIn(value: unknown): string[] {
  const parts = Array.isArray(value) ? value : [value];
  return parts
    .filter((part) => typeof part === 'string' || typeof part === 'number')
    .flatMap((part) => String(part).split(','))
    .map((part) => part.trim())
    .filter((part) => part !== '');
}

const now = () => new Date().toISOString();

/** @param device absent on a socket of one device */
export const subscription = (
  type: 'subscribed' | 'unsubscribed',
  device: number | string | undefined,
  messageId?: MessageId,
) =>
  JSON.stringify({
    type,
    ...(device !== undefined && { device: String(device) }),
    messageId,
    timestamp: now(),
  });

export const acknowledgement = (messageId?: MessageId) => JSON.stringify({ type: 'ack', messageId, timestamp: now() });

export const errorFrame = (error: string, messageId?: MessageId) =>
  JSON.stringify({ type: 'error', error, messageId, timestamp: now() });

export const incoming = (device: number | undefined, data: unknown, encoding: Encoding, timestamp: string) =>
  JSON.stringify({
    type: 'in',
    ...(device !== undefined && { device: String(device) }),
    data,
    encoding,
    timestamp,
  });

/** A frame for any other event of the live stream, whose data is already JSON. */
export function serviceFrame(
  device: number | undefined,
  { name, id, data }: { readonly name?: string; readonly id: string; readonly data: string },
): string {
  const of = device === undefined ? '' : `"device":"${device}",`;
  const event = `{"event":"${name}","id":"${id}","data":${data}}`;
  return `{"type":"srv",${of}"data":${event},"encoding":"json","timestamp":"${now()}"}`;
}
