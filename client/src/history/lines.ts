import { HistoryProblem } from './position.ts';

export type Chunks = AsyncIterable<string>;

export interface Line {
  readonly number: number;
  readonly text: string;
}

const LONGEST_LINE = 1_000_000;

/** The lines of a text that arrives in chunks, each of a bounded length. */
export async function* linesOf(chunks: Chunks): AsyncGenerator<Line> {
  let remaining = '';
  let number = 1;
  for await (const chunk of chunks) {
    remaining += chunk;
    let from = 0;
    for (let end = remaining.indexOf('\n', from); end >= 0; end = remaining.indexOf('\n', from)) {
      yield { number: number++, text: remaining.slice(from, remaining[end - 1] === '\r' ? end - 1 : end) };
      from = end + 1;
    }
    remaining = remaining.slice(from);
    if (remaining.length > LONGEST_LINE) throw new HistoryProblem(number, `is longer than ${LONGEST_LINE} characters.`);
  }
  if (remaining !== '') yield { number, text: remaining };
}

/** Decodes bytes in chunks. A byte order mark is removed. */
export async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const some of bytes) yield decoder.decode(some, { stream: true });
  yield decoder.decode();
}
