import { type Static, type TSchema, type TUnsafe, Type } from 'typebox';

/**
 * Lists of version 2 are paged. Their parameters start with an underscore, to distinguish them from parameters of the
 * resource.
 */

export interface Paging {
  /** Sortable fields. */
  readonly sortable: readonly string[];
  /** Allowed values of `_include`. */
  readonly includes?: readonly string[];
  /** Maximum number of entries on a page. */
  readonly most?: number;
}

export interface Page<Entry> {
  readonly data: Entry[];
  readonly limit: number;
  readonly page: number;
  readonly totalElements: number;
  readonly totalPages: number;
}

export const PAGE_LIMIT = 10;
export const MOST_IN_PAGE = 10_000;
/** The header with the same parameters as a JSON object. */
export const QUERY_HEADER = 'x-query';

/** The parsed paging parameters of a query. */
export interface Asked {
  readonly _limit?: number;
  readonly _page?: number;
  readonly _sort?: string;
  readonly _direction?: 'asc' | 'desc';
  readonly _include?: readonly string[];
}

export type PageQuery = { [K in keyof Asked]-?: TUnsafe<NonNullable<Asked[K]>> };

export function pageQuery({ sortable, includes = [], most = MOST_IN_PAGE }: Paging): PageQuery {
  return {
    ...pageNumbers(most),
    _sort: Type.Enum([...sortable], { description: `Field to sort by: ${sortable.join(', ')}. Defaults to the id.` }),
    _direction: Type.Enum(['asc', 'desc'], {
      title: 'sort direction',
      description: 'Direction of the order. Defaults to `asc`.',
    }),
    ...(includes.length > 0 && {
      _include: Type.Array(Type.Enum([...includes]), {
        maxItems: 100,
        description: `What else to return with each entry: ${includes.join(', ')}.`,
      }),
    }),
  } as unknown as PageQuery;
}

/** A larger limit means the maximum; the first page is 1, and 0 means 1. */
export const pageNumbers = (most = MOST_IN_PAGE) => ({
  _limit: Type.Integer({
    minimum: 1,
    'x-most': most,
    description: `Entries per page, at most ${most}. Defaults to ${PAGE_LIMIT}.`,
  }),
  _page: Type.Integer({ minimum: 0, maximum: 1_000_000_000, description: 'Number of the page. The first is 1.' }),
});

export function pageSchema<I extends TSchema>(name: string, item: I): TUnsafe<Page<Static<I>>> {
  return Type.Object(
    {
      data: Type.Array(item, { description: 'Entries of this page.' }),
      limit: Type.Integer({ description: 'Entries per page.' }),
      page: Type.Integer({ description: 'Number of the page, as requested.' }),
      totalElements: Type.Integer({ description: 'Number of all entries.' }),
      totalPages: Type.Integer({ description: 'Number of pages.' }),
    },
    { title: `${name} page` },
  ) as TSchema as TUnsafe<Page<Static<I>>>;
}
