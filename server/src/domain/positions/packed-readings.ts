import { number, type PackedColumn, rowCodec, text } from '../../platform/packing/packed-rows.ts';
import { shortHash } from './identity.ts';
import type { ReadingColumn, ReadingPair, StoredReadingRow } from './stored-reading.ts';

/** Readings of one pair of devices, packed: all stored columns except the two devices. */

type CellName = Exclude<ReadingColumn, keyof ReadingPair>;
export type PackedReadingCells = Pick<StoredReadingRow, CellName>;

/**
 * Their order is written down in databases: a new column comes at the end. The compiler requires every column that
 * readings have, since one that is not here would be lost.
 */
const COLUMNS: Readonly<Record<CellName, Omit<PackedColumn, 'name'>>> = {
  timestamp: number(),
  id: number(),
  created: { ...number(), against: 'timestamp' },
  type: text,
  value: { ...text, kindIn: 'type', isJson: true },
  rssi: number(2),
  meta: { ...text, isJson: true },
  relatedId: number(),
  correlationId: text,
  sensorDeviceId: text,
  datapointId: number(),
  hash: text,
};

const codec = rowCodec<PackedReadingCells>(COLUMNS);

const READING_CELLS = codec.names as CellName[];
export const nullOfReading = (name: CellName) => codec.nullOf(name);

/** In place of a hash that follows from the rest, as it mostly does: it could not be made shorter otherwise. */
const FOLLOWS = '';

type Recognised = Pick<StoredReadingRow, 'timestamp' | 'type' | 'value' | 'sensorDeviceId'>;

/** What a reading that is reported twice is recognised by. `value` is what JSON would be made of it. */
export const readingHash = ({ timestamp, type, value, sensorDeviceId }: Recognised): string =>
  shortHash(JSON.stringify({ timestamp, type, value, sensorDeviceId }));

/** PostgreSQL writes JSON in its own way. */
const hashOf = (reading: Recognised) =>
  readingHash({ ...reading, value: JSON.stringify(JSON.parse(reading.value) as unknown) });

export const packReadings = (readings: readonly PackedReadingCells[]): Uint8Array =>
  codec.pack(
    readings.map((reading) =>
      reading.hash !== null && reading.hash === hashOf(reading) ? { ...reading, hash: FOLLOWS } : reading,
    ),
  );

const RECOGNISED = ['timestamp', 'type', 'value', 'sensorDeviceId'] as const;

/** In the order of packing. */
export function unpackReadings<Name extends CellName = CellName>(
  data: Uint8Array | string,
  wanted: readonly Name[] = READING_CELLS as Name[],
): Pick<PackedReadingCells, Name>[] {
  if (!(wanted as readonly CellName[]).includes('hash')) return codec.unpack(data, wanted);
  const needed = [...new Set<CellName>([...wanted, ...RECOGNISED])];
  const readings = codec.unpack(data, needed) as PackedReadingCells[];
  for (const reading of readings) if (reading.hash === FOLLOWS) reading.hash = hashOf(reading);
  return readings;
}
