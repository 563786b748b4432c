import type { pointV2 } from '@trackway/contract/resources/point.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { isStorableText } from '@trackway/contract/values.ts';
import type { ReportedPoint } from '../../../reports.ts';
import type { StoredPosition } from '../../positions/packed-positions.ts';

/** The stored fields of a position, without fields that the service adds itself. A place has two fields. */
export type Position = Pick<
  StoredPosition,
  Exclude<keyof Shown<typeof pointV2>, 'id' | 'deviceId' | 'created' | 'location'> | 'locationLat' | 'locationLng'
>;

/** A position that was just stored. */
export type AppendedPosition = Position & Pick<StoredPosition, 'id' | 'judged'>;

/**
 * The fields of a position that has a time and a valid place, or none. A secondary value that cannot be right is left
 * out; the position itself is still worth storing.
 */
export function positionOf(point: ReportedPoint): Position {
  const { location } = point;
  return {
    timestamp: point.timestamp!,
    locationLat: location ? location.lat : null,
    // The antimeridian has two names; one of them is stored.
    locationLng: location ? (location.lng === -180 ? 180 : location.lng) : null,
    speed: within(point.speedKmh, 0, 100_000),
    altitude: within(point.altitudeM, -20_000, 1e7),
    course: within(point.courseDeg, 0, 360),
    accuracy: within(point.accuracyM, 0, 1e8),
    locationType: location ? (point.locationType ?? 'gps') : 'invalid',
    sats: whole(point.sats, 1000),
    hdop: within(point.hdop, 0, 10_000),
    batteryPct: within(point.batteryPct, 0, 255),
    batteryVoltage: within(point.batteryVoltage, -1000, 1000),
    averageCharge: whole(point.averageCharge, 255),
    sendReason: whole(point.sendReason, 255),
    alertType: whole(point.alertType, 255),
    mode: whole(point.mode, 255),
    gsmSignal: within(point.gsmSignal, -1000, 1000),
    address: cut(point.address, 1000),
    correlationId: cut(point.correlationId, 200),
    stringValue: cut(point.stringValue, 1000),
    currentUsed: within(point.currentUsedUah, 0, Number.MAX_SAFE_INTEGER),
    num_value: cut(point.numValue, 100),
    cell: point.cell === undefined ? null : JSON.stringify(point.cell),
  };
}

/** Whether the database can store the texts of a position. Devices may send any text. */
export const hasStorableTexts = ({ address, correlationId, stringValue, numValue }: ReportedPoint): boolean =>
  isStorableOrNone(address) &&
  isStorableOrNone(correlationId) &&
  isStorableOrNone(stringValue) &&
  isStorableOrNone(numValue);

const isStorableOrNone = (text: string | undefined) => text === undefined || isStorableText(text);

const within = (value: number | undefined, min: number, max: number) =>
  typeof value === 'number' && value >= min && value <= max ? value : null;

const whole = (value: number | undefined, max: number) =>
  typeof value === 'number' && value >= 0 && value <= max ? Math.trunc(value) : null;

const cut = (text: string | undefined, maxLength: number) => (text === undefined ? null : text.slice(0, maxLength));
