import { isTooDeep } from '../../protocols/claims.ts';
import type { Encoding } from './encodings.ts';

/** The frames of a web socket, as text. */

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
