import type { Client } from 'pg';

/** The sequences by which a table hands out ids, with the last number that each has given. */
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
export async function keepSequences(client: Client, table: string, work: () => Promise<unknown>): Promise<void> {
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
