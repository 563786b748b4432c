import type { Operation, Version } from '@trackway/contract/operation.ts';
import { BASES } from '@trackway/contract/operations.ts';

/** The path and query of a call. What the operation does not know is left out, so a typing mistake shows in the types. */
export function addressOf(operation: Operation, version: Version, input: Readonly<Record<string, unknown>>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => keyOf(operation, name, input[name]));
  const query = new URLSearchParams();
  for (const name of queryNamesOf(operation)) {
    const value = input[name];
    if (value === undefined || value === null) continue;
    query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return BASES[version] + path + (query.size > 0 ? `?${query}` : '');
}

/** Without this check an absent key would silently address something else: the collection, or the user `undefined`. */
function keyOf(operation: Operation, name: string, value: unknown): string {
  if ((typeof value === 'number' || typeof value === 'string') && value !== '') return encodeURIComponent(value);
  throw new TypeError(`${name} is needed: ${operation.method} ${operation.path}`);
}

export function queryNamesOf(operation: Operation): string[] {
  const declared = Object.keys(operation.query ?? {});
  return operation.narrowing ? [...declared, operation.narrowing] : declared;
}
