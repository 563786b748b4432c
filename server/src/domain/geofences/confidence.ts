/** Minimum confidence to count as inside, and maximum confidence to count as having left. */
export const ENTER_CONFIDENCE = 0.7;
export const EXIT_CONFIDENCE = 0.3;

/** Accuracy in metres assumed for a fix without one. */
const ASSUMED_M: Record<string, number> = { gps: 10, wifi: 60, gateway: 60, gsm: 1000 };

/** No receiver is more accurate than this, even if it claims to be. */
const BEST_M = 3;

/** Radius in metres that contains the device with 68 % probability. */
export function accuracyM(fix: { accuracy?: number | null; locationType?: string | null }): number {
  const { accuracy, locationType } = fix;
  const isReported = typeof accuracy === 'number' && accuracy >= 0 && Number.isFinite(accuracy);
  const meters = isReported ? accuracy : (ASSUMED_M[locationType ?? 'gps'] ?? (ASSUMED_M.gps as number));
  return Math.max(BEST_M, meters);
}

/**
 * Probability that the device is inside: Φ(−d/a).
 *
 * @param signedM signed distance of the fix to the edge, negative inside
 * @param accuracy of the fix in metres
 */
export function confidenceInside(signedM: number, accuracy: number): number {
  return normal(-signedM / accuracy);
}

/** The depth, in accuracies, that a fix needs for that confidence: the inverse of `confidenceInside`. */
export function depthFor(confidence: number): number {
  let low = -40;
  let high = 40;
  // After 60 bisections of 80, the interval is empty.
  for (let i = 0; i < 60; i++) {
    const middle = (low + high) / 2;
    if (normal(middle) < confidence) low = middle;
    else high = middle;
  }
  return high;
}

/** Cumulative distribution function of the standard normal distribution. */
function normal(z: number): number {
  const tail = tailBeyond(Math.abs(z));
  return z > 0 ? 1 - tail : tail;
}

/**
 * Hart's algorithm 5666 as given by G. West, "Better approximations to cumulative normal functions" (2005): accurate to
 * 15 digits.
 */
function tailBeyond(x: number): number {
  if (x > 37) return 0;
  const e = Math.exp((-x * x) / 2);
  if (x >= 7.07106781186547) {
    const fraction = x + 1 / (x + 2 / (x + 3 / (x + 4 / (x + 0.65))));
    return e / fraction / 2.506628274631;
  }
  let above = 3.52624965998911e-2 * x + 0.700383064443688;
  above = above * x + 6.37396220353165;
  above = above * x + 33.912866078383;
  above = above * x + 112.079291497871;
  above = above * x + 221.213596169931;
  above = above * x + 220.206867912376;
  let below = 8.83883476483184e-2 * x + 1.75566716318264;
  below = below * x + 16.064177579207;
  below = below * x + 86.7807322029461;
  below = below * x + 296.564248779674;
  below = below * x + 637.333633378831;
  below = below * x + 793.826512519948;
  below = below * x + 440.413735824752;
  return (e * above) / below;
}
