import { createHash } from 'node:crypto';
import type { Client } from 'pg';
import type { Columns } from '../bulk.ts';
import type { Migration } from '../migrations.ts';
import { migratePostgres, UNFINISHED_MOVE } from '../postgres/migrate.ts';
import type { Cell } from '../shape.ts';

export interface TargetColumn {
  readonly name: string;
  readonly kind: Columns[string];
}

/** How far a table is. */
interface TableProgress {
  /** The row id of the last row that is there. */
  readonly after: number;
  readonly rows: number;
}

interface Constraint {
  readonly table: string;
  readonly name: string;
  readonly definition: string;
}

/** Prevents two moves to one database at the same time; no other advisory lock in this database has this number. */
const MOVE_LOCK = 7_223_119_483;
const LOCK_WAIT_MS = 30_000;

const KINDS: Readonly<Record<string, Columns[string]>> = {
  bigint: 'integer',
  integer: 'integer',
  smallint: 'integer',
  'double precision': 'number',
  text: 'text',
  jsonb: 'json',
  bytea: 'bytes',
};

const OWN_RELATIONS = `SELECT relname AS name FROM pg_class
  WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p', 'v', 'm', 'f')
  AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`;

/**
 * Prepares the database: a new move begins where nothing is, and an unfinished one of the same source goes on. Foreign
 * keys are taken off until all rows are there, and what they were is written down first.
 * @returns whether a move goes on that was begun before
 */
export async function prepareTarget(
  client: Client,
  { source, migrations }: { readonly source: string; readonly migrations: readonly Migration[] },
): Promise<boolean> {
  await client.query(`SET lock_timeout = ${LOCK_WAIT_MS}`);
  try {
    await client.query(`SELECT pg_advisory_lock(${MOVE_LOCK})`);
  } catch (error) {
    if ((error as { code?: string }).code !== '55P03') throw error;
    throw new MoveRefused('Another move to this database is in progress.');
  }
  const there = (await client.query<{ name: string }>(OWN_RELATIONS)).rows.map(({ name }) => name);
  const isBegun = there.includes(UNFINISHED_MOVE);
  if (isBegun) {
    const begun = await note<string>(client, 'source');
    if (begun !== source)
      throw new MoveRefused(
        'The database contains an unfinished move of another database. Finish that move, or drop the database and create it again.',
      );
  } else {
    if (there.length > 0)
      throw new MoveRefused(
        `The database is not empty: it has ${there.sort().slice(0, 3).join(', ')}${there.length > 3 ? ' and more' : ''}. Create a new one for the move.`,
      );
    await client.query('BEGIN');
    await client.query(`CREATE TABLE "${UNFINISHED_MOVE}" ("what" TEXT PRIMARY KEY, "value" JSONB NOT NULL)`);
    await setNote(client, 'source', source);
    await client.query('COMMIT');
  }
  await migratePostgres(client, migrations, () => {}, { isMoving: true });
  if ((await note(client, 'constraints')) === undefined) await takeConstraintsOff(client);
  return isBegun;
}

async function takeConstraintsOff(client: Client): Promise<void> {
  const { rows } = await client.query<Constraint>(
    `SELECT relname AS "table", conname AS "name", pg_get_constraintdef(pg_constraint.oid) AS "definition"
     FROM pg_constraint JOIN pg_class ON pg_class.oid = conrelid
     WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace)`,
  );
  await client.query('BEGIN');
  await setNote(client, 'constraints', rows);
  for (const { table, name } of rows) await client.query(`ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
  await client.query('COMMIT');
}

/** Puts back what was taken off, which checks every row, and forgets the move; within the caller's transaction. */
export async function completeTarget(client: Client): Promise<void> {
  for (const { table, name, definition } of (await note<Constraint[]>(client, 'constraints')) ?? [])
    await client.query(`ALTER TABLE "${table}" ADD CONSTRAINT "${name}" ${definition}`);
  await client.query(`DROP TABLE "${UNFINISHED_MOVE}"`);
}

export async function targetTables(client: Client): Promise<string[]> {
  const { rows } = await client.query<{ name: string }>(
    `${OWN_RELATIONS} AND relkind IN ('r', 'p') AND NOT relispartition ORDER BY 1`,
  );
  return rows.map(({ name }) => name).filter((name) => name !== UNFINISHED_MOVE);
}

/** The columns that can be written. */
export async function targetColumns(client: Client, table: string): Promise<TargetColumn[]> {
  const { rows } = await client.query<{ name: string; type: string }>(
    `SELECT attname AS "name", format_type(atttypid, NULL) AS "type" FROM pg_attribute
     WHERE attrelid = CAST($1 AS regclass) AND attnum > 0 AND NOT attisdropped AND attgenerated = '' ORDER BY attnum`,
    [`"${table}"`],
  );
  return rows.map(({ name, type }) => {
    const kind = KINDS[type];
    if (kind === undefined) throw new Error(`The column ${table}.${name} has the type ${type}, which is not moved.`);
    return { name, kind };
  });
}

/** Sets the sequence of the ids of a table behind the highest that was ever given. */
export async function setSequence(client: Client, table: string, highestId: number): Promise<void> {
  const { rows } = await client.query<{ sequence: string | null }>(
    `SELECT pg_get_serial_sequence($1, attname) AS "sequence" FROM pg_attribute
     WHERE attrelid = CAST($1 AS regclass) AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
       AND (attidentity <> '' OR atthasdef)`,
    [`"${table}"`],
  );
  for (const { sequence } of rows)
    if (sequence !== null && highestId > 0) await client.query('SELECT setval($1, $2)', [sequence, highestId]);
}

export const progressOf = (client: Client, table: string) => note<TableProgress>(client, `table ${table}`);
export const setProgress = (client: Client, table: string, progress: TableProgress) =>
  setNote(client, `table ${table}`, progress);

async function note<T>(client: Client, what: string): Promise<T | undefined> {
  const { rows } = await client.query(`SELECT "value" FROM "${UNFINISHED_MOVE}" WHERE "what" = $1`, [what]);
  // The connection reads JSON as text, as all of ours do.
  return rows.length === 0 ? undefined : (JSON.parse(rows[0].value) as T);
}

async function setNote(client: Client, what: string, value: unknown): Promise<void> {
  await client.query(
    `INSERT INTO "${UNFINISHED_MOVE}" ("what", "value") VALUES ($1, $2)
     ON CONFLICT ("what") DO UPDATE SET "value" = excluded."value"`,
    [what, JSON.stringify(value)],
  );
}

/** Why a move does not begin, or does not go on: a whole sentence for the operator. */
export class MoveRefused extends Error {}

const MODULUS = 2n ** 128n;

/** What a set of rows is recognised by, in whatever order they come. */
export class Checksum {
  readonly #isJson: readonly boolean[];
  #sum = 0n;
  rows = 0;

  constructor(columns: readonly TargetColumn[]) {
    this.#isJson = columns.map(({ kind }) => kind === 'json');
  }

  add(cells: readonly Cell[]): void {
    const text = JSON.stringify(cells.map((cell, index) => this.#canonical(cell, this.#isJson[index]!)));
    const hash = createHash('sha256').update(text).digest();
    this.#sum = (this.#sum + ((hash.readBigUInt64BE(0) << 64n) | hash.readBigUInt64BE(8))) % MODULUS;
    this.rows += 1;
  }

  /** PostgreSQL keeps what a JSON text means, not how it was written. */
  #canonical(cell: Cell, isJson: boolean): string | null {
    if (cell === null) return null;
    return isJson ? sorted(JSON.parse(String(cell))) : String(cell);
  }

  toString(): string {
    return `${this.rows} rows, ${this.#sum.toString(16).padStart(32, '0')}`;
  }
}

const sorted = (value: unknown): string =>
  JSON.stringify(value, (_, inner) =>
    inner !== null && typeof inner === 'object' && !Array.isArray(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  );
