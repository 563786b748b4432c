import type { Client } from 'pg';
import type { Placement, Placements } from '../../placement.ts';

export type TablePlace = Placement['place'];

/** By which rows are spread; a part of the primary key of every distributed table. */
export const DISTRIBUTION_COLUMN = 'slot';

export interface ForeignKey {
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

export async function foreignKeys(client: Client): Promise<ForeignKey[]> {
  const { rows } = await client.query(FOREIGN_KEYS);
  return rows.map((row) => ({ ...row, columns: JSON.parse(row.columns) }));
}

/** Which tables a table of each placement can refer to, so that every server can hold the key by itself. */
const CAN_REFER_TO: Readonly<Record<TablePlace, readonly TablePlace[]>> = {
  local: ['local', 'reference'],
  reference: ['reference'],
  distributed: ['reference', 'distributed'],
};

export function canBeHeld({ table, refersTo, columns }: ForeignKey, placements: Placements): boolean {
  const from = placements[table]?.place ?? 'local';
  const to = placements[refersTo]?.place ?? 'local';
  return CAN_REFER_TO[from].includes(to) && (to !== 'distributed' || columns.includes(DISTRIBUTION_COLUMN));
}
