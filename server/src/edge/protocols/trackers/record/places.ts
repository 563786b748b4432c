/** The place, or undefined where there is none: without a fix, receivers give (0, 0) or numbers that are on no map. */
export function placeOf(lat: number, lng: number): { lat: number; lng: number } | undefined {
  if (lat === 0 && lng === 0) return undefined;
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
}
