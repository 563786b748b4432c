import type { Place } from '../platform/sphere.ts';

/** One evaluated instant of a device: what its reports of that moment say together. Times are epoch milliseconds. */
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

/** A fix with a place. */
export type Located = Fix & { readonly place: Place };

export const isLocated = (fix: Fix): fix is Located => fix.place !== undefined;

/** A fix with an accuracy beyond this, in metres, is approximate. */
const APPROXIMATE_M = 500;

interface Evaluated {
  readonly locationType: string;
  /** Metres. */
  readonly accuracy?: number | null;
}

/** Whether the place of a fix is only approximate: from the cell, or with a large error. */
export const isApproximate = ({ locationType, accuracy }: Evaluated): boolean =>
  locationType === 'gsm' || locationType === 'invalid' || (accuracy ?? 0) > APPROXIMATE_M;

/** The same as SQL, about a row of positions. */
export const approximateText = (row: string) =>
  `(${row}."locationType" IN ('gsm', 'invalid') OR COALESCE(${row}."accuracy", 0) > ${APPROXIMATE_M})`;
