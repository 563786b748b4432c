import { CompiledQuery } from 'kysely';
import { badRequest, Refusal } from './errors.ts';
import { compileCount, compileList } from './filter/compile.ts';
import type { FilterFields } from './filter/fields.ts';
import { type Filter, parseFilter, parseFilterObject, parseWhere } from './filter/parse.ts';
import { cutFrom } from './filter/time-range.ts';
import { noteCreated } from './keyed-request.ts';
import { fingerprint } from './secrets.ts';
import { type AnyDatabase, type AnyQuery, type Search, SearchesFull, SearchTooLong } from './storage/database.ts';
import { type Cell, columnsOf, presentRow, type Row, storeValues, type TableShape } from './storage/shape.ts';
import { Memory } from './unchanged-cache.ts';

/** The rows of the table that a caller may access: those of a parent, or those visible to the caller. */
export interface Scope {
  readonly sql: string;
  readonly cells: readonly Cell[];
  /** What is read in place of the table, under the table's name: its rows with columns that are worked out. */
  readonly from?: { readonly sql: string; readonly cells: readonly Cell[] };
  /** Cells that all these rows have. */
  readonly within?: Readonly<Row>;
}

export interface ListRequest {
  readonly query: ReadonlyArray<readonly [string, string]>;
  readonly now: number;
  /** Identifies the caller: searches of one owner run one at a time. */
  readonly owner: string;
  /** Is told what a list left out. */
  readonly listed?: Listed;
}

/** What is known of a list beside its rows. The first list of a request fills it in. */
export interface Listed {
  /** Whether the rows that match are to be counted where that is not known anyway. */
  readonly isCounted: boolean;
  found?: {
    /** Whether there are rows after those of the list, and where they begin. */
    readonly hasMore: boolean;
    readonly next: number;
    /** How many rows match. */
    readonly total?: number;
    /** Where a range of time was cut, in epoch milliseconds. */
    readonly rangeFrom?: number;
  };
}

/** Which rows of a collection make a page. `where` and `order` are those of a filter. */
export interface PageRequest {
  readonly where?: Readonly<Record<string, unknown>>;
  readonly order?: string;
  readonly limit: number;
  readonly skip: number;
}

export interface PageOf<Shown> {
  readonly rows: Shown[];
  /** Rows of all pages. */
  readonly total: number;
}

/** Values for some of a row's fields, as the API takes them or as they are stored: a time may be a number. */
export type Values<Shown extends object> = { readonly [Name in keyof Shown]?: unknown };

/** What else is deleted or changed where rows are deleted, before that and in the same transaction. */
type BeforeRemoving = (tx: AnyQuery, ids: readonly number[]) => Promise<void>;

/** A list of at most this many rows is answered on the main thread; a longer one goes to a search worker. */
const FEW = 200;
const DELETE_CHUNK = 500;

/**
 * The rows of one table as a family of operations needs them: list, count, find, insert, update, delete.
 * `Shown` is a row as the API shows it.
 */
export class Collection<Shown extends object> {
  readonly table: string;
  readonly shape: TableShape<Shown>;
  readonly #db: AnyDatabase;
  readonly #fields: FilterFields;
  readonly #relations: readonly string[];
  readonly #beforeRemoving: BeforeRemoving | undefined;
  readonly #columns: string;
  readonly #texts: Memory<string>;
  readonly #statements = new Map<string, ReturnType<AnyDatabase['prepare']>>();

  constructor(
    db: AnyDatabase,
    table: string,
    fields: FilterFields & { readonly shape: TableShape<Shown> },
    more: { relations?: readonly string[]; beforeRemoving?: BeforeRemoving } = {},
  ) {
    this.table = table;
    this.shape = fields.shape;
    this.#db = db;
    this.#fields = fields;
    this.#texts = new Memory(() => this.#db.changes());
    this.#relations = more.relations ?? [];
    this.#beforeRemoving = more.beforeRemoving;
    this.#columns = fields.shape
      .flatMap(columnsOf)
      .map((column) => `"${column}"`)
      .join(', ');
  }

  present(row: Row): Shown {
    return presentRow(this.shape, row);
  }

  find(scope: Scope, id: number): Promise<Row | undefined> {
    const { sql, cells, from } = scope;
    return this.#prepared(`"id" = ? AND ${sql}`, { from }).get(...(from?.cells ?? []), id, ...cells) as Promise<
      Row | undefined
    >;
  }

  /** Returns one row as JSON text, cached until the next commit. */
  async text(scope: Scope, id: number): Promise<string | undefined> {
    const key = `${id} ${scope.cells} ${scope.from?.cells} ${scope.sql}`;
    const known = this.#texts.get(key);
    if (known !== undefined) return known;
    const row = await this.find(scope, id);
    if (row === undefined) return undefined;
    const text = JSON.stringify(presentRow(this.shape, row));
    this.#texts.keep(key, text);
    return text;
  }

  parse(query: ListRequest['query']): Filter {
    return parseFilter(query, this.#fields, { relations: this.#relations });
  }

  /** Returns the rows of the scope that match the caller's filter, as the JSON text of an array. */
  async list(scope: Scope, request: ListRequest): Promise<string> {
    if (!request.query.some(([name]) => name.startsWith('filter'))) {
      const { sql, cells, from } = scope;
      const few = this.#prepared(`${sql} ORDER BY "id" LIMIT ${FEW + 1}`, { from });
      const rows = (await few.all(...(from?.cells ?? []), ...cells)) as Row[];
      if (rows.length <= FEW) {
        if (request.listed) request.listed.found ??= { hasMore: false, next: rows.length, total: rows.length };
        return JSON.stringify(rows.map((row) => presentRow(this.shape, row)));
      }
    }
    return this.listBy(this.parse(request.query), scope, request);
  }

  async listBy(filter: Filter, scope: Scope, request: ListRequest): Promise<string> {
    if (request.listed !== undefined && request.listed.found === undefined)
      return this.#listTelling(request.listed, filter, scope, request);
    const compiled = compileList(this.#db.storeKind, this.table, this.#fields, scope, filter, {
      now: request.now,
      foldingCollation: this.#db.foldingCollation,
    });
    if (compiled.cost === 'plain' && (await this.#isSmall(scope))) {
      const { rows } = await this.#db.query.executeQuery<Row>(CompiledQuery.raw(compiled.sql, [...compiled.cells]));
      return JSON.stringify(rows.map((row) => presentRow(compiled.shape, row)));
    }
    return this.#search(compiled, request.owner);
  }

  /** The same, and tells what was left out, which is found by reading one row more. */
  async #listTelling(listed: Listed, filter: Filter, scope: Scope, request: ListRequest): Promise<string> {
    const { foldingCollation, storeKind } = this.#db;
    const { limit, skip } = filter;
    const options = { now: request.now, foldingCollation };
    const oneMore = { ...filter, limit: limit + 1 };
    const compiled = compileList(storeKind, this.table, this.#fields, scope, oneMore, options);
    let text: string;
    let count: number;
    let hasMore: boolean;
    if (compiled.cost === 'plain' && (await this.#isSmall(scope))) {
      const { rows } = await this.#db.query.executeQuery<Row>(CompiledQuery.raw(compiled.sql, [...compiled.cells]));
      hasMore = rows.length > limit;
      count = Math.min(rows.length, limit);
      text = JSON.stringify(rows.slice(0, limit).map((row) => presentRow(compiled.shape, row)));
    } else {
      const { sql, cells, shape } = compiled;
      const found = await this.#search({ sql, cells, shape, most: limit }, request.owner);
      const end = found.lastIndexOf('\n');
      text = found.slice(0, end);
      hasMore = found.endsWith('+');
      count = Number.parseInt(found.slice(end + 1), 10);
    }
    const isKnown = !hasMore && (count > 0 || skip === 0);
    const total = isKnown ? skip + count : listed.isCounted ? await this.#countBy(filter, scope, request) : undefined;
    const { timeRange } = this.#fields;
    const rangeFrom = timeRange ? cutFrom(filter.where.term, timeRange, request.now) : undefined;
    listed.found = { hasMore, next: skip + count, total: listed.isCounted ? total : undefined, rangeFrom };
    return text;
  }

  async #countBy({ where }: Pick<Filter, 'where'>, scope: Scope, { owner }: ListRequest): Promise<number> {
    const { foldingCollation, storeKind } = this.#db;
    const compiled = compileCount(storeKind, this.table, scope, where, { foldingCollation });
    const text = await this.#search({ ...compiled, shape: [{ name: 'count', kind: 'integer' }] }, owner);
    return (JSON.parse(text) as [{ count: number }])[0].count;
  }

  /** Some rows of the scope in an order, and how many there are, both at the same moment. */
  async page(scope: Scope, wanted: PageRequest, request: Omit<ListRequest, 'query'>): Promise<PageOf<Shown>> {
    const { foldingCollation, storeKind } = this.#db;
    const parsed = parseFilterObject({ where: wanted.where, order: wanted.order }, this.#fields);
    const filter = { ...parsed, limit: wanted.limit, skip: wanted.skip };
    const options = { now: request.now, foldingCollation };
    const list = compileList(storeKind, this.table, this.#fields, scope, filter, options);
    const count = compileCount(storeKind, this.table, scope, filter.where, options);
    // A page beyond the last has no rows, but still tells how many there are.
    const sql = `SELECT "all"."count" AS "totalElements", "page".* FROM (${count.sql}) AS "all"
      LEFT JOIN (SELECT *, row_number() OVER () AS "place" FROM (${list.sql}) AS "listed") AS "page" ON 1 = 1
      ORDER BY "page"."place"`;
    const shape: TableShape = [{ name: 'totalElements', kind: 'integer' }, ...this.shape];
    const text = await this.#search({ sql, cells: [...count.cells, ...list.cells], shape }, request.owner);
    const found = JSON.parse(text) as (Shown & { totalElements: number; id: number | null })[];
    const total = found[0]?.totalElements ?? 0;
    return { total, rows: found.filter(({ id }) => id !== null).map(({ totalElements: _, ...row }) => row as Shown) };
  }

  async count(scope: Scope, request: ListRequest): Promise<number> {
    return this.#countBy({ where: parseWhere(request.query, this.#fields) }, scope, request);
  }

  /** @param hidden cells of columns that are not shown */
  async insert(values: Values<Shown>, on: AnyQuery = this.#db.query, hidden: Readonly<Row> = {}): Promise<Row> {
    const row = (await on
      .insertInto(this.table)
      .values({ ...storeValues(this.shape, values), ...hidden })
      .returningAll()
      .executeTakeFirstOrThrow()) as Row;
    noteCreated(() => JSON.stringify(this.present(row)));
    return row;
  }

  /**
   * The row as it is after the change; undefined where it went away meanwhile.
   * @param within cells that the row has, by which it is found where it is
   */
  async update(
    id: number,
    values: Values<Shown>,
    on: AnyQuery = this.#db.query,
    within: Readonly<Row> = {},
  ): Promise<Row | undefined> {
    const cells = storeValues(this.shape, values);
    const of = { id, ...within };
    if (Object.keys(cells).length === 0)
      return (await on
        .selectFrom(this.table)
        .selectAll()
        .where((eb) => eb.and(of))
        .executeTakeFirst()) as Row | undefined;
    return (await on
      .updateTable(this.table)
      .set(cells)
      .where((eb) => eb.and(of))
      .returningAll()
      .executeTakeFirst()) as Row | undefined;
  }

  async remove(id: number, on: AnyQuery = this.#db.query, within: Readonly<Row> = {}): Promise<boolean> {
    if (on === this.#db.query && this.#beforeRemoving) return this.#db.transaction((tx) => this.remove(id, tx, within));
    await this.#beforeRemoving?.(on, [id]);
    const { numDeletedRows } = await on
      .deleteFrom(this.table)
      .where((eb) => eb.and({ id, ...within }))
      .executeTakeFirst();
    return numDeletedRows > 0n;
  }

  /**
   * Deletes in small steps, so that other writers do not wait for a long delete; `also` runs in the transaction of each
   * step.
   */
  async removeAll(scope: Scope, also?: (tx: AnyQuery, ids: readonly number[]) => Promise<void>): Promise<void> {
    const next = this.#prepared(`${scope.sql} ORDER BY "id" LIMIT ${DELETE_CHUNK}`, { columns: '"id"' });
    for (;;) {
      const ids = ((await next.all(...scope.cells)) as Row[]).map((row) => row.id as number);
      if (ids.length === 0) return;
      await this.#db.transaction(async (tx) => {
        await this.#beforeRemoving?.(tx, ids);
        let deleting = tx.deleteFrom(this.table).where('id', 'in', ids);
        for (const [column, cell] of Object.entries(scope.within ?? {})) deleting = deleting.where(column, '=', cell);
        await deleting.execute();
        await also?.(tx, ids);
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  async #search(search: Omit<Search, 'owner'>, owner: string): Promise<string> {
    try {
      return await this.#db.search({ ...search, owner });
    } catch (error) {
      if (error instanceof SearchTooLong) {
        const hint = this.#fields.timeRange ?? 'a condition on an indexed field';
        throw badRequest(`too much to search: add ${hint} to where, or use a smaller limit`);
      }
      if (error instanceof SearchesFull) {
        throw new Refusal(429, 'Too many searches at once: try again in a moment', { headers: { 'retry-after': '1' } });
      }
      throw error;
    }
  }

  /** For the embedded engine only: PostgreSQL runs queries in its own process anyway. */
  async #isSmall(scope: Scope): Promise<boolean> {
    if (this.#db.storeKind !== 'sqlite') return false;
    const rows = await this.#prepared(`${scope.sql} LIMIT ${FEW + 1}`, { columns: '1' }).all(...scope.cells);
    return rows.length <= FEW;
  }

  #prepared(condition: string, { columns = this.#columns, from }: { columns?: string; from?: Scope['from'] } = {}) {
    // Named by the condition, because building the whole text on every call costs about a fifth of the read.
    const name = columns === this.#columns && !from ? condition : `${columns} ${from?.sql} ${condition}`;
    let statement = this.#statements.get(name);
    if (statement === undefined) {
      const sql = `SELECT ${columns} FROM ${from?.sql ?? `"${this.table}"`} WHERE ${condition}`;
      statement = this.#db.prepare(`${this.table}.${fingerprint(sql).slice(0, 16)}`, sql);
      this.#statements.set(name, statement);
    }
    return statement;
  }
}
