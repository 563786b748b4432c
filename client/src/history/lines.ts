import { HistoryProblem } from './position.ts';

export type Chunks = AsyncIterable<string>;

export interface Line {
  readonly number: number;
  readonly text: string;
}

const LONGEST_LINE = 1_000_000;

/** The lines of a text that comes in chunks, each of a bounded length. */
export async function* linesOf(chunks: Chunks): AsyncGenerator<Line> {
  let rest = '';
  let number = 1;
  for await (const chunk of chunks) {
    rest += chunk;
    let from = 0;
    for (let end = rest.indexOf('\n', from); end >= 0; end = rest.indexOf('\n', from)) {
      yield { number: number++, text: rest.slice(from, rest[end - 1] === '\r' ? end - 1 : end) };
      from = end + 1;
    }
    rest = rest.slice(from);
    if (rest.length > LONGEST_LINE) throw new HistoryProblem(number, `is longer than ${LONGEST_LINE} characters.`);
  }
  if (rest !== '') yield { number, text: rest };
}

/** Bytes as text, in chunks. A mark at the beginning is left out. */
export async function* textOf(bytes: AsyncIterable<Uint8Array>): AsyncGenerator<string> {
  const decoder = new TextDecoder();
  for await (const some of bytes) yield decoder.decode(some, { stream: true });
  yield decoder.decode();
}
