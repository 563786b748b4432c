/** The fixed position of a device, as typed in a field: `50.1109, 8.6821`. */

interface SetPlace {
  readonly lat: number;
  readonly lng: number;
}

type Meta = Readonly<Record<string, unknown>> | null;

/** The value of the field; empty if the device has no fixed position. */
export function setPlaceText(meta: Meta): string {
  const { lat, lng } = (meta?.place ?? {}) as Partial<Record<keyof SetPlace, unknown>>;
  return typeof lat === 'number' && typeof lng === 'number' ? `${lat}, ${lng}` : '';
}

/** The position in a field; null if empty, undefined if invalid. */
export function placeInText(text: string): SetPlace | null | undefined {
  if (text.trim() === '') return null;
  const found = /^\s*(-?\d+(?:\.\d+)?)\s*[,;\s]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (!found) return undefined;
  const [lat, lng] = [Number(found[1]), Number(found[2])];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
}

/** The metadata of a device with that position; other values, including the accuracy, are unchanged. */
export function withSetPlace(meta: Meta, place: SetPlace | null): Record<string, unknown> | null {
  const { place: before, ...rest } = meta ?? {};
  if (place === null) return Object.keys(rest).length === 0 ? null : rest;
  const accuracy = (before as { accuracy?: unknown } | null | undefined)?.accuracy;
  return { ...rest, place: { ...place, ...(typeof accuracy === 'number' && { accuracy }) } };
}
