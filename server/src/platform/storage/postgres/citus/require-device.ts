import { recentlyUsed } from '../../../caches.ts';
import type { Migration } from '../../migrations.ts';
import { distributionColumns, placementsOf, type SpanningStatements } from '../../placement.ts';
import { closing, isSign, isWord, type NameScope, scopesOf, type Token, tokensOf } from './scopes.ts';

/** Set by tests: a statement on distributed tables that names no device, and is not known to be about many, is refused. */
const STRICT = 'TRACKWAY_STRICT_DEVICES';

/** Texts whose result is remembered. Those with lists of parameters differ by how many these are. */
const REMEMBERED = 3000;

/** What each statement must pass, if anything. */
export function deviceGuard(migrations: readonly Migration[]): ((sql: string) => void) | undefined {
  const placements = placementsOf(migrations);
  if (process.env[STRICT] !== '1' || placements === undefined) return undefined;
  const columns = distributionColumns(placements);
  const spanning = migrations.findLast((migration) => migration.spanning !== undefined)?.spanning ?? [];
  const passed = recentlyUsed(REMEMBERED, (sql: string) => {
    requireDevice(sql, columns, spanning);
    return true;
  });
  return (sql) => void passed(sql);
}

/** Fails for a statement that should name a device and does not. */
export function requireDevice(
  sql: string,
  columns: Readonly<Record<string, string>>,
  spanning: readonly SpanningStatements[] = [],
): void {
  const mayBe = (table: string) =>
    spanning.some(
      ({ tables, form }) =>
        (tables?.includes(table) ?? true) && new RegExp(form, 'i').test(sql.replaceAll(/\s+/g, ' ')),
    );
  const unnamed = unnamedTables(sql, columns).filter((table) => !mayBe(table));
  if (unnamed.length > 0) throw new Error(`A statement does not name the device of ${unnamed.join(', ')}: ${sql}`);
}

/**
 * The distributed tables that a statement uses without the device, neither in a condition nor in a join: Citus has to
 * ask all servers for these.
 */
function unnamedTables(sql: string, columns: Readonly<Record<string, string>>): string[] {
  const tokens = tokensOf(sql);
  const { scopes, isAssigned } = scopesOf(tokens);
  const named = new Map<NameScope, Set<string>>();
  const name = (scope: NameScope | undefined, as: string) => {
    if (scope !== undefined) named.set(scope, (named.get(scope) ?? new Set()).add(as.toUpperCase()));
  };
  for (const [index, token] of tokens.entries()) {
    const into = isWord(token, 'INTO') ? tokens[index + 1] : undefined;
    if (into?.kind === 'name' && isInserted(tokens, index + 2, columns[into.text])) name(scopes[index], into.text);
    if (token.kind !== 'name' || isAssigned[index]) continue;
    const owner = isSign(tokens[index - 1], '.') ? tokens[index - 2]!.text : undefined;
    if (!isCompared(tokens, owner === undefined ? index : index - 2, index)) continue;
    const scope = owner === undefined ? nearest(scopes[index]!) : scopes[index]!.whereNamed(owner);
    for (const [as, table] of scope?.tables ?? [])
      if ((owner === undefined || as === owner.toUpperCase()) && table && columns[table] === token.text)
        name(scope, as);
  }
  const unnamed: string[] = [];
  for (const scope of new Set(scopes))
    for (const [as, table] of scope.tables)
      if (table !== undefined && table in columns && !named.get(scope)?.has(as)) unnamed.push(table);
  return unnamed;
}

/** Whether a column is among those that an insert lists from a token on. */
function isInserted(tokens: readonly Token[], from: number, column: string | undefined): boolean {
  const open = tokens.findIndex((token, index) => index >= from && isSign(token, '('));
  const list = open === -1 ? [] : tokens.slice(open + 1, closing(tokens, open));
  return list.some(({ kind, text }) => kind === 'name' && text === column);
}

const isCompared = (tokens: readonly Token[], first: number, last: number) =>
  isSign(tokens[first - 1], '=') || isSign(tokens[last + 1], '=') || isWord(tokens[last + 1], 'IN');

function nearest(from: NameScope): NameScope | undefined {
  for (let scope: NameScope | undefined = from; scope !== undefined; scope = scope.parent)
    if (scope.tables.size > 0) return scope;
  return undefined;
}
