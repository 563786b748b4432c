import type { Selectable } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** A reading as a row holds it. */
export type StoredReadingRow = Omit<Selectable<Tables['gatewayReadings']>, 'reporterId'>;
export type ReadingColumn = keyof StoredReadingRow;

/**
 * Selects readings by the reporting device and by the device they are about; null selects readings without such a
 * device.
 */
export interface ReadingScope {
  readonly gatewayId?: number | null;
  readonly deviceId?: number | null;
}

export type ReadingPair = Required<ReadingScope>;

/** The reporting device: the rows are stored with this device, and packing and unpacking takes its lock. */
export const keeperOf = ({ gatewayId, deviceId }: ReadingPair): number => gatewayId ?? deviceId ?? 0;

/** Readings that report another device near a gateway. */

/** A LoRa gateway receives devices many kilometres away, so such a reading does not locate the device. */
const FAR_TYPES: readonly string[] = ['lora_seen'];

interface ReadingKey {
  readonly gatewayId: number | null;
  readonly deviceId: number | null;
  readonly type: string;
}

/** Whether a reading reports another device near a gateway. */
export const isSighting = ({ gatewayId, deviceId, type }: ReadingKey) =>
  gatewayId !== null && deviceId !== null && gatewayId !== deviceId && !FAR_TYPES.includes(type);

/** The same as SQL, about a row of readings. */
export const sightingText = (row: string) =>
  `${row}."gatewayId" IS NOT NULL AND ${row}."gatewayId" <> ${row}."deviceId" AND ${row}."type" NOT IN (${FAR_TYPES.map((type) => `'${type}'`)})`;
