import { type RawBuilder, sql } from 'kysely';
import { type PackedColumn, packRows, unpackRows } from '../../platform/packing/packed-rows.ts';
import type { Cell } from '../../platform/storage/shape.ts';
import type { PositionColumn, StoredPosition } from './stored-position.ts';

/** Positions of one device, packed: all that is stored of each but its device. */

type CellName = Exclude<PositionColumn, 'deviceId'>;
export type PackedPosition = Pick<StoredPosition, CellName>;

const number = (decimals = 0) => ({ kind: 'number', decimals }) as const;
const text = { kind: 'text' } as const;

/**
 * Their order is written down in databases: a new column comes at the end. The compiler asks for every column that
 * positions have, since one that is not here would be lost.
 */
const COLUMNS: Readonly<Record<CellName, Omit<PackedColumn, 'name'>>> = {
  timestamp: number(),
  id: number(),
  created: { ...number(), against: 'timestamp' },
  locationLat: number(7),
  locationLng: number(7),
  speed: number(2),
  altitude: number(2),
  course: number(2),
  accuracy: number(2),
  locationType: text,
  sats: number(),
  hdop: number(3),
  batteryPct: number(2),
  batteryVoltage: number(3),
  averageCharge: number(),
  sendReason: number(),
  alertType: number(),
  mode: number(),
  gsmSignal: number(2),
  address: text,
  correlationId: text,
  stringValue: text,
  currentUsed: number(2),
  num_value: text,
  judged: text,
  heardBy: text,
  isHeard: number(),
  reportedHash: text,
};

export const PACKED_CELLS = Object.keys(COLUMNS) as CellName[];
const PACKED: readonly PackedColumn[] = PACKED_CELLS.map((name) => ({ name, ...COLUMNS[name] }));

export const packPositions = (rows: readonly PackedPosition[]): Uint8Array =>
  packRows(PACKED, rows.length, (name) => rows.map((row) => row[name as CellName]));

/** In the order in which they were packed. */
export function unpackPositions<Name extends CellName = CellName>(
  data: Uint8Array,
  wanted: readonly Name[] = PACKED_CELLS as Name[],
): Pick<PackedPosition, Name>[] {
  const { count, cellsOf } = unpackRows(PACKED, data, new Set(wanted));
  const columns = wanted.map((name) => cellsOf(name));
  const rows: Pick<PackedPosition, Name>[] = [];
  for (let index = 0; index < count; index += 1) {
    const row: Record<string, Cell> = {};
    for (let column = 0; column < wanted.length; column += 1) row[wanted[column]!] = columns[column]![index]!;
    // Each cell comes from the column of its name: no type can follow that.
    rows.push(row as unknown as Pick<PackedPosition, Name>);
  }
  return rows;
}

/** Null with the type that the column has on PostgreSQL, which insists on it where rows of two kinds are joined. */
export function nullOf(name: PositionColumn): RawBuilder<null> {
  if (name === 'heardBy') return sql`CAST(NULL AS JSONB)`;
  if (name === 'deviceId') return sql`CAST(NULL AS BIGINT)`;
  const { kind, decimals } = COLUMNS[name];
  if (kind === 'text') return sql`CAST(NULL AS TEXT)`;
  return decimals ? sql`CAST(NULL AS DOUBLE PRECISION)` : sql`CAST(NULL AS BIGINT)`;
}
