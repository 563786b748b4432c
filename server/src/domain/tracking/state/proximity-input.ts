import type { StoredPoint, StoredReading } from '../judge/to-fix.ts';

/** What a device with a `proximity` trigger reported: by it the distance to another device is judged. */
export interface ProximityInput {
  readonly deviceId: number;
  readonly points: readonly StoredPoint[];
  readonly readings: readonly (StoredReading & { readonly deviceId: number | null })[];
}
