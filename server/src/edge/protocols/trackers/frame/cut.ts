import type { Split } from '../tracker.ts';

/**
 * The length of the frame that begins here; `more`: too few bytes to tell, or to hold it; `skip`: none begins here;
 * `between`: none does, and none has to, since the byte only parts frames.
 */
export type Cut = number | 'more' | 'skip' | 'between';

/** Cuts a stream by what its bytes say of the length of the next frame. */
export function cutFrames(stream: Buffer, cutAt: (stream: Buffer, at: number) => Cut): Split {
  const frames: Buffer[] = [];
  let at = 0;
  let skipped = 0;
  while (at < stream.length) {
    const cut = cutAt(stream, at);
    if (cut === 'more' || (typeof cut === 'number' && at + cut > stream.length)) break;
    if (cut === 'skip' || cut === 'between') {
      if (cut === 'skip') skipped += 1;
      at += 1;
    } else {
      frames.push(stream.subarray(at, at + cut));
      at += cut;
    }
  }
  return { frames, rest: stream.subarray(at), skipped };
}

/** A datagram that is one frame. */
export const wholeDatagram = (datagram: Buffer): Split => ({
  frames: datagram.length > 0 ? [datagram] : [],
  rest: Buffer.alloc(0),
  skipped: 0,
});

type ByteTest = (byte: number) => boolean;

/** Compares the first bytes one by one, as far as they have come. */
export function beginsAs(start: Buffer, tests: readonly ByteTest[]): 'yes' | 'no' | 'more' {
  for (const [index, test] of tests.entries()) {
    const byte = start[index];
    if (byte === undefined) return 'more';
    if (!test(byte)) return 'no';
  }
  return 'yes';
}

export const anyByte: ByteTest = () => true;
export const digitByte: ByteTest = (byte) => byte >= 0x30 && byte <= 0x39;
export const exactly = (text: string): ByteTest[] =>
  [...Buffer.from(text, 'latin1')].map((expected) => (byte: number) => byte === expected);

/** The surest of several answers. */
export function firstSure(answers: readonly ('yes' | 'no' | 'more')[]): 'yes' | 'no' | 'more' {
  return answers.includes('yes') ? 'yes' : answers.includes('more') ? 'more' : 'no';
}
