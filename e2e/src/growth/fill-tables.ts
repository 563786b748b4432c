import { DatabaseSync } from 'node:sqlite';

interface Column {
  readonly name: string;
  readonly type: string;
  readonly pk: number;
}

/** A text that is also JSON, with what a careless copy would change: the order of keys, letters, large numbers. */
const TEXT =
  '{"z": 1, "a": "ä \\u20ac 🙂 \\"quoted\\", {braces}, back\\\\slash\\n", "n": [1.50, 1e3, null, true, 12345678901]}';
const BLOB = Uint8Array.of(0, 255, 92, 120, 10);
const VALUES: Readonly<Record<string, string | number | Uint8Array>> = { INTEGER: 7, REAL: 0.1, TEXT, BLOB };

/** What a server that runs on it afterwards must be able to read. */
const READABLE: Readonly<Record<string, string | number>> = {
  'nodes.figures': '{"reportsPerMinute": 0, "positionsPerMinute": 0, "streams": 0, "memoryBytes": 0}',
  'nodes.owns': '{}',
  'unknownTrackers.otherNames': '[]',
};

/** A link is of a device or of a group; a grant is of a group or a list, to a user or an address. */
const LEFT_OUT: readonly string[] = ['links.groupId', 'grants.groupId', 'grants.email'];

/** Puts a row into each table of a database that has none, so that nothing is untried. Returns all tables. */
export function fillEmptyTables(file: string): string[] {
  const database = new DatabaseSync(file);
  try {
    const tables = database
      .prepare(
        `SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite%' AND name <> 'migrations'`,
      )
      .all()
      .map(({ name }) => String(name));
    const isEmpty = (table: string) => database.prepare(`SELECT 1 FROM "${table}" LIMIT 1`).get() === undefined;
    // A table may refer to one that is filled after it.
    for (let before = -1, left = tables.filter(isEmpty); left.length > 0 && left.length !== before; ) {
      before = left.length;
      for (const table of left) fill(database, table);
      left = tables.filter(isEmpty);
    }
    return tables;
  } finally {
    database.close();
  }
}

function fill(database: DatabaseSync, table: string): void {
  const columns = database.prepare(`SELECT name, type, pk FROM pragma_table_info(?)`).all(table) as unknown as Column[];
  const references = new Map(
    database
      .prepare(`SELECT "from" AS name, "table" AS other, "to" AS key FROM pragma_foreign_key_list(?)`)
      .all(table)
      .map(({ name, other, key }) => [String(name), { other: String(other), key: String(key) }]),
  );
  const row: Record<string, string | number | Uint8Array | null> = {};
  for (const { name, type, pk } of columns) {
    if (LEFT_OUT.includes(`${table}.${name}`)) continue;
    const reference = references.get(name);
    if (reference !== undefined && reference.other !== table) {
      const there = database.prepare(`SELECT * FROM "${reference.other}" LIMIT 1`).get();
      if (there === undefined) return;
      row[name] = there[reference.key] as number;
      // What a row of a device refers to is of the same device.
      if ('deviceId' in there && 'deviceId' in row) row.deviceId = there.deviceId as number;
    } else if (reference === undefined && !(pk === 1 && name === 'id' && type === 'INTEGER'))
      row[name] = READABLE[`${table}.${name}`] ?? VALUES[type]!;
  }
  const names = Object.keys(row);
  database
    .prepare(
      `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    )
    .run(...Object.values(row));
}
