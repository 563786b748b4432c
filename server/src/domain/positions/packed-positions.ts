import { type RawBuilder, type Selectable, sql } from 'kysely';
import { number, type PackedColumn, rowCodec, text } from '../../platform/packing/packed-rows.ts';
import type { PointRow } from '../schema/rows/tracking-rows.ts';

/** Positions of one device, packed: all that is stored of each but its device. */

type CellName = Exclude<PositionColumn, 'deviceId'>;
export type PackedPosition = Pick<StoredPosition, CellName>;

/**
 * Their order is written down in databases: a new column comes at the end. The compiler requires every column that
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
  locatingGateways: { ...text, isJson: true },
  isLocatedByGateways: number(),
  reportedHash: text,
  cell: { ...text, isJson: true },
};

const codec = rowCodec<PackedPosition>(COLUMNS);

export const PACKED_CELLS = codec.names as CellName[];

export const packPositions = (rows: readonly PackedPosition[]): Uint8Array => codec.pack(rows);

/** In the order of packing. */
export const unpackPositions = <Name extends CellName = CellName>(
  data: Uint8Array | string,
  wanted: readonly Name[] = PACKED_CELLS as Name[],
): Pick<PackedPosition, Name>[] => codec.unpack(data, wanted);

export const nullOf = (name: PositionColumn): RawBuilder<null> =>
  name === 'deviceId' ? sql`CAST(NULL AS BIGINT)` : codec.nullOf(name);

/** A position with all that is stored of it. */
export type StoredPosition = Readonly<Selectable<PointRow>>;
export type PositionColumn = keyof StoredPosition;
