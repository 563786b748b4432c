import type { SlotKeys } from '../../placement.ts';
import { isSign, type NameScope, scopesOf } from './scopes.ts';
import { tokensOf } from './tokens.ts';

/**
 * The tables with slots of which a statement does not say the slot, neither by a condition nor by a join: whoever keeps
 * rows by slot has to look everywhere for these.
 */
export function unnamedTables(sql: string, { columns }: SlotKeys): string[] {
  const tokens = tokensOf(sql);
  const { scopes } = scopesOf(tokens);
  const named = new Map<NameScope, Set<string>>();
  for (const [index, token] of tokens.entries()) {
    if (token.kind !== 'name' || token.text !== 'slot') continue;
    const before = isSign(tokens[index - 1], '.') ? tokens[index - 2]!.text : undefined;
    const scope = before === undefined ? nearest(scopes[index]!) : scopes[index]!.whereNamed(before);
    if (scope === undefined) continue;
    const names = before === undefined ? [...scope.tables.keys()] : [before.toUpperCase()];
    named.set(scope, new Set([...(named.get(scope) ?? []), ...names]));
  }
  const unnamed: string[] = [];
  for (const scope of new Set(scopes))
    for (const [name, table] of scope.tables)
      if (table !== undefined && table in columns && !named.get(scope)?.has(name)) unnamed.push(table);
  return unnamed;
}

function nearest(from: NameScope): NameScope | undefined {
  for (let scope: NameScope | undefined = from; scope !== undefined; scope = scope.parent)
    if (scope.tables.size > 0) return scope;
  return undefined;
}
