import type { Selectable } from 'kysely';
import type { Tables } from '../schema/tables.ts';

/** A reading as a row holds it. */
export type StoredReadingRow = Omit<Selectable<Tables['gatewayReadings']>, 'keptBy'>;
export type ReadingColumn = keyof StoredReadingRow;

/** Which readings: by who told them, and by whom they are about; null asks for those that name nobody there. */
export interface ReadingScope {
  readonly gatewayId?: number | null;
  readonly deviceId?: number | null;
}

export type ReadingPair = Required<ReadingScope>;

/** Who told it: its rows are kept with this device, whose lock is taken by whoever packs or unpacks them. */
export const keeperOf = ({ gatewayId, deviceId }: ReadingPair): number => gatewayId ?? deviceId ?? 0;
