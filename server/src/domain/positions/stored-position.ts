import type { Selectable } from 'kysely';
import type { PointRow } from '../schema/rows/tracking-rows.ts';

/** A position with all that is stored of it. */
export type StoredPosition = Readonly<Selectable<PointRow>>;
export type PositionColumn = keyof StoredPosition;
