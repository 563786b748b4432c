import type { Chunks } from './lines.ts';
import { HistoryProblem } from './position.ts';

/** A token of an XML file. Names are without their prefix, in lower case. */
export type XmlPiece =
  | { readonly kind: 'open'; readonly line: number; readonly name: string; readonly attributes: string }
  | { readonly kind: 'close'; readonly line: number; readonly name: string; readonly text: string };

const LONGEST_PIECE = 64_000;
const DEEPEST = 64;
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

/**
 * Parses the subset of XML that track files use. A file with a document type declaration, which may define entities, is
 * rejected: entities are never expanded.
 */
export async function* xmlPieces(chunks: Chunks): AsyncGenerator<XmlPiece> {
  let remaining = '';
  let line = 1;
  let text = '';
  const open: string[] = [];
  for await (const chunk of chunks) {
    remaining += chunk;
    let from = 0;
    for (;;) {
      const begin = remaining.indexOf('<', from);
      if (begin < 0) break;
      const end = endOf(remaining, begin);
      if (end < 0) break;
      text = (text + remaining.slice(from, begin)).slice(-LONGEST_PIECE);
      line += breaksIn(remaining, from, begin);
      const tag = remaining.slice(begin, end);
      from = end;
      if (tag.startsWith('<!--') || tag.startsWith('<?')) {
        // Contains no positions.
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
    remaining = remaining.slice(from);
    if (remaining.length > LONGEST_PIECE + chunk.length)
      throw new HistoryProblem(
        line + breaksIn(remaining, 0, Math.max(0, remaining.indexOf('<'))),
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
