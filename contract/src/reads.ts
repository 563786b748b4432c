import type { Operation, Operations, Version } from './operation.ts';

/** Response metadata: entity tags of resources, and the lengths of lists. */

/** Whether an operation reads a single resource. Its response has an `ETag`. */
export const isSingleRead = ({ method, path, changes, paging, media, answer }: Operation): boolean =>
  method === 'GET' &&
  path.includes('{') &&
  !changes &&
  paging === undefined &&
  media === undefined &&
  (answer as { type?: string } | undefined)?.type === 'object';

/** The operation that reads what another operation at the same address changes: such a change supports `If-Match`. */
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

/** Lists that are too long to be counted. */
export const UNCOUNTED: ReadonlySet<string> = new Set([
  'listPoints',
  'listPointsV2',
  'listReadings',
  'listGatewayReadings',
]);

/** Whether an operation returns a list that its caller can narrow. */
export const isList = ({ narrowing, answer }: Operation): boolean =>
  narrowing === 'filter' && (answer as { type?: string } | undefined)?.type === 'array';
