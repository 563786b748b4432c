import type { Split } from '../tracker.ts';

/** Texts begin with `+` and end with `$`, those of old devices with NUL. */
export const MAX_FRAME_BYTES = 4096;
const PLUS = 0x2b;
const DOLLAR = 0x24;
const NUL = 0;

const TEXT_HEADS = ['+RESP:', '+BUFF:', '+ACK:'];

/** Heads of the binary mode: where its length stands, and in how many bytes. */
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

/** No head is longer. */
const HEAD_BYTES = 6;

type Kind = 'text' | 'binary' | 'none' | 'more';

function kindAt(stream: Buffer, at: number): Kind {
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
      // Ends of lines between texts belong to no frame, and are not worth a word.
      if (stream[at] !== 0x0d && stream[at] !== 0x0a && stream[at] !== NUL) skipped += 1;
      at += 1;
    } else {
      frames.push(stream.subarray(at, at + size));
      at += size;
    }
  }
  return { frames, rest: stream.subarray(at), skipped };
}

/** A datagram is whole, whether its text has an end or not. */
export function splitDatagram(datagram: Buffer): Split {
  const { frames, rest, skipped } = split(datagram);
  const isText = rest.length > HEAD_BYTES && kindAt(rest, 0) === 'text';
  return isText ? { frames: [...frames, rest], rest: Buffer.alloc(0), skipped } : { frames, rest, skipped };
}

function sizeAt(stream: Buffer, at: number): number | 'more' | 'none' {
  const kind = kindAt(stream, at);
  if (kind === 'more' || kind === 'none') return kind;
  const known = stream.length - at;
  if (kind === 'binary') return binarySizeAt(stream, at);
  for (let end = at; end < stream.length && end - at < MAX_FRAME_BYTES; end += 1)
    if (stream[end] === DOLLAR || stream[end] === NUL) return end + 1 - at;
    // A text in which another begins was cut off.
    else if (stream[end] === PLUS && end > at && kindAt(stream, end) === 'text') return 'none';
  return known < MAX_FRAME_BYTES ? 'more' : 'none';
}

function binarySizeAt(stream: Buffer, at: number): number | 'more' | 'none' {
  const length = BINARY.get(stream.toString('latin1', at, at + 4))!;
  if (at + length.at + length.size > stream.length) return 'more';
  const size = stream.readUIntBE(at + length.at, length.size);
  if (size < length.at + length.size || size > MAX_FRAME_BYTES) return 'none';
  return at + size > stream.length ? 'more' : size;
}
