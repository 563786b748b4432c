/** Rounds to three decimals: finer than any sensor, and without floating-point noise. */
const rounded = (value: number) => Math.round(value * 1000) / 1000;

const scaled = (factor: number) => (value: number | undefined) =>
  value === undefined || !Number.isFinite(value * factor) ? undefined : rounded(value * factor);

export const kmhFromKnots = scaled(1.852);
export const kmhFromMetresPerSecond = scaled(3.6);
export const kmhFromKilometres = scaled(1);
export const kmhFromMiles = scaled(1.609_344);
export const percentFromRatio = scaled(100);
export const metresFromKilometres = scaled(1000);
export const hectopascalFromKilopascal = scaled(10);

/** In the unit of `averageCharge`; undefined if the phone did not report it. */
export const chargeOf = (charging: boolean | undefined) => (charging === undefined ? undefined : charging ? 255 : 0);
