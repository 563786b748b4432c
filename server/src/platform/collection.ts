import { CompiledQuery } from 'kysely';
import { Memory } from './caches.ts';
import { badRequest, Refusal, slow } from './errors.ts';
import { compileCount, compileList } from './filter/compile.ts';
import type { FilterFields } from './filter/fields.ts';
import { type Filter, leadingColumn, parseFilter, parseFilterObject, parseWhere } from './filter/parse.ts';
import { cutFrom, rangeOf, type TimeRange } from './filter/time-range.ts';
import { noteCreated } from './keyed-request.ts';
import type { PackedRows, PackedSpan } from './packing/search-segments.ts';
import { fingerprint } from './secrets.ts';
import {
  type AnyDatabase,
  type AnyQuery,
  type Search,
  SearchesFull,
  SearchSlow,
  SearchTooLong,
} from './storage/database.ts';
import { type Cell, columnsOf, presentRow, type Row, storeValues, type TableShape } from './storage/shape.ts';

/** The rows of the table that a caller may access: the rows of a parent, or the rows visible to the caller. */
export interface Scope {
  readonly sql: string;
  readonly cells: readonly Cell[];
  /** Read in place of the table, under the table's name: its rows with computed columns. */
  readonly from?: { readonly sql: string; readonly cells: readonly Cell[] };
  /** Column values that all these rows have. */
  readonly within?: Readonly<Row>;
}

export interface ListRequest {
  readonly query: ReadonlyArray<readonly [string, string]>;
  readonly now: number;
  /** Identifies the caller: searches of one owner run one at a time. */
  readonly owner: string;
  /** Receives metadata of a list. */
  readonly listed?: Listed;
  /** Whether a filter with unknown keys or fields is rejected. */
  readonly isStrict?: boolean;
}

/** Metadata of a list. The first list of a request fills it in. */
export interface Listed {
  /** Whether to count the matching rows if their number is not known anyway. */
  readonly isCounted: boolean;
  found?: {
    /** Whether there are rows after the list, and where they start. */
    readonly hasMore: boolean;
    readonly next: number;
    /** Identifies the last row of the list in its order, if the list can continue after it. */
    readonly after?: Readonly<Record<string, unknown>>;
    /** The number of matching rows. */
    readonly total?: number;
    /** Where a time range was cut, in epoch milliseconds. */
    readonly rangeFrom?: number;
  };
}

/** Selects the rows of a page. `where` and `order` are as in a filter. */
export interface PageRequest {
  readonly where?: Readonly<Record<string, unknown>>;
  readonly order?: string;
  readonly limit: number;
  readonly skip: number;
}

interface PageOf<Shown> {
  readonly rows: Shown[];
  /** Number of rows on all pages. */
  readonly total: number;
}

/** Writes the rows of a view, whose data is stored elsewhere. */
export interface RowWriter {
  insert(on: AnyQuery, cells: Row): Promise<Row>;
  update(on: AnyQuery, id: number, cells: Row): Promise<Row | undefined>;
  /** Returns the number of removed rows. */
  remove(on: AnyQuery, ids: readonly number[]): Promise<number>;
}

/** Values for some of a row's fields, in the API or storage format: a time may be a number. */
export type Values<Shown extends object> = { readonly [Name in keyof Shown]?: unknown };

/** Additional deletions or changes before rows are deleted, in the same transaction. */
type BeforeRemoving = (tx: AnyQuery, ids: readonly number[]) => Promise<void>;

/** A list of at most this many rows is read on the main thread; a longer one by a search worker. */
const FEW = 200;
const DELETE_CHUNK = 500;
const ALWAYS: TimeRange = { from: Number.NEGATIVE_INFINITY, to: Number.POSITIVE_INFINITY };

/** The time range of a list, and the range of its packed rows. */
interface PackedIn {
  readonly range: TimeRange;
  readonly span: PackedSpan;
}

/** A list without the trailing line that contains the count. */
const withoutCount = (found: string) => found.slice(0, found.lastIndexOf('\n'));

/**
 * The rows of one table for a family of operations: list, count, find, insert, update, delete. `Shown` is a row in the
 * API format.
 */
export class Collection<Shown extends object> {
  readonly table: string;
  readonly shape: TableShape<Shown>;
  readonly #db: AnyDatabase;
  readonly #fields: FilterFields;
  readonly #relations: readonly string[];
  readonly #packed: PackedRows | undefined;
  readonly #writer: RowWriter | undefined;
  readonly #beforeRemoving: BeforeRemoving | undefined;
  readonly #columns: string;
  readonly #order: string;
  readonly #texts: Memory<string>;
  readonly #statements = new Map<string, ReturnType<AnyDatabase['prepare']>>();

  constructor(
    db: AnyDatabase,
    table: string,
    fields: FilterFields & { readonly shape: TableShape<Shown> },
    more: {
      relations?: readonly string[];
      packed?: PackedRows;
      writer?: RowWriter;
      beforeRemoving?: BeforeRemoving;
    } = {},
  ) {
    this.table = table;
    this.shape = fields.shape;
    this.#db = db;
    this.#fields = fields;
    this.#texts = new Memory(() => this.#db.changes());
    this.#relations = more.relations ?? [];
    this.#packed = more.packed;
    this.#writer = more.writer;
    this.#beforeRemoving = more.beforeRemoving;
    this.#order = fields.isByTime ? `"${fields.timeRange}", "id"` : '"id"';
    this.#columns = fields.shape
      .flatMap(columnsOf)
      .map((column) => `"${column}"`)
      .join(', ');
  }

  present(row: Row): Shown {
    return presentRow(this.shape, row);
  }

  async find(scope: Scope, id: number): Promise<Row | undefined> {
    const { sql, cells, from } = scope;
    const row = await this.#prepared(`"id" = ? AND ${sql}`, { from }).get(...(from?.cells ?? []), id, ...cells);
    return (row as Row | undefined) ?? this.#packed?.find(scope, id);
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

  parse({ query, isStrict }: Pick<ListRequest, 'query' | 'isStrict'>): Filter {
    return parseFilter(query, { ...this.#fields, isStrict }, { relations: this.#relations });
  }

  /** Returns the rows of the scope that match the caller's filter, as the JSON text of an array. */
  async list(scope: Scope, request: ListRequest): Promise<string> {
    const isPlain = !request.query.some(([name]) => name.startsWith('filter'));
    if (isPlain && !(await this.#packed?.within(scope, ALWAYS))) {
      const { sql, cells, from } = scope;
      const few = this.#prepared(`${sql} ORDER BY ${this.#order} LIMIT ${FEW + 1}`, { from });
      const rows = (await few.all(...(from?.cells ?? []), ...cells)) as Row[];
      if (rows.length <= FEW) {
        if (request.listed) request.listed.found ??= { hasMore: false, next: rows.length, total: rows.length };
        return JSON.stringify(rows.map((row) => presentRow(this.shape, row)));
      }
    }
    return this.listBy(this.parse(request), scope, request);
  }

  async listBy(filter: Filter, scope: Scope, request: ListRequest): Promise<string> {
    if (request.listed !== undefined && request.listed.found === undefined)
      return this.#listReporting(request.listed, filter, scope, request);
    const packed = await this.#packedIn(filter, scope, request.now);
    if (packed) return withoutCount(await this.#searchPacked(filter, scope, request, packed, filter.limit));
    const compiled = compileList(this.#db, this.table, this.#fields, scope, filter, request);
    if (compiled.cost === 'plain' && (await this.#isSmall(scope))) {
      const { rows } = await this.#db.query.executeQuery<Row>(CompiledQuery.raw(compiled.sql, [...compiled.cells]));
      return JSON.stringify(rows.map((row) => presentRow(compiled.shape, row)));
    }
    return this.#search(compiled, request.owner);
  }

  /** The same with metadata: reads one row more to know whether there are further rows. */
  async #listReporting(listed: Listed, filter: Filter, scope: Scope, request: ListRequest): Promise<string> {
    const { limit, skip } = filter;
    const options = { now: request.now };
    const oneMore = { ...filter, limit: limit + 1 };
    const compiled = compileList(this.#db, this.table, this.#fields, scope, oneMore, options);
    let text: string;
    let count: number;
    let hasMore: boolean;
    let last: Readonly<Record<string, unknown>> | undefined;
    const packed = await this.#packedIn(filter, scope, request.now);
    if (!packed && compiled.cost === 'plain' && (await this.#isSmall(scope))) {
      const { rows } = await this.#db.query.executeQuery<Row>(CompiledQuery.raw(compiled.sql, [...compiled.cells]));
      hasMore = rows.length > limit;
      count = Math.min(rows.length, limit);
      const shown = rows.slice(0, limit).map((row) => presentRow(compiled.shape, row));
      text = JSON.stringify(shown);
      last = shown.at(-1) as typeof last;
    } else {
      const { sql, cells, shape } = compiled;
      const found = packed
        ? await this.#searchPacked(oneMore, scope, request, packed, limit)
        : await this.#search({ sql, cells, shape, most: limit }, request.owner);
      const end = found.lastIndexOf('\n');
      text = found.slice(0, end);
      hasMore = found.endsWith('+');
      count = Number.parseInt(found.slice(end + 1), 10);
      if (hasMore && count > 0) last = JSON.parse(found.slice(found.indexOf('{', end), -1));
    }
    const isKnown = !hasMore && (count > 0 || skip === 0) && filter.whole === undefined;
    const where = filter.whole ?? filter.where;
    const total = isKnown
      ? skip + count
      : listed.isCounted
        ? await this.#countBy({ where }, scope, request)
        : undefined;
    const { timeRange } = this.#fields;
    const rangeFrom = timeRange ? cutFrom(filter.where.term, timeRange, request.now) : undefined;
    const after = hasMore && last !== undefined ? this.#after(filter, last) : undefined;
    listed.found = { hasMore, next: skip + count, after, total: listed.isCounted ? total : undefined, rangeFrom };
    return text;
  }

  /** The value of a filter's `after` to continue after a row; undefined if the order does not allow that. */
  #after({ where, order }: Filter, last: Readonly<Record<string, unknown>>): Record<string, unknown> | undefined {
    const leading = where.near === undefined ? leadingColumn(order, this.#fields) : undefined;
    const names = leading && [...new Set([leading.column, 'id'])];
    if (names?.every((name) => last[name] != null) !== true) return undefined;
    return Object.fromEntries(names.map((name) => [name, last[name]]));
  }

  async #countBy({ where }: Pick<Filter, 'where'>, scope: Scope, { owner }: ListRequest): Promise<number> {
    const range = this.#fields.timeRange ? rangeOf(where.term, this.#fields.timeRange) : undefined;
    const isPacked = await this.#packed?.within(scope, range ?? ALWAYS);
    const from = isPacked ? { ...scope, from: this.#packed!.source(scope) } : scope;
    const compiled = compileCount(this.#db, this.table, from, where);
    const search = { ...compiled, shape: [{ name: 'count', kind: 'integer' } as const] };
    const text = isPacked
      ? await this.#reported(this.#packed!.search(scope, { ...search, range: range ?? ALWAYS }, owner))
      : await this.#search(search, owner);
    return (JSON.parse(text) as [{ count: number }])[0].count;
  }

  /** Some rows of the scope in an order, and their total number, read consistently. */
  async page(scope: Scope, wanted: PageRequest, request: Omit<ListRequest, 'query'>): Promise<PageOf<Shown>> {
    const parsed = parseFilterObject({ where: wanted.where, order: wanted.order }, this.#fields);
    const filter = { ...parsed, limit: wanted.limit, skip: wanted.skip };
    const options = { now: request.now };
    const list = compileList(this.#db, this.table, this.#fields, scope, filter, options);
    const count = compileCount(this.#db, this.table, scope, filter.where);
    // A page beyond the last has no rows, but still has the total number.
    const sql = `SELECT "all"."count" AS "totalElements", "page".* FROM (${count.sql}) AS "all"
      LEFT JOIN (SELECT *, row_number() OVER () AS "place" FROM (${this.#sorted(list.sql, wanted.limit)}) AS "listed") AS "page" ON 1 = 1
      ORDER BY "page"."place"`;
    const shape: TableShape = [{ name: 'totalElements', kind: 'integer' }, ...this.shape];
    const text = await this.#search({ sql, cells: [...count.cells, ...list.cells], shape }, request.owner);
    const found = JSON.parse(text) as (Shown & { totalElements: number; id: number | null })[];
    const total = found[0]?.totalElements ?? 0;
    return { total, rows: found.filter(({ id }) => id !== null).map(({ totalElements: _, ...row }) => row as Shown) };
  }

  /** With several servers, results are merged in order only if there is a limit. */
  #sorted(list: string, limit: number): string {
    return /\bLIMIT \S+(?: OFFSET \S+)?\s*$/.test(list) ? list : `${list} LIMIT ${limit}`;
  }

  async count(scope: Scope, request: ListRequest): Promise<number> {
    return this.#countBy(
      { where: parseWhere(request.query, { ...this.#fields, isStrict: request.isStrict }) },
      scope,
      request,
    );
  }

  /** @param hidden values of columns that are not shown */
  async insert(values: Values<Shown>, on: AnyQuery = this.#db.query, hidden: Readonly<Row> = {}): Promise<Row> {
    const cells = { ...storeValues(this.shape, values), ...hidden };
    const row = this.#writer
      ? await this.#writer.insert(on, cells)
      : ((await on.insertInto(this.table).values(cells).returningAll().executeTakeFirstOrThrow()) as Row);
    noteCreated(() => JSON.stringify(this.present(row)));
    return row;
  }

  /**
   * The row after the change; undefined if it was deleted meanwhile.
   * @param within column values to locate the row
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
    if (this.#writer) return this.#writer.update(on, id, cells);
    return (await on
      .updateTable(this.table)
      .set(cells)
      .where((eb) => eb.and(of))
      .returningAll()
      .executeTakeFirst()) as Row | undefined;
  }

  async remove(id: number, on: AnyQuery = this.#db.query, within: Readonly<Row> = {}): Promise<boolean> {
    if (this.#writer) return (await this.#writer.remove(on, [id])) > 0;
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
    const next = this.#prepared(`${scope.sql} ORDER BY ${this.#order} LIMIT ${DELETE_CHUNK}`, { columns: '"id"' });
    for (;;) {
      const ids = ((await next.all(...scope.cells)) as Row[]).map((row) => row.id as number);
      if (ids.length === 0) return;
      await this.#db.transaction(async (tx) => {
        await this.#beforeRemoving?.(tx, ids);
        if (this.#writer) await this.#writer.remove(tx, ids);
        else {
          let deleting = tx.deleteFrom(this.table).where('id', 'in', ids);
          for (const [column, cell] of Object.entries(scope.within ?? {})) deleting = deleting.where(column, '=', cell);
          await deleting.execute();
        }
        await also?.(tx, ids);
      });
      await new Promise((resolve) => setImmediate(resolve));
    }
  }

  /** The range of packed rows that a list may include. */
  async #packedIn({ where }: Pick<Filter, 'where'>, scope: Scope, now: number): Promise<PackedIn | undefined> {
    const { timeRange } = this.#fields;
    if (this.#packed === undefined || timeRange === undefined) return undefined;
    const given = rangeOf(where.term, timeRange) ?? ALWAYS;
    const range = { ...given, from: cutFrom(where.term, timeRange, now) ?? given.from };
    const span = await this.#packed.within(scope, range);
    return span && { range, span };
  }

  /**
   * Searches packed and other rows, and returns the number found. With the newest first, unpacked rows are usually
   * sufficient.
   */
  async #searchPacked(
    filter: Filter,
    scope: Scope,
    { now, owner }: Pick<ListRequest, 'now' | 'owner'>,
    { range, span }: PackedIn,
    most: number,
  ): Promise<string> {
    const direction = this.#directionOf(filter);
    const compile = (base: Scope, shape = filter.shape) =>
      compileList(this.#db, this.table, this.#fields, base, { ...filter, shape }, { now });
    if (direction === 'descending') {
      const newer = { sql: `${scope.sql} AND "${this.#fields.timeRange}" > ?`, cells: [...scope.cells, span.last] };
      const { sql, cells, shape } = compile(newer);
      const found = await this.#search({ sql, cells, shape, most }, owner);
      if (found.endsWith('+') || Number.parseInt(found.slice(found.lastIndexOf('\n') + 1), 10) >= filter.limit)
        return found;
    }
    const hasId = filter.shape.some(({ name }) => name === 'id');
    const read: TableShape = hasId ? filter.shape : [...filter.shape, { name: 'id', kind: 'integer' }];
    const { sql, cells } = compile({ ...scope, from: this.#packed!.source(scope) }, read);
    const enough = filter.limit;
    return this.#reported(
      this.#packed!.search(scope, { sql, cells, shape: filter.shape, most, range, direction, enough }, owner),
    );
  }

  /** The direction of a filter's order by time; undefined for another order. */
  #directionOf({ where, order }: Filter): 'ascending' | 'descending' | undefined {
    if (where.near) return undefined;
    const [leading] = order;
    if (leading === undefined) return this.#fields.isByTime ? 'ascending' : undefined;
    if (leading.target.to !== 'column' || leading.target.column !== this.#fields.timeRange) return undefined;
    return leading.descending ? 'descending' : 'ascending';
  }

  #search(search: Omit<Search, 'owner'>, owner: string): Promise<string> {
    return this.#reported(this.#db.search({ ...search, owner }));
  }

  /** The result of a search, or the error that explains why it failed. */
  async #reported(search: Promise<string>): Promise<string> {
    try {
      return await search;
    } catch (error) {
      if (error instanceof SearchTooLong) {
        const hint = this.#fields.timeRange ?? 'a condition on an indexed field';
        throw badRequest(`too much to search: add ${hint} to where, or use a smaller limit`);
      }
      if (error instanceof SearchSlow) throw slow();
      if (error instanceof SearchesFull) {
        throw new Refusal(429, 'Too many searches at once: try again in a moment', { headers: { 'retry-after': '1' } });
      }
      throw error;
    }
  }

  /** For an embedded database only: others run queries in a process of their own anyway. */
  async #isSmall(scope: Scope): Promise<boolean> {
    if (!this.#db.dialect.isEmbedded) return false;
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
