import type { Operation, Operations, Version } from './operation.ts';

/** What answers tell beside their bodies: tags of what is read, and the lengths of lists. */

/** Whether an operation reads one thing. Its answer has an `ETag`. */
export const isSingleRead = ({ method, path, changes, paging, media, answer }: Operation): boolean =>
  method === 'GET' &&
  path.includes('{') &&
  !changes &&
  paging === undefined &&
  media === undefined &&
  (answer as { type?: string } | undefined)?.type === 'object';

/** The operation that reads what another at the same address changes: such a change can be made to depend on `If-Match`. */
export function readOf<O extends Operations>(
  operations: O,
  { method, path }: Operation,
  version: Version,
): (keyof O & string) | undefined {
  if (method !== 'PUT' && method !== 'DELETE') return undefined;
  return Object.keys(operations).find((name) => {
    const one = operations[name]!;
    return one.path === path && one.versions.includes(version) && isSingleRead(one);
  });
}

/** Lists so long that they are not counted. */
export const UNCOUNTED: ReadonlySet<string> = new Set(['listPoints', 'listReadings', 'listGatewayReadings']);

/** Whether an operation answers with a list that its caller can narrow. */
export const isList = ({ narrowing, answer }: Operation): boolean =>
  narrowing === 'filter' && (answer as { type?: string } | undefined)?.type === 'array';
