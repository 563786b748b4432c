import { type Asked, PAGE_LIMIT, type Page } from '@trackway/contract/page.ts';
import type { Call } from '../calls.ts';
import type { PageRequest } from '../platform/collection.ts';
import { type Family, ownerOf } from './family.ts';

/** Lists of version 2, in pages. */

/** What a caller asked for, with its defaults. */
interface Paged {
  readonly limit: number;
  /** The number of the page as asked for: 0 and 1 are both the first. */
  readonly page: number;
  readonly skip: number;
  readonly sort: string | undefined;
  readonly isDescending: boolean;
  readonly include: ReadonlySet<string>;
}

export function pagedBy({ _limit: limit = PAGE_LIMIT, _page: page = 1, ...asked }: Asked): Paged {
  return {
    limit,
    page,
    skip: (Math.max(page, 1) - 1) * limit,
    sort: asked._sort,
    isDescending: asked._direction === 'desc',
    include: new Set(asked._include),
  };
}

export function pageAnswer<Entry>(data: Entry[], totalElements: number, { limit, page }: Paged): Page<Entry> {
  return { data, limit, page, totalElements, totalPages: Math.ceil(totalElements / limit) };
}

/** `fields`: the names of sortable fields where they differ from the family's names. */
export function orderOf({ sort, isDescending }: Paged, fields: Readonly<Record<string, string>> = {}): string {
  const direction = isDescending ? 'DESC' : 'ASC';
  return sort === undefined || sort === 'id' ? `id ${direction}` : `${fields[sort] ?? sort} ${direction}, id ASC`;
}

/** A page of a family. `show` converts an entry. */
export async function pageOf<Shown extends object, Entry>(
  { rows, scope }: Family<Shown>,
  call: Call<unknown, Asked>,
  more: {
    readonly where?: PageRequest['where'];
    readonly fields?: Readonly<Record<string, string>>;
    readonly show: (row: Shown) => Entry;
  },
): Promise<Page<Entry>> {
  const paged = pagedBy(call.parameters);
  const { limit, skip } = paged;
  const wanted = { where: more.where, order: orderOf(paged, more.fields), limit, skip };
  const page = await rows.page(scope(call as Call), wanted, { now: call.now, owner: ownerOf(call) });
  return pageAnswer(page.rows.map(more.show), page.total, paged);
}
