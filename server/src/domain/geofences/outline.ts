import { invalidField } from '../../refusals.ts';

type Place = { lat: number; lng: number };

/** An outline, closed or not, needs three different vertices. */
export function requireCorners(outline: readonly Place[] | null | undefined, field = 'outline'): void {
  if (!outline) return;
  const corners = new Set(outline.map(({ lat, lng }) => `${lat},${lng}`));
  if (corners.size < 3) throw invalidField('geofence', field, 'length', 'must have at least 3 different vertices');
}

/** Minimum confidence to count as inside, and maximum confidence to count as having left. */
export const ENTER_CONFIDENCE = 0.7;
export const EXIT_CONFIDENCE = 0.3;
