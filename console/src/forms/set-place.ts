/** Where somebody says that a device is fixed, as it is written in a field: `50.1109, 8.6821`. */

interface SetPlace {
  readonly lat: number;
  readonly lng: number;
}

type Meta = Readonly<Record<string, unknown>> | null;

/** What the field shows; empty where the data of the device have no place. */
export function setPlaceText(meta: Meta): string {
  const { lat, lng } = (meta?.place ?? {}) as Partial<Record<keyof SetPlace, unknown>>;
  return typeof lat === 'number' && typeof lng === 'number' ? `${lat}, ${lng}` : '';
}

/** The place that a field says; null where it is empty, undefined where it is none. */
export function placeInText(text: string): SetPlace | null | undefined {
  if (text.trim() === '') return null;
  const found = /^\s*(-?\d+(?:\.\d+)?)\s*[,;\s]\s*(-?\d+(?:\.\d+)?)\s*$/.exec(text);
  if (!found) return undefined;
  const [lat, lng] = [Number(found[1]), Number(found[2])];
  return Math.abs(lat) <= 90 && Math.abs(lng) <= 180 ? { lat, lng } : undefined;
}

/** The data of a device with that place; the rest of them, and how exact the place is, stay as they are. */
export function withSetPlace(meta: Meta, place: SetPlace | null): Record<string, unknown> | null {
  const { place: before, ...rest } = meta ?? {};
  if (place === null) return Object.keys(rest).length === 0 ? null : rest;
  const accuracy = (before as { accuracy?: unknown } | null | undefined)?.accuracy;
  return { ...rest, place: { ...place, ...(typeof accuracy === 'number' && { accuracy }) } };
}
