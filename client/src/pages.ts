import type { Filter } from '@trackway/contract/operation.ts';
import type { Page } from '@trackway/contract/page.ts';

/** Number of entries per request. */
const AT_ONCE = 1000;

/**
 * All entries of a version 1 list, in several requests:
 * `for await (const device of listEntries((filter) => client.listDevices({ filter })))`.
 * @param filter its `limit` is the maximum number of all entries
 */
export async function* listEntries<T>(
  list: (filter: Filter) => Promise<readonly T[]>,
  filter: Filter = {},
  atOnce = AT_ONCE,
): AsyncGenerator<T, void> {
  let skip = filter.skip ?? filter.offset ?? 0;
  let { after } = filter;
  let left = filter.limit || Number.POSITIVE_INFINITY;
  while (left > 0) {
    const limit = Math.min(atOnce, left);
    const entries = await list({ ...filter, offset: undefined, skip, limit, after });
    yield* entries;
    if (entries.length < limit) return;
    const behind = afterEntry(entries.at(-1), filter.order);
    skip = behind === undefined ? skip + entries.length : 0;
    after = behind ?? after;
    left -= entries.length;
  }
}

/**
 * Rows may be added and removed before the last entry, so the list continues after it. Undefined if the order or the
 * fields do not allow that; then entries are counted.
 */
function afterEntry(last: unknown, order: Filter['order']): Filter['after'] {
  const { id, timestamp } = last as { readonly id?: unknown; readonly timestamp?: unknown };
  const field = order === undefined ? undefined : /^(id|timestamp)( (ASC|DESC))?$/i.exec(String(order))?.[1];
  if (typeof id !== 'number' || (order !== undefined && field === undefined)) return undefined;
  if (field === 'timestamp' && typeof timestamp !== 'string') return undefined;
  return typeof timestamp === 'string' ? { id, timestamp } : { id };
}

/**
 * All entries of a version 2 list, page by page:
 * `for await (const entry of pageEntries((page) => client.listSomething(page)))`.
 */
export async function* pageEntries<T>(
  list: (page: { readonly _page: number; readonly _limit: number }) => Promise<Pick<Page<T>, 'data' | 'totalPages'>>,
  atOnce = AT_ONCE,
): AsyncGenerator<T, void> {
  for (let page = 1; ; page++) {
    const { data, totalPages } = await list({ _page: page, _limit: atOnce });
    yield* data;
    if (data.length === 0 || page >= totalPages) return;
  }
}
