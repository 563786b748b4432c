/** A piece of SQL. `text` of a name has no quotes, that of a word is in capitals. */
export interface Token {
  readonly kind: 'name' | 'word' | 'parameter' | 'sign' | 'other';
  readonly text: string;
  readonly start: number;
  readonly end: number;
}

const PIECES = [
  ['space', /\s+|--[^\n]*|\/\*[\s\S]*?\*\//y],
  ['other', /[eE]?'(?:[^']|'')*'|\d[\w.]*/y],
  ['name', /"(?:[^"]|"")*"/y],
  ['parameter', /\$\d+/y],
  ['word', /[A-Za-z_]\w*/y],
  ['sign', /->>|->|::|<>|<=|>=|!=|\|\||[^\s\w]/y],
] as const;

export function tokensOf(sql: string): Token[] {
  const tokens: Token[] = [];
  let at = 0;
  while (at < sql.length) {
    let end = at;
    for (const [kind, form] of PIECES) {
      form.lastIndex = at;
      const found = form.exec(sql);
      if (found === null) continue;
      end = form.lastIndex;
      if (kind !== 'space') tokens.push({ kind, text: textOf(kind, found[0]), start: at, end });
      break;
    }
    if (end === at) throw new Error(`No SQL: ${sql.slice(at, at + 20)}`);
    at = end;
  }
  return tokens;
}

function textOf(kind: Token['kind'], text: string): string {
  if (kind === 'name') return text.slice(1, -1).replaceAll('""', '"');
  return kind === 'word' ? text.toUpperCase() : text;
}
