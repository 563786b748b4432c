import { invalidField } from '../../../refusals.ts';

type Place = { lat: number; lng: number };

/** Checks the constraints between the fields of a geofence. */
export function requireSound(values: Record<string, unknown>): void {
  requireCorners(values.outline as Place[] | null | undefined);
  requireTuning(values.meta as Record<string, unknown> | null | undefined);
}

/** An outline, closed or not, needs three different corners. */
export function requireCorners(outline: readonly Place[] | null | undefined, field = 'outline'): void {
  if (!outline) return;
  const corners = new Set(outline.map(({ lat, lng }) => `${lat},${lng}`));
  if (corners.size < 3) throw invalidField('geofence', field, 'length', 'must have at least 3 different vertices');
}

function requireTuning(meta: Record<string, unknown> | null | undefined): void {
  if (!meta) return;
  const wrong = (message: string) => invalidField('geofence', 'meta', 'range', message);
  for (const name of ['enterConfidence', 'exitConfidence']) {
    const value = meta[name];
    if (value !== undefined && !(typeof value === 'number' && value > 0 && value < 1))
      throw wrong(`${name} must be a number between 0 and 1`);
  }
  for (const name of ['enterAfter', 'exitAfter']) {
    const value = meta[name];
    if (value !== undefined && !(typeof value === 'number' && value >= 0 && value <= 31_536_000))
      throw wrong(`${name} must be seconds, 0 or more`);
  }
  const enter = (meta.enterConfidence as number | undefined) ?? ENTER_CONFIDENCE;
  const exit = (meta.exitConfidence as number | undefined) ?? EXIT_CONFIDENCE;
  if (enter <= exit) throw wrong('enterConfidence must be greater than exitConfidence');
}

/** Confidence from which a device counts as inside, and the one at which it counts as having left. */
export const ENTER_CONFIDENCE = 0.7;
export const EXIT_CONFIDENCE = 0.3;
