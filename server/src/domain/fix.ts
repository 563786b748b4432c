import type { Place } from '../platform/sphere.ts';

/** One judged instant of a device: what its reports of that moment say together. Times are epoch milliseconds. */
export interface Fix {
  readonly at: number;
  readonly pointId: number;
  /** Absent in a status report, and where the place is known to be wrong. */
  readonly place?: Place;
  readonly accuracyM: number;
  readonly speedKmh?: number;
  /** Degrees clockwise from north. */
  readonly courseDeg?: number;
  readonly batteryPct?: number;
  readonly mode?: number;
  /** Alert bits of all reports of that instant. */
  readonly alerts: number;
}

/** A fix that says where the device was. */
export type Located = Fix & { readonly place: Place };

export const isLocated = (fix: Fix): fix is Located => fix.place !== undefined;
