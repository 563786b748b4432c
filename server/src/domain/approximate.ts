/** A fix with an accuracy beyond this, in metres, is approximate. */
const APPROXIMATE_M = 500;

interface Judged {
  readonly locationType: string;
  /** Metres. */
  readonly accuracy?: number | null;
}

/** Whether a fix says only roughly where the device was: by the cell it was in, or with a large error. */
export const isApproximate = ({ locationType, accuracy }: Judged): boolean =>
  locationType === 'gsm' || locationType === 'invalid' || (accuracy ?? 0) > APPROXIMATE_M;

/** The same as SQL, about a row of positions. */
export const approximateText = (row: string) =>
  `(${row}."locationType" IN ('gsm', 'invalid') OR COALESCE(${row}."accuracy", 0) > ${APPROXIMATE_M})`;
