import { hash } from 'node:crypto';
import { LOCATION_TYPES } from '@trackway/contract/resources/point.ts';
import type { StoredPosition } from './packed-positions.ts';

/**
 * By what a position is recognised that is reported again. Positions that were changed since have been identified by
 * exactly these, in this order: a column that is added later is not one of them.
 */
const IDENTITY = [
  'timestamp',
  'locationLat',
  'locationLng',
  'speed',
  'altitude',
  'course',
  'accuracy',
  'sats',
  'hdop',
  'batteryPct',
  'batteryVoltage',
  'averageCharge',
  'sendReason',
  'alertType',
  'mode',
  'gsmSignal',
] as const satisfies (keyof StoredPosition)[];

/** The fields that decide whether two positions are the same. */
type IdentifiedPosition = Readonly<Pick<StoredPosition, (typeof IDENTITY)[number] | 'locationType'>>;
export const IDENTITY_COLUMNS = [...IDENTITY, 'locationType'] as const;

/** Represents an unset value: no value is infinite. */
const NO_VALUE = Number.NEGATIVE_INFINITY;
const numbers = new Float64Array(1 + IDENTITY.length);
const bytes = new Uint8Array(numbers.buffer);

/** The same position has the same hash, however often it is reported. Numbers are hashed without rounding. */
export function identityOf(position: IdentifiedPosition): string {
  numbers[0] = LOCATION_TYPES.indexOf(position.locationType);
  for (const [index, name] of IDENTITY.entries()) {
    const value = position[name];
    // Zero has two signs, which mean the same.
    numbers[index + 1] = value === null ? NO_VALUE : value + 0;
  }
  return shortHash(bytes);
}

/** What is the same has the same hash. */
export const shortHash = (content: string | Uint8Array) => hash('sha1', content, 'base64url').slice(0, 16);
