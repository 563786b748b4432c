import type { Operation, Version } from '@trackway/contract/operation.ts';
import { BASES } from '@trackway/contract/operations.ts';
import { isList } from '@trackway/contract/query-values.ts';

/** The path and query of a call. Unknown input is ignored here, since the types already reject it. */
export function addressOf(operation: Operation, version: Version, input: Readonly<Record<string, unknown>>): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) => keyOf(operation, name, input[name]));
  const query = new URLSearchParams();
  for (const name of queryNamesOf(operation)) {
    const value = input[name];
    if (value === undefined || value === null) continue;
    const schema = operation.query?.[name];
    if (Array.isArray(value) && schema !== undefined && isList(schema))
      for (const item of value) query.append(name, String(item));
    else query.set(name, typeof value === 'object' ? JSON.stringify(value) : String(value));
  }
  return BASES[version] + path + (query.size > 0 ? `?${query}` : '');
}

/** Checks a path parameter. A missing one would address another resource: the collection, or the user `undefined`. */
function keyOf(operation: Operation, name: string, value: unknown): string {
  if ((typeof value === 'number' || typeof value === 'string') && value !== '') return encodeURIComponent(value);
  throw new TypeError(`${name} is required: ${operation.method} ${operation.path}`);
}

export function queryNamesOf(operation: Operation): string[] {
  const declared = Object.keys(operation.query ?? {});
  return operation.narrowing ? [...declared, operation.narrowing] : declared;
}
