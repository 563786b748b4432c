/** What names mean in a part of a statement: each parenthesis and each SELECT has its own. */
export class NameScope {
  readonly parent: NameScope | undefined;
  /** Tables by the name they have here, in capitals; undefined for what is no table. */
  readonly tables = new Map<string, string | undefined>();
  hasSelect = false;
  isAssigning = false;

  constructor(parent?: NameScope) {
    this.parent = parent;
  }

  /** The scope that defines a name. */
  whereNamed(name: string): NameScope | undefined {
    const key = name.toUpperCase();
    for (let scope: NameScope | undefined = this; scope !== undefined; scope = scope.parent)
      if (scope.tables.has(key)) return scope;
    return undefined;
  }

  /** The table of a name in this scope. */
  tableNamed(name: string): string | undefined {
    return this.whereNamed(name)?.tables.get(name.toUpperCase());
  }

  /** The table of an unqualified column, if there is only one. */
  onlyTable(): string | undefined {
    for (let scope: NameScope | undefined = this; scope !== undefined; scope = scope.parent)
      if (scope.tables.size > 0) return scope.tables.size === 1 ? [...scope.tables.values()][0] : undefined;
    return undefined;
  }
}

/** For each token its scope, and whether it is the target of an assignment rather than part of a condition. */
interface Scoped {
  readonly scopes: readonly NameScope[];
  readonly isAssigned: readonly boolean[];
}

const NO_ALIAS = new Set(
  `WHERE ON SET JOIN LEFT RIGHT INNER CROSS FULL ORDER GROUP LIMIT VALUES SELECT RETURNING FOR UNION USING HAVING OFFSET
   DEFAULT LATERAL NATURAL WINDOW EXCEPT INTERSECT WITH AND OR DO`.split(/\s+/),
);

export function scopesOf(tokens: readonly Token[]): Scoped {
  const scopes: NameScope[] = [];
  const isAssigned: boolean[] = [];
  const stack: { scope: NameScope; isItem: boolean; start: number }[] = [
    { scope: new NameScope(), isItem: false, start: 0 },
  ];
  /** Whether the next token names what is read or written. */
  let isExpected = false;

  const aliasAt = (index: number) => {
    const at = isWord(tokens[index], 'AS') ? index + 1 : index;
    const alias = tokens[at];
    const isThere = alias?.kind === 'name' || (alias?.kind === 'word' && !NO_ALIAS.has(alias.text));
    return isThere ? { name: alias.text, next: at + 1 } : { name: undefined, next: at };
  };

  for (let i = 0; i < tokens.length; i += 1) {
    const token = tokens[i]!;
    const top = stack.at(-1)!;
    if (isWord(token, 'SELECT')) {
      // A second one at the same depth knows nothing of the first.
      if (top.scope.hasSelect || top.scope.tables.size > 0) top.scope = new NameScope(top.scope.parent);
      top.scope.hasSelect = true;
    }
    const { scope } = top;
    scopes[i] = scope;
    if (token.kind === 'word') {
      if (token.text === 'SET' && !isWord(tokens[i + 1], 'LOCAL')) scope.isAssigning = true;
      else if (['WHERE', 'FROM', 'RETURNING'].includes(token.text)) scope.isAssigning = false;
    }
    isAssigned[i] = scope.isAssigning;
    if (isSign(token, '(')) {
      stack.push({ scope: new NameScope(scope), isItem: isExpected, start: i + 1 });
      isExpected = false;
    } else if (isSign(token, ')')) {
      const { isItem, start, scope: inside } = stack.length > 1 ? stack.pop()! : top;
      if (!isItem) continue;
      const { name, next } = aliasAt(i + 1);
      const around = stack.at(-1)!.scope;
      if (name !== undefined) around.tables.set(name.toUpperCase(), wholeTable(tokens, start, inside));
      isExpected = isSign(tokens[next], ',');
    } else if (isExpected && (token.kind === 'name' || token.kind === 'word')) {
      if (isWord(token, 'LATERAL') || isWord(token, 'ONLY')) continue;
      isExpected = false;
      if (isSign(tokens[i + 1], '(') && token.kind === 'word') {
        // A function: what it gives has its name after the parenthesis.
        isExpected = true;
        continue;
      }
      const { name, next } = aliasAt(i + 1);
      scope.tables.set((name ?? token.text).toUpperCase(), token.kind === 'name' ? token.text : undefined);
      isExpected = isSign(tokens[next], ',') && !isWord(tokens[i - 1], 'INTO');
      // The alias is no table of its own.
      for (let skipped = i + 1; skipped < next; skipped += 1) {
        scopes[skipped] = scope;
        isAssigned[skipped] = false;
      }
      i = next - 1;
    } else if (!isExpected || !isSign(token, ',')) {
      isExpected = namesTable(tokens, i);
    }
  }
  return { scopes, isAssigned };
}

/**
 * The table whose rows a subquery returns unchanged, `SELECT d.* FROM "devices" d WHERE …`; undefined where it is
 * another.
 */
function wholeTable(tokens: readonly Token[], start: number, inside: NameScope): string | undefined {
  const isAll = isSign(tokens[start + 1], '*') || (isSign(tokens[start + 2], '.') && isSign(tokens[start + 3], '*'));
  return isWord(tokens[start], 'SELECT') && isAll && inside.tables.size === 1 ? inside.onlyTable() : undefined;
}

/** Whether a table is named after this word. */
function namesTable(tokens: readonly Token[], index: number): boolean {
  const token = tokens[index]!;
  if (token.kind !== 'word') return false;
  const before = tokens[index - 1];
  switch (token.text) {
    case 'FROM':
      return !isWord(before, 'DISTINCT') && !isWord(before, 'EPOCH');
    case 'JOIN':
    case 'INTO':
      return true;
    case 'UPDATE':
      return !isWord(before, 'FOR') && !isWord(before, 'KEY') && !isWord(before, 'DO');
    default:
      return false;
  }
}

export const isWord = (token: Token | undefined, text: string) => token?.kind === 'word' && token.text === text;
export const isSign = (token: Token | undefined, text: string) => token?.kind === 'sign' && token.text === text;

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

/** The index of the parenthesis that closes the one at an index. */
export function closing(tokens: readonly Token[], open: number): number {
  let depth = 0;
  for (let i = open; i < tokens.length; i += 1) {
    if (isSign(tokens[i], '(')) depth += 1;
    if (isSign(tokens[i], ')')) depth -= 1;
    if (depth === 0) return i;
  }
  return tokens.length - 1;
}
