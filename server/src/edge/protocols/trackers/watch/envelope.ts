import { cut, startsLike } from '../text/cut.ts';
import type { Split } from '../tracker.ts';

/** Audio and pictures are long. */
export const MAX_FRAME_BYTES = 65_536;

/** `[manufacturer*id*length*content]`, optionally with a message number before the length. */
export interface WatchEnvelope {
  readonly maker: string;
  readonly id: string;
  readonly index?: string;
  readonly content: Buffer;
  /** Whether the content has the announced length. */
  readonly isWhole: boolean;
}

const OPEN = 0x5b;
const CLOSE = 0x5d;
const ESCAPE = 0x7d;
const ESCAPED: Readonly<Record<number, number>> = { 1: 0x7d, 2: 0x5b, 3: 0x5d, 4: 0x2c, 5: 0x2a };

const HEAD = /^\[[A-Za-z0-9]{2}\*[0-9A-Za-z]{4,20}\*/;
const BEGINNING = /^\[(?:[A-Za-z0-9]{0,2}|[A-Za-z0-9]{2}\*[0-9A-Za-z]{0,20})$/;
const HEAD_BYTES = 25;

export const recognise = (start: Buffer) => startsLike(start.subarray(0, HEAD_BYTES), HEAD, BEGINNING);

export const split = (stream: Buffer): Split => cut(stream, MAX_FRAME_BYTES, lengthAt);

/** The length up to the closing bracket; a frame that contains the start of another was truncated. */
function lengthAt(stream: Buffer, at: number): number | undefined {
  if (stream[at] !== OPEN) return 0;
  const head = recognise(stream.subarray(at, at + HEAD_BYTES));
  if (head !== 'yes') return head === 'no' ? 0 : undefined;
  let depth = 1;
  const end = Math.min(stream.length, at + MAX_FRAME_BYTES);
  for (let index = at + 1; index < end; index += 1) {
    if (stream[index] === OPEN) {
      const next = recognise(stream.subarray(index, index + HEAD_BYTES));
      if (next !== 'no') return next === 'yes' ? 0 : undefined;
      depth += 1;
    } else if (stream[index] === CLOSE) {
      depth -= 1;
      if (depth === 0) return index + 1 - at;
    }
  }
  return undefined;
}

const ENVELOPE = /^\[([A-Za-z0-9]{2})\*([0-9A-Za-z]{4,20})\*(?:([0-9A-Fa-f]{4})\*)?([0-9A-Fa-f]{4})\*/;

export function openEnvelope(frame: Buffer): WatchEnvelope | undefined {
  const found = ENVELOPE.exec(frame.toString('latin1', 0, 60));
  if (!found) return undefined;
  const end = frame.lastIndexOf(CLOSE);
  const escaped = frame.subarray(found[0].length, end < found[0].length ? frame.length : end);
  const content = unescaped(escaped);
  const length = Number.parseInt(found[4]!, 16);
  return {
    maker: found[1]!,
    id: found[2]!,
    ...(found[3] === undefined ? {} : { index: found[3] }),
    content,
    isWhole: length === content.length || length === escaped.length,
  };
}

function unescaped(bytes: Buffer): Buffer {
  if (!bytes.includes(ESCAPE)) return bytes;
  const plain: number[] = [];
  for (let at = 0; at < bytes.length; at += 1) {
    const meant = bytes[at] === ESCAPE ? ESCAPED[bytes[at + 1] ?? 0] : undefined;
    if (meant !== undefined) at += 1;
    plain.push(meant ?? bytes[at]!);
  }
  return Buffer.from(plain);
}

/** A frame with content that contains no marks. */
export function closeEnvelope(
  { maker, id, index }: Omit<WatchEnvelope, 'content' | 'isWhole'>,
  content: string,
): Buffer {
  const bytes = Buffer.from(content, 'latin1');
  const length = bytes.length.toString(16).padStart(4, '0');
  const head = [maker, id, ...(index === undefined ? [] : [index]), length].join('*');
  return Buffer.concat([Buffer.from(`[${head}*`, 'latin1'), bytes, Buffer.from(']')]);
}
