import { named, refuse } from './bounds.ts';
import type { Near } from './term.ts';
import { isObject, numberOf } from './value.ts';

const metresPer: Record<string, number> = Object.assign(Object.create(null), {
  meters: 1,
  kilometers: 1_000,
  miles: 1_609.344,
  feet: 0.3048,
});

/** The keys that stand beside `near` in its clause. */
export const nearKeys: readonly string[] = ['near', 'minDistance', 'maxDistance', 'unit'];

export function parseNear(name: string, clause: Record<string, unknown>, at: string): Near {
  const [lat, lng] = coordinates(clause.near, `${at}.near`);
  const unit = clause.unit ?? 'meters';
  const factor = typeof unit === 'string' ? metresPer[unit] : undefined;
  if (factor === undefined) {
    refuse(`${at}.unit`, `must be one of meters, kilometers, miles, feet, not ${named(String(JSON.stringify(unit)))}`);
  }
  const distance = (key: 'minDistance' | 'maxDistance') => {
    const value = clause[key];
    if (value === undefined || value === null) return undefined;
    const length = numberOf(value, `${at}.${key}`);
    if (length < 0) refuse(`${at}.${key}`, 'must not be negative');
    return length * factor;
  };
  return { name, lat, lng, minDistanceM: distance('minDistance'), maxDistanceM: distance('maxDistance') };
}

/** `{lat, lng}`, `"lat,lng"` or `[lat, lng]`. */
export function coordinates(value: unknown, at: string): [number, number] {
  let lat: unknown;
  let lng: unknown;
  if (typeof value === 'string') [lat, lng] = pair(value.split(',').map((part) => part.trim()));
  else if (Array.isArray(value)) [lat, lng] = pair(value);
  else if (isObject(value)) ({ lat, lng } = value);
  if (lat === undefined || lng === undefined) refuse(at, 'must be {lat, lng} or "lat,lng"');
  const [latitude, longitude] = [numberOf(lat, `${at}.lat`), numberOf(lng, `${at}.lng`)];
  if (Math.abs(latitude) > 90) refuse(`${at}.lat`, 'must be between -90 and 90');
  if (Math.abs(longitude) > 180) refuse(`${at}.lng`, 'must be between -180 and 180');
  return [latitude, longitude];
}

function pair(values: unknown[]): [unknown, unknown] {
  return values.length === 2 ? [values[0], values[1]] : [undefined, undefined];
}
