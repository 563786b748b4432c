import { isStorable } from '@trackway/contract/values.ts';
import type { ReportedPoint, ReportedReading } from '../../../../reports.ts';
import { readingHash } from '../../../stored-readings/packed-readings.ts';
import { hasStorableTexts, type PackedPoint, packPoint } from './packed-point.ts';

/** From what a device claims to what is stored: bounds, identity, and quarantine of what cannot be right. */

const YEAR_2000 = Date.UTC(2000, 0, 1);
const AHEAD_MS = 5 * 60_000;

/** The reason of an item that is ahead of the server while most devices are: then the server's clock is wrong. */
export const CLOCK_IN_DOUBT = 'more than 5 minutes ahead of the server, whose clock is in doubt';

/** Why an item is quarantined. The decision looks at the item alone, never at its neighbours. */
export type Reason =
  | 'no time'
  | 'before the year 2000'
  | 'more than 5 minutes ahead of the server'
  | typeof CLOCK_IN_DOUBT
  | 'coordinates are missing, not finite or out of range'
  | 'type or value is missing'
  | 'contains text that cannot be stored';

export function normalizePoint(point: ReportedPoint, now: number): PackedPoint | Reason {
  const wrongTime = timeProblem(point.timestamp, now);
  if (wrongTime) return wrongTime;
  const { location } = point;
  if (location !== undefined && !isPlace(location)) return 'coordinates are missing, not finite or out of range';
  return hasStorableTexts(point) ? packPoint(point) : 'contains text that cannot be stored';
}

export interface NormalReading {
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
  readonly rssi: number | null;
  readonly meta: string | null;
  readonly correlationId: string | null;
  readonly sensorDeviceId: string | null;
  readonly hash: string;
}

export function normalizeReading(reading: ReportedReading, now: number): NormalReading | Reason {
  const wrongTime = timeProblem(reading.timestamp, now);
  if (wrongTime) return wrongTime;
  const { type, value, meta, sensorDeviceId, correlationId } = reading;
  if (typeof type !== 'string' || type.trim() === '' || value === undefined || value === null)
    return 'type or value is missing';
  if (![type, value, meta, sensorDeviceId, correlationId].every((part) => part === undefined || isStorable(part))) {
    return 'contains text that cannot be stored';
  }
  const identity = {
    timestamp: reading.timestamp!,
    type: type.slice(0, 100),
    value: JSON.stringify(value),
    sensorDeviceId: sensorDeviceId?.slice(0, 200) ?? null,
  };
  return {
    ...identity,
    rssi: within(reading.rssi, -1000, 1000),
    meta: meta ? JSON.stringify(meta) : null,
    correlationId: correlationId?.slice(0, 200) ?? null,
    hash: readingHash(identity),
  };
}

function timeProblem(timestamp: number | undefined, now: number): Reason | undefined {
  if (timestamp === undefined || !Number.isFinite(timestamp)) return 'no time';
  if (timestamp < YEAR_2000) return 'before the year 2000';
  return timestamp > now + AHEAD_MS ? 'more than 5 minutes ahead of the server' : undefined;
}

const isPlace = ({ lat, lng }: { lat: number; lng: number }) =>
  typeof lat === 'number' && typeof lng === 'number' && Math.abs(lat) <= 90 && Math.abs(lng) <= 180;

/** A secondary value that cannot be right is left out; the reading itself is still worth storing. */
const within = (value: number | undefined, min: number, max: number) =>
  typeof value === 'number' && value >= min && value <= max ? value : null;
