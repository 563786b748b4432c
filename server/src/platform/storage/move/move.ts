import type { Client } from 'pg';
import { postgresRows } from '../bulk.ts';
import type { Migration } from '../migrations.ts';
import type { Cell } from '../shape.ts';
import type { MoveSource } from './source.ts';
import {
  Checksum,
  completeTarget,
  MoveRefused,
  prepareTarget,
  progressOf,
  setProgress,
  setSequence,
  type TargetColumn,
  targetColumns,
  targetTables,
} from './target.ts';

export interface MoveProgress {
  readonly step: 'copy' | 'compare';
  readonly table: string;
  readonly rows: number;
  readonly of: number;
}

interface MoveOptions {
  /** What the source is recognised by when a move goes on. */
  readonly sourceName: string;
  readonly migrations: readonly Migration[];
  /** Tables that the target fills by itself. */
  readonly skipped: readonly string[];
  /** By table: SQL that selects the rows to move, if not all; the same text on both engines. */
  readonly conditions: Readonly<Record<string, string>>;
  /** The value of a column that the target alone has, or has in another form; undefined where it is that of the source. */
  computed(table: string, column: string, cell: (column: string) => Cell): Cell | undefined;
  /** What the target needs before it takes rows. */
  prepare?(client: Client): Promise<void>;
  /** The last statements, in the transaction that ends the move. */
  finish(client: Client): Promise<void>;
  report(progress: MoveProgress): void;
}

export interface MoveResult {
  readonly isResumed: boolean;
  readonly tables: readonly { readonly table: string; readonly rows: number; readonly checksum: string }[];
}

interface TablePlan {
  readonly table: string;
  readonly condition: string;
  /** The columns of the source, in the order of reading. */
  readonly read: readonly string[];
  readonly columns: readonly TargetColumn[];
  readonly rows: number;
  /** The cells of a row as the target has them. */
  cellsOf(row: readonly Cell[]): Cell[];
}

const FETCH_ROWS = 2000;

/**
 * Moves all rows from SQLite to PostgreSQL. Each slice of rows is one transaction with the note how far the table is, so
 * an interruption at any point is made good by running it again. At the end both are read whole and compared.
 */
export async function move(source: MoveSource, client: Client, options: MoveOptions): Promise<MoveResult> {
  const { sourceName, migrations } = options;
  const isResumed = await prepareTarget(client, { source: sourceName, migrations });
  // The commit that ends the move waits for the disk, and with it for all before it.
  await client.query('SET synchronous_commit = off');
  await options.prepare?.(client);
  const plans = await planOf(source, client, options);
  for (const plan of plans) await copy(source, client, plan, options);
  const compared = new Map<string, Comparison>();
  for (const plan of plans) compared.set(plan.table, await compare(source, client, plan, options));
  const differing = plans.filter(({ table }) => !compared.get(table)!.isSame);
  if (isResumed)
    // The source was changed since these rows were copied.
    for (const plan of differing) {
      await setProgressAnew(client, plan);
      await copy(source, client, plan, options);
      compared.set(plan.table, await compare(source, client, plan, options));
    }
  const wrong = plans.filter(({ table }) => !compared.get(table)!.isSame).map(({ table }) => table);
  if (wrong.length > 0)
    throw new MoveRefused(
      `These tables differ after the move: ${wrong.map((table) => `${table} (${compared.get(table)!.both})`).join('; ')}. Run it again to copy them again.`,
    );
  await complete(source, client, plans, options);
  return {
    isResumed,
    tables: plans.map(({ table, rows }) => ({ table, rows, checksum: compared.get(table)!.checksum })),
  };
}

async function planOf(source: MoveSource, client: Client, options: MoveOptions): Promise<TablePlan[]> {
  const { skipped, conditions } = options;
  const isMoved = (table: string) => !skipped.includes(table);
  const tables = (await targetTables(client)).filter(isMoved);
  const astray = source.tables.filter((table) => isMoved(table) && !tables.includes(table));
  const unknown = tables.filter((table) => !source.tables.includes(table));
  if (astray.length + unknown.length > 0)
    throw new Error(`These tables are on one side only: ${[...astray, ...unknown].join(', ')}.`);
  const plans: TablePlan[] = [];
  for (const table of tables) {
    const condition = conditions[table] ?? 'TRUE';
    const columns = await targetColumns(client, table);
    const read = source.columns(table);
    const lost = read.filter((name) => columns.every((column) => column.name !== name));
    if (lost.length > 0) throw new Error(`The target has no columns ${lost.join(', ')} of ${table}.`);
    plans.push({
      table,
      condition,
      read,
      columns,
      rows: source.count(table, condition),
      cellsOf: cellsOf(table, read, columns, options.computed),
    });
  }
  return plans;
}

function cellsOf(
  table: string,
  read: readonly string[],
  columns: readonly TargetColumn[],
  computed: MoveOptions['computed'],
): TablePlan['cellsOf'] {
  const places = columns.map(({ name }) => read.indexOf(name));
  return (row) =>
    columns.map(({ name }, index) => {
      const value = computed(table, name, (column) => row[read.indexOf(column)]!);
      if (value !== undefined) return value;
      if (places[index]! < 0) throw new Error(`Nothing is known for the column ${table}.${name}.`);
      return row[places[index]!]!;
    });
}

async function copy(source: MoveSource, client: Client, plan: TablePlan, { report }: MoveOptions): Promise<void> {
  const { table, condition, read, columns, cellsOf } = plan;
  let progress = (await progressOf(client, table)) ?? (await setProgressAnew(client, plan));
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  const statement = {
    columns: Object.fromEntries(columns.map(({ name, kind }) => [name, kind])),
    sqlite: '',
    postgres: `INSERT INTO "${table}" (${names}) SELECT ${names} FROM given`,
  };
  for (;;) {
    report({ step: 'copy', table, rows: progress.rows, of: plan.rows });
    const slice = source.slice(table, read, condition, progress.after);
    if (slice === undefined) return;
    const { sql, cells } = postgresRows(statement, slice.rows.map(cellsOf));
    progress = { after: slice.last, rows: progress.rows + slice.rows.length };
    await client.query('BEGIN');
    await inTable(table, client.query(sql, [...cells]));
    await setProgress(client, table, progress);
    await client.query('COMMIT');
  }
}

/** What the migrations put into a table, or an earlier try, makes room for the rows of the source. */
async function setProgressAnew(client: Client, { table }: TablePlan) {
  const progress = { after: Number.MIN_SAFE_INTEGER, rows: 0 };
  await client.query('BEGIN');
  await client.query(`TRUNCATE "${table}"`);
  await setProgress(client, table, progress);
  await client.query('COMMIT');
  return progress;
}

async function inTable<T>(table: string, work: Promise<T>): Promise<T> {
  try {
    return await work;
  } catch (error) {
    const { code, message } = error as { code?: string; message: string };
    // Of the classes of errors, these are about the rows and not about the server.
    if (!/^(22|23)/.test(code ?? '')) throw error;
    throw new MoveRefused(`PostgreSQL rejects a row of ${table}: ${message}.`, { cause: error });
  }
}

interface Comparison {
  readonly isSame: boolean;
  readonly checksum: string;
  readonly both: string;
}

async function compare(
  source: MoveSource,
  client: Client,
  plan: TablePlan,
  { report }: MoveOptions,
): Promise<Comparison> {
  const { table, condition, read, columns, cellsOf, rows } = plan;
  const [before, after] = [new Checksum(columns), new Checksum(columns)];
  let from = Number.MIN_SAFE_INTEGER;
  for (let slice = source.slice(table, read, condition, from); slice !== undefined; ) {
    for (const row of slice.rows) before.add(cellsOf(row));
    report({ step: 'compare', table, rows: before.rows / 2, of: rows });
    from = slice.last;
    slice = source.slice(table, read, condition, from);
  }
  const names = columns.map(({ name }) => `"${name}"`).join(', ');
  await client.query('BEGIN');
  await client.query(`DECLARE "moved" NO SCROLL CURSOR FOR SELECT ${names} FROM "${table}" WHERE ${condition}`);
  for (;;) {
    const fetched = await client.query<Cell[]>({ text: `FETCH ${FETCH_ROWS} FROM "moved"`, rowMode: 'array' });
    if (fetched.rows.length === 0) break;
    for (const row of fetched.rows) after.add(row);
    report({ step: 'compare', table, rows: (before.rows + after.rows) / 2, of: rows });
  }
  await client.query('COMMIT');
  report({ step: 'compare', table, rows, of: rows });
  return { isSame: `${before}` === `${after}`, checksum: `${after}`, both: `${before} there, ${after} here` };
}

async function complete(
  source: MoveSource,
  client: Client,
  plans: readonly TablePlan[],
  { finish }: MoveOptions,
): Promise<void> {
  await client.query('BEGIN');
  await client.query('SET LOCAL synchronous_commit = on');
  for (const { table } of plans) await setSequence(client, table, source.highestId(table));
  await finish(client);
  await completeTarget(client);
  await client.query('COMMIT');
  // Without it the first queries would be planned as for empty tables.
  await client.query('ANALYZE');
}
