import type { Split } from '../tracker.ts';

/** Text messages start with `+` and end with `$`, on old devices with NUL. */
export const MAX_FRAME_BYTES = 4096;
const PLUS = 0x2b;
const DOLLAR = 0x24;
const NUL = 0;

const TEXT_HEADS = ['+RESP:', '+BUFF:', '+ACK:'];

/** Headers of the binary mode: offset and size of its length. */
const BINARY: ReadonlyMap<string, { readonly at: number; readonly size: 1 | 2 }> = new Map([
  ['+RSP', { at: 9, size: 2 }],
  ['+BSP', { at: 9, size: 2 }],
  ['+EVT', { at: 9, size: 2 }],
  ['+BVT', { at: 9, size: 2 }],
  ['+INF', { at: 7, size: 2 }],
  ['+BNF', { at: 7, size: 2 }],
  ['+HBD', { at: 5, size: 1 }],
  ['+ACK', { at: 6, size: 1 }],
  ['+CRD', { at: 6, size: 2 }],
  ['+LGN', { at: 6, size: 2 }],
]);

/** Maximum length of a header. */
const HEAD_BYTES = 6;

type Kind = 'text' | 'binary' | 'none' | 'more';

/** The newer binary mode: `+`, a zero, the total length in two bytes; it ends with `$`. */
export const isNewBinary = (frame: Buffer, at = 0): boolean => frame[at] === PLUS && frame[at + 1] === NUL;
const NEW_LENGTH = { at: 2, size: 2 };
const MIN_NEW_BYTES = 24;

function kindAt(stream: Buffer, at: number): Kind {
  if (isNewBinary(stream, at)) return 'binary';
  const head = stream.toString('latin1', at, at + HEAD_BYTES);
  if (TEXT_HEADS.some((text) => head.startsWith(text))) return 'text';
  if (TEXT_HEADS.some((text) => text.startsWith(head))) return 'more';
  if (head.length >= 5 && BINARY.has(head.slice(0, 4))) return 'binary';
  return [...BINARY.keys()].some((binary) => binary.startsWith(head.slice(0, 4))) && head.length < 5 ? 'more' : 'none';
}

export const isBinary = (frame: Buffer): boolean => kindAt(frame, 0) === 'binary';

export function recognise(start: Buffer): 'yes' | 'no' | 'more' {
  if (start.length === 0) return 'more';
  const kind = kindAt(start, 0);
  return kind === 'more' ? 'more' : kind === 'none' ? 'no' : 'yes';
}

export function split(stream: Buffer): Split {
  const frames: Buffer[] = [];
  let skipped = 0;
  let at = 0;
  while (at < stream.length) {
    const size = stream[at] === PLUS ? sizeAt(stream, at) : 'none';
    if (size === 'more') break;
    if (size === 'none') {
      // Line breaks between messages do not count as skipped.
      if (stream[at] !== 0x0d && stream[at] !== 0x0a && stream[at] !== NUL) skipped += 1;
      at += 1;
    } else {
      frames.push(stream.subarray(at, at + size));
      at += size;
    }
  }
  return { frames, remaining: stream.subarray(at), skipped };
}

/** A datagram is complete, whether its text has an end mark or not. */
export function splitDatagram(datagram: Buffer): Split {
  const { frames, remaining, skipped } = split(datagram);
  const isText = remaining.length > HEAD_BYTES && kindAt(remaining, 0) === 'text';
  return isText
    ? { frames: [...frames, remaining], remaining: Buffer.alloc(0), skipped }
    : { frames, remaining, skipped };
}

function sizeAt(stream: Buffer, at: number): number | 'more' | 'none' {
  const kind = kindAt(stream, at);
  if (kind === 'more' || kind === 'none') return kind;
  const known = stream.length - at;
  if (kind === 'binary') return binarySizeAt(stream, at);
  for (let end = at; end < stream.length && end - at < MAX_FRAME_BYTES; end += 1)
    if (stream[end] === DOLLAR || stream[end] === NUL) return end + 1 - at;
    // A message that contains the start of another was truncated.
    else if (stream[end] === PLUS && end > at && kindAt(stream, end) === 'text') return 'none';
  return known < MAX_FRAME_BYTES ? 'more' : 'none';
}

function binarySizeAt(stream: Buffer, at: number): number | 'more' | 'none' {
  const isNew = isNewBinary(stream, at);
  const length = isNew ? NEW_LENGTH : BINARY.get(stream.toString('latin1', at, at + 4))!;
  if (at + length.at + length.size > stream.length) return 'more';
  const size = stream.readUIntBE(at + length.at, length.size);
  if (size < length.at + length.size || size > MAX_FRAME_BYTES) return 'none';
  if (isNew && (size < MIN_NEW_BYTES || (at + size <= stream.length && stream[at + size - 1] !== DOLLAR)))
    return 'none';
  return at + size > stream.length ? 'more' : size;
}
