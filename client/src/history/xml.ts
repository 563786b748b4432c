import type { Chunks } from './lines.ts';
import { HistoryProblem } from './position.ts';

/** What an XML file says, piece by piece. Names are without their prefix, in lower case. */
export type XmlPiece =
  | { readonly kind: 'open'; readonly line: number; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly line: number; readonly name: string; readonly text: string };

const LONGEST_PIECE = 64_000;
const DEEPEST = 64;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Reads the part of XML that tracks are written in. A file that declares a document type, and with it entities of its
 * own, is refused: nothing of it is ever expanded.
 */
export async function* xmlPieces(chunks: Chunks): AsyncGenerator<XmlPiece> {
  let rest = '';
  let line = 1;
  let text = '';
  const open: string[] = [];
  for await (const chunk of chunks) {
    rest += chunk;
    let from = 0;
    for (;;) {
      const begin = rest.indexOf('<', from);
      if (begin < 0) break;
      const end = endOf(rest, begin);
      if (end < 0) break;
      text = (text + rest.slice(from, begin)).slice(-LONGEST_PIECE);
      line += breaksIn(rest, from, begin);
      const tag = rest.slice(begin, end);
      from = end;
      if (tag.startsWith('<!--') || tag.startsWith('<?')) {
        // Says nothing about places.
      } else if (tag.startsWith('<![CDATA[')) text += tag.slice(9, -3);
      else if (tag.startsWith('<!')) throw new HistoryProblem(line, 'declares a document type, which is not taken.');
      else if (tag.startsWith('</')) {
        const name = open.pop();
        if (name === undefined || name !== nameIn(tag.slice(2)))
          throw new HistoryProblem(line, `closes ${tag.slice(0, 40)}, which is not open.`);
        yield { kind: 'close', line, name, text: plain(text.trim()) };
        text = '';
      } else {
        const name = nameIn(tag.slice(1));
        yield { kind: 'open', line, name, attributes: tag };
        text = '';
        if (tag.endsWith('/>')) yield { kind: 'close', line, name, text: '' };
        else if (open.push(name) > DEEPEST) throw new HistoryProblem(line, `is nested deeper than ${DEEPEST} levels.`);
      }
      line += breaksIn(tag, 0, tag.length);
    }
    rest = rest.slice(from);
    if (rest.length > LONGEST_PIECE + chunk.length)
      throw new HistoryProblem(
        line + breaksIn(rest, 0, Math.max(0, rest.indexOf('<'))),
        `has a part of more than ${LONGEST_PIECE} characters.`,
      );
  }
  if (open.length > 0) throw new HistoryProblem(line, `ends before <${open.at(-1)}> is closed.`);
}

function endOf(text: string, begin: number): number {
  const closing = text.startsWith('<!--', begin) ? '-->' : text.startsWith('<![CDATA[', begin) ? ']]>' : '>';
  const end = text.indexOf(closing, begin);
  return end < 0 ? -1 : end + closing.length;
}

function breaksIn(text: string, from: number, to: number): number {
  let breaks = 0;
  for (let at = text.indexOf('\n', from); at >= 0 && at < to; at = text.indexOf('\n', at + 1)) breaks++;
  return breaks;
}

const nameIn = (tag: string) => (/^(?:[\w.-]+:)?([\w.-]+)/.exec(tag)?.[1] ?? '').toLowerCase();

const plain = (text: string) => text.replaceAll(/&(\w+);/g, (all, name: string) => ENTITIES[name] ?? all);

export const attributeIn = (tag: string, name: string): string | undefined =>
  new RegExp(`\\s${name}\\s*=\\s*(?:"([^"]*)"|'([^']*)')`)
    .exec(tag)
    ?.slice(1)
    .find((value) => value !== undefined);
