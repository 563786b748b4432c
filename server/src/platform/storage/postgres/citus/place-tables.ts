import type { Client } from 'pg';
import type { Placement, Placements } from '../../placement.ts';
import { HASH_PARTS } from './shards.ts';
import { endSpread, notedOfSpread, noteSpread } from './spread-notes.ts';
import { countWorkers } from './workers.ts';

/** The progress, reported before each table. */
export interface SpreadProgress {
  readonly table: string;
  /** How many tables are placed, of all. */
  readonly done: number;
  readonly of: number;
  readonly place: TablePlace;
  /** About how many rows the table has. */
  readonly rows: number;
}

/**
 * The number of parts into which all distributed tables are cut, and so the most workers that can share them. What is stored
 * together is of one part, so fewer of them are quicker; a few for each worker let a database grow to as many times its
 * workers, and be shared evenly among them.
 */
const PARTS_PER_WORKER = 4;
const LEAST_PARTS = 8;
export const KEYS = 'foreign keys';

export interface SpreadOptions {
  readonly report?: (progress: SpreadProgress) => void;
  /** Into how many parts tables are cut, where none is spread yet; follows from the workers where it is not said. */
  readonly parts?: number | undefined;
}

/** One in parts has the rows of its parts. */
const TABLES = `SELECT relname AS "name", GREATEST(reltuples, 0) + (SELECT COALESCE(SUM(GREATEST(part.reltuples, 0)), 0)
    FROM pg_inherits JOIN pg_class AS part ON part.oid = inhrelid WHERE inhparent = pg_class.oid) AS "rows" FROM pg_class
  WHERE relnamespace = CAST(current_schema() AS regnamespace) AND relkind IN ('r', 'p') AND NOT relispartition
  AND NOT EXISTS (SELECT 1 FROM pg_depend WHERE objid = pg_class.oid AND deptype = 'e')`;
/** The metadata of Citus about a table. A shell is what is left of a distributed one at the coordinator. */
const PLACED = `SELECT relname AS "name", "partmethod", "repmodel" FROM pg_dist_partition
  JOIN pg_class ON pg_class.oid = "logicalrelid" WHERE relnamespace = CAST(current_schema() AS regnamespace)`;

const HAS_KEY = `SELECT 1 FROM pg_index WHERE indrelid = CAST($1 AS regclass) AND indisprimary`;

interface PlacedRow {
  readonly name: string;
  readonly partmethod: string;
  readonly repmodel: string;
}

/**
 * Brings every table to its place. Each is one transaction; after a crash the next run continues. Keys that would cross
 * servers are dropped for good, all others are put back at the end.
 *
 * The caller holds the lock of migrations as one of its session, and the connection has no statement timeout.
 */
export async function placeTables(
  client: Client,
  placements: Placements,
  { report = () => {}, parts }: SpreadOptions = {},
): Promise<void> {
  const due = await dueTables(client, placements);
  if (due.length > 0) {
    await takeKeysOff(client, due, placements);
    const of = Object.keys(placements).length;
    for (const [index, { name, place, rows }] of due.entries()) {
      report({ table: name, done: of - due.length + index, of, place, rows });
      await inTransaction(client, () => bring(client, name, place, { placements, parts }));
    }
  }
  await putKeysBack(client, placements);
  await dropLeftovers(client, placements);
}

interface DueTable {
  readonly name: string;
  readonly place: TablePlace;
  readonly rows: number;
}

/** The tables that are not at their place, in the order of moving: the largest ones last. */
export async function dueTables(client: Client, placements: Placements): Promise<DueTable[]> {
  const there = new Map<string, number>(
    (await client.query(TABLES)).rows.map(({ name, rows }) => [name, Number(rows)]),
  );
  const placed = new Map((await client.query<PlacedRow>(PLACED)).rows.map((row) => [row.name, placeOf(row)]));
  return Object.entries(placements)
    .filter(([name, { place }]) => there.has(name) && placed.get(name) !== place)
    .map(([name, { place }]) => ({ name, place, rows: there.get(name)! }))
    .sort((a, b) => ORDER.indexOf(a.place) - ORDER.indexOf(b.place) || a.rows - b.rows);
}

const ORDER: readonly TablePlace[] = ['reference', 'local', 'distributed'];

/** Whether any table was placed before. */
export const isSpread = async (client: Client, placements: Placements) =>
  (await client.query<PlacedRow>(PLACED)).rows.some((row) => placements[row.name] !== undefined);

function placeOf({ partmethod, repmodel }: PlacedRow): TablePlace {
  if (partmethod === 'h') return 'distributed';
  return repmodel === 't' ? 'reference' : 'local';
}

async function bring(
  client: Client,
  table: string,
  place: TablePlace,
  { placements, parts }: { placements: Placements; parts: number | undefined },
): Promise<void> {
  const name = `"${table}"`;
  const known = (await client.query<PlacedRow>(PLACED)).rows.some((row) => row.name === table);
  // It was at another place before.
  if (known) await keepSequences(client, table, () => client.query('SELECT undistribute_table($1)', [name]));
  const placement = placements[table]!;
  if (placement.place === 'distributed') {
    // By what rows are known while a part of the table moves to another worker, and is written at the same time.
    if ((await client.query(HAS_KEY, [name])).rows.length === 0)
      await client.query(`ALTER TABLE ${name} REPLICA IDENTITY FULL`);
    const { rows } = await client.query<PlacedRow>(PLACED);
    const other = rows.find((row) => placeOf(row) === 'distributed' && placements[row.name] !== undefined);
    await client.query(`SELECT create_distributed_table($1, $2, colocate_with => $3, shard_count => $4)`, [
      name,
      placement.by,
      other === undefined ? 'none' : `"${other.name}"`,
      // A number of parts can't be given where the other table has it already.
      other === undefined ? (parts ?? (await partsForWorkers(client))) : null,
    ]);
    return;
  }
  // A local one is made known too: then keys to copies are held.
  const how = place === 'reference' ? 'create_reference_table' : 'citus_add_local_table_to_metadata';
  await keepSequences(client, table, () => client.query(`SELECT ${how}($1)`, [name]));
}

/** A power of two: see `isShardCount`. */
async function partsForWorkers(client: Client): Promise<number> {
  const least = Math.max(LEAST_PARTS, PARTS_PER_WORKER * (await countWorkers(client)));
  return Math.min(HASH_PARTS, 2 ** Math.ceil(Math.log2(least)));
}

async function takeKeysOff(client: Client, due: readonly DueTable[], placements: Placements): Promise<void> {
  const names = new Set(due.map(({ name }) => name));
  const concerned = (await foreignKeys(client)).filter((key) => names.has(key.table) || names.has(key.refersTo));
  if (concerned.length === 0) return;
  await inTransaction(client, async () => {
    const noted = (await notedOfSpread<ForeignKey[]>(client, KEYS)) ?? [];
    await noteSpread(client, KEYS, [...noted, ...concerned.filter((key) => canBeHeld(key, placements))]);
    for (const { table, name } of concerned) await client.query(`ALTER TABLE "${table}" DROP CONSTRAINT "${name}"`);
  });
}

async function putKeysBack(client: Client, placements: Placements): Promise<void> {
  const noted = await notedOfSpread<ForeignKey[]>(client, KEYS);
  if (noted === undefined) return;
  await inTransaction(client, async () => {
    // Rows were checked by the same keys before.
    await client.query('SET LOCAL citus.skip_constraint_validation = on');
    for (const key of noted.filter((one) => canBeHeld(one, placements)))
      await client.query(`ALTER TABLE "${key.table}" ADD CONSTRAINT "${key.name}" ${key.definition}`);
    await endSpread(client);
  });
}

const BYTES = `SELECT SUM(pg_relation_size(relid)) AS "bytes" FROM (
  SELECT CAST($1 AS regclass) AS relid UNION SELECT inhrelid FROM pg_inherits WHERE inhparent = CAST($1 AS regclass)
) AS "table"`;

/** The rows that a distributed table had at the coordinator: they are not visible any more. */
async function dropLeftovers(client: Client, placements: Placements): Promise<void> {
  const { rows } = await client.query<PlacedRow>(PLACED);
  for (const row of rows) {
    if (placeOf(row) !== 'distributed' || placements[row.name] === undefined) continue;
    const size = await client.query(BYTES, [`"${row.name}"`]);
    if (Number(size.rows[0].bytes) > 0)
      await client.query('SELECT truncate_local_data_after_distributing_table($1)', [`"${row.name}"`]);
  }
}

async function inTransaction(client: Client, work: () => Promise<unknown>): Promise<void> {
  await client.query('BEGIN');
  try {
    await work();
    await client.query('COMMIT');
  } catch (error) {
    await client.query('ROLLBACK').catch(() => {});
    throw error;
  }
}

/** The sequences of the ids of a table, with the last number of each. */
const SEQUENCES = `SELECT attname AS "column", pg_get_serial_sequence(quote_ident(relname), attname) AS "sequence"
  FROM pg_attribute JOIN pg_class ON pg_class.oid = attrelid
  WHERE attrelid = CAST($1 AS regclass) AND attnum > 0 AND NOT attisdropped
  AND pg_get_serial_sequence(quote_ident(relname), attname) IS NOT NULL`;

interface SequenceState {
  readonly column: string;
  readonly last: string;
  readonly isUsed: boolean;
}

/** Does what makes a table anew, and lets its ids count on: Citus restarts sequences of what it makes local or copies. */
async function keepSequences(client: Client, table: string, work: () => Promise<unknown>): Promise<void> {
  const before = await statesOf(client, table);
  await work();
  const { rows } = await client.query(SEQUENCES, [`"${table}"`]);
  for (const { column, sequence } of rows) {
    const state = before.find((one) => one.column === column);
    if (state) await client.query('SELECT setval($1, $2, $3)', [sequence, state.last, state.isUsed]);
  }
}

async function statesOf(client: Client, table: string): Promise<SequenceState[]> {
  const { rows } = await client.query(SEQUENCES, [`"${table}"`]);
  const states: SequenceState[] = [];
  for (const { column, sequence } of rows) {
    const [state] = (
      await client.query(`SELECT CAST(last_value AS TEXT) AS "last", is_called AS "isUsed" FROM ${sequence}`)
    ).rows;
    states.push({ column, last: state.last, isUsed: Boolean(state.isUsed) });
  }
  return states;
}

type TablePlace = Placement['place'];

interface ForeignKey {
  readonly table: string;
  readonly name: string;
  readonly refersTo: string;
  readonly definition: string;
  /** The columns of the table that refer. */
  readonly columns: readonly string[];
}

const FOREIGN_KEYS = `SELECT "from".relname AS "table", conname AS "name", "to".relname AS "refersTo",
    pg_get_constraintdef(pg_constraint.oid) AS "definition",
    (SELECT CAST(json_agg(attname) AS TEXT) FROM pg_attribute WHERE attrelid = conrelid AND attnum = ANY(conkey)) AS "columns"
  FROM pg_constraint JOIN pg_class AS "from" ON "from".oid = conrelid JOIN pg_class AS "to" ON "to".oid = confrelid
  WHERE contype = 'f' AND connamespace = CAST(current_schema() AS regnamespace) AND conparentid = 0
  ORDER BY 1, 2`;

async function foreignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query(FOREIGN_KEYS);
  return rows.map((row) => ({ ...row, columns: JSON.parse(row.columns) }));
}

/** Which tables a table of each placement can refer to, so that every server can hold the key by itself. */
const CAN_REFER_TO: Readonly<Record<TablePlace, readonly TablePlace[]>> = {
  local: ['local', 'reference'],
  reference: ['reference'],
  distributed: ['reference', 'distributed'],
};

const LOCAL: Placement = { place: 'local' };

function canBeHeld({ table, refersTo, columns }: ForeignKey, placements: Placements): boolean {
  const from = placements[table] ?? LOCAL;
  const to = placements[refersTo] ?? LOCAL;
  if (!CAN_REFER_TO[from.place].includes(to.place)) return false;
  return to.place !== 'distributed' || (from.place === 'distributed' && columns.includes(from.by));
}
