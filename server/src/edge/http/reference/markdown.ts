import { piecesOf } from '../pages/reference/highlight.js';

/**
 * Renders the subset of Markdown that our documents use as HTML: headings, paragraphs, lists, tables, fenced code;
 * inside them code, strong and emphasized text and links. Everything else is text.
 */

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/** Escapes text for HTML content and attributes. */
export const escaped = (text: string): string => text.replaceAll(/[&<>"']/g, (sign) => ENTITIES[sign]!);

const NAMES: Readonly<Record<string, string>> = {
  sh: 'Shell',
  json: 'JSON',
  ts: 'TypeScript',
  js: 'JavaScript',
  python: 'Python',
  http: 'HTTP',
};

/** Highlighted code. */
export const coloured = (code: string): string =>
  piecesOf(code)
    .map(([kind, text]) => (kind === '' ? escaped(text) : `<span class="${kind}">${escaped(text)}</span>`))
    .join('');

/** A block of code with its language, scrollable by keyboard. */
export function codeBlock(code: string, language: string): string {
  const name = NAMES[language] ?? 'Text';
  return `<div class="code"><div class="code-head"><span>${name}</span></div><pre tabindex="0" role="region" aria-label="${name}"><code>${coloured(code)}</code></pre></div>`;
}

export interface Heading {
  readonly level: number;
  readonly text: string;
  readonly id: string;
}

interface MarkdownOptions {
  /** Target of a link. If undefined, the text is shown without a link. */
  readonly link?: (target: string) => string | undefined;
  /** HTML of a fenced block. */
  readonly code?: (text: string, language: string) => string;
  /** Added to the level of each heading. */
  readonly deeper?: number;
}

interface Rendered {
  readonly html: string;
  readonly headings: readonly Heading[];
}

const plainCode = (text: string) => `<pre tabindex="0"><code>${escaped(text)}</code></pre>`;

export function markdown(source: string, options: MarkdownOptions = {}): Rendered {
  const headings: Heading[] = [];
  const html = blocks(source.replaceAll('\r', '').split('\n'), options, headings);
  return { html, headings };
}

const PIECE = /`([^`]+)`|\[((?:`[^`]*`|[^\]`])+)\]\(([^)\s]+)\)|<(https?:[^>\s]+)>/g;

/** Markup inside a paragraph, a cell or a heading. */
export function inline(text: string, options: MarkdownOptions = {}): string {
  const link = options.link ?? ((target: string) => target);
  let html = '';
  let from = 0;
  for (const { 0: whole, 1: code, 2: label, 3: target, 4: bare, index } of text.matchAll(PIECE)) {
    html += strong(text.slice(from, index));
    from = index + whole.length;
    if (code !== undefined) html += `<code>${escaped(code)}</code>`;
    else {
      const to = link(target ?? bare!);
      const shown = label === undefined ? escaped(bare!) : inline(label, options);
      html += to === undefined ? shown : `<a href="${escaped(to)}">${shown}</a>`;
    }
  }
  return html + strong(text.slice(from));
}

const strong = (text: string) =>
  escaped(text)
    .replaceAll(/\*\*(.+?)\*\*/g, '<strong>$1</strong>')
    .replaceAll(/(?<![\w*])\*([^*\s](?:[^*]*[^*\s])?)\*(?![\w*])/g, '<em>$1</em>');

const FENCE = /^```(\w*)\s*$/;
const HEADING = /^(#{1,5}) (.+)$/;
const ITEM = /^(?:[-*]|(\d+)\.) +(.*)$/;
const isTable = (line: string | undefined, next: string | undefined) =>
  line?.startsWith('|') === true && /^\|[\s|:-]+\|$/.test(next ?? '');

function blocks(lines: readonly string[], options: MarkdownOptions, headings: Heading[]): string {
  const html: string[] = [];
  for (let at = 0; at < lines.length; ) {
    const line = lines[at]!;
    const fence = FENCE.exec(line);
    const heading = HEADING.exec(line);
    if (line.trim() === '') at += 1;
    else if (fence) {
      const end = lines.indexOf('```', at + 1);
      const text = lines.slice(at + 1, end === -1 ? undefined : end).join('\n');
      html.push((options.code ?? plainCode)(text, fence[1]!));
      at = end === -1 ? lines.length : end + 1;
    } else if (heading) {
      const made = headingOf(heading[1]!.length + (options.deeper ?? 0), heading[2]!, headings);
      headings.push(made);
      html.push(`<h${made.level} id="${made.id}">${inline(heading[2]!, options)}</h${made.level}>`);
      at += 1;
    } else if (isTable(line, lines[at + 1])) {
      const end = endOf(lines, at, (next) => next.startsWith('|'));
      html.push(table(lines.slice(at, end), options));
      at = end;
    } else if (ITEM.test(line)) {
      const end = endOfList(lines, at);
      html.push(list(lines.slice(at, end), options, headings));
      at = end;
    } else {
      const end = endOf(lines, at, (next) => next.trim() !== '' && !startsBlock(next));
      html.push(`<p>${inline(lines.slice(at, end).join('\n'), options)}</p>`);
      at = end;
    }
  }
  return html.join('\n');
}

const startsBlock = (line: string) => FENCE.test(line) || HEADING.test(line) || ITEM.test(line);

/** The first line after `at` that does not continue the block. */
function endOf(lines: readonly string[], at: number, goesOn: (line: string) => boolean): number {
  const end = lines.findIndex((line, index) => index > at && !goesOn(line));
  return end === -1 ? lines.length : end;
}

/** Items, their indented continuation lines, and empty lines between them. */
function endOfList(lines: readonly string[], at: number): number {
  const isNumbered = /^\d/.test(lines[at]!);
  const isItem = (line: string) => ITEM.test(line) && /^\d/.test(line) === isNumbered;
  const end = endOf(lines, at, (line) => line.trim() === '' || line.startsWith(' ') || isItem(line));
  let last = end;
  while (lines[last - 1]!.trim() === '') last -= 1;
  return last;
}

function list(lines: readonly string[], options: MarkdownOptions, headings: Heading[]): string {
  const items: string[][] = [];
  for (const line of lines) {
    const item = ITEM.exec(line);
    if (item) items.push([item[2]!]);
    else items.at(-1)!.push(line.replace(/^ {1,3}/, ''));
  }
  const tag = /^\d/.test(lines[0]!) ? 'ol' : 'ul';
  const html = items.map((item) => {
    const inner = blocks(item, options, headings);
    // A single paragraph needs no `<p>`.
    const only = /^<p>((?:(?!<p>)[\s\S])*)<\/p>$/.exec(inner)?.[1];
    return `<li>${only ?? inner}</li>`;
  });
  return `<${tag}>${html.join('')}</${tag}>`;
}

function table(lines: readonly string[], options: MarkdownOptions): string {
  const rows = [lines[0]!, ...lines.slice(2)].map(cellsOf);
  const row = (cells: string[], tag: 'td' | 'th') =>
    `<tr>${cells.map((cell) => `<${tag}>${inline(cell, options)}</${tag}>`).join('')}</tr>`;
  const [head, ...rest] = rows;
  const body = rest.map((cells) => row(cells, 'td')).join('');
  // A column of names may have no heading.
  const heads = head!.map((cell) => (cell === '' ? '<td></td>' : `<th scope="col">${inline(cell, options)}</th>`));
  return `<div class="table" tabindex="0"><table><thead><tr>${heads.join('')}</tr></thead><tbody>${body}</tbody></table></div>`;
}

/** A bar inside code or after a backslash is not a separator. */
function cellsOf(line: string): string[] {
  const inside = line.replace(/^\||\|\s*$/g, '');
  const cells = inside.match(/(?:`[^`]*`|\\\||[^|])+/g) ?? [];
  return cells.map((cell) => cell.trim().replaceAll('\\|', '|'));
}

function headingOf(level: number, text: string, before: readonly Heading[]): Heading {
  const wanted = slugOf(text);
  const same = before.filter(({ id }) => id.replace(/-\d+$/, '') === wanted).length;
  return { level, text: text.replaceAll(/[`*]/g, ''), id: same === 0 ? wanted : `${wanted}-${same}` };
}

/** The anchor of a heading, as code hosts generate it. */
export const slugOf = (text: string): string =>
  text
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
    .trim()
    .replaceAll(/\s/g, '-');
