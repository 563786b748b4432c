import type { Filter } from '@trackway/contract/operation.ts';
import type { Page } from '@trackway/contract/page.ts';

/** How many entries are asked for at a time. */
const AT_ONCE = 1000;

/**
 * All entries of a list of version 1, read a piece at a time:
 * `for await (const device of listEntries((filter) => client.listDevices({ filter })))`.
 * @param filter its `limit` is the most entries in all
 */
export async function* listEntries<T>(
  list: (filter: Filter) => Promise<readonly T[]>,
  filter: Filter = {},
  atOnce = AT_ONCE,
): AsyncGenerator<T, void> {
  let skip = filter.skip ?? filter.offset ?? 0;
  let left = filter.limit || Number.POSITIVE_INFINITY;
  while (left > 0) {
    const limit = Math.min(atOnce, left);
    const entries = await list({ ...filter, offset: undefined, skip, limit });
    yield* entries;
    if (entries.length < limit) return;
    skip += entries.length;
    left -= entries.length;
  }
}

/**
 * All entries of a list of version 2, read page by page:
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
