import type { TrackerRecord } from '../tracker.ts';

/**
 * Degrees of `ddmm.mmmm`, undefined where it is none. Minutes are the two digits before the dot, however few there are
 * before them. The hemisphere's letter gives the sign; without one the place is north or east.
 */
export function degreesOf(text: string | undefined, hemisphere?: string): number | undefined {
  const [, degrees, minutes] = /^ *(\d{0,3}?)(\d{1,2}\.\d{0,10}) *$/.exec(text ?? '') ?? [];
  return minutes === undefined ? undefined : towards(Number(degrees) + Number(minutes) / 60, hemisphere);
}

/** Puts the sign of a hemisphere on a number that has none. */
export const towards = (degrees: number, hemisphere: string | undefined) =>
  hemisphere === 'S' || hemisphere === 'W' ? -degrees : degrees;

/**
 * A place, and whether it may be believed. Latitude 0 with longitude 0 is what devices without a fix give, whatever they
 * say of it: it is no place, as degrees that are not on the globe are none.
 */
export function placeOf(
  lat: number | undefined,
  lng: number | undefined,
  isVouchedFor: boolean,
): Pick<TrackerRecord, 'location' | 'isValid'> {
  const isPlace = lat !== undefined && lng !== undefined && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;
  if (!isPlace || (lat === 0 && lng === 0)) return { isValid: false };
  // Adding 0 makes 0 of -0.
  return { location: { lat: lat + 0, lng: lng + 0 }, isValid: isVouchedFor };
}

export const KMH_PER_KNOT = 1.852;
