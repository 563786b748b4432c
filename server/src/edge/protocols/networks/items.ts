import type { ReportedPoint, ReportedReading } from '../../../reports.ts';
import { textOf, withoutUnset } from '../claims.ts';
import type { Said } from './fields.ts';

/** When and as what something was received. */
export interface Reception {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly correlationId?: string | undefined;
  readonly meta?: Record<string, unknown>;
}

/**
 * The time is that of the network. What it tells twice is recognised by the frame and not by the time, so the time counts
 * as assumed.
 */
const stamped = ({ timestamp, correlationId }: Reception) =>
  withoutUnset({ timestamp, isTimeAssumed: true, correlationId });

/** The position and the status of a payload, where it has any. */
export function pointsOf(
  { point, hasPlace }: Said,
  reception: Reception,
  locationType: 'gps' | 'wifi' | 'gsm' = 'gps',
): ReportedPoint[] {
  const { batteryPct, batteryVoltage, alertType, location, timestamp } = point;
  if (!hasPlace && batteryPct === undefined && batteryVoltage === undefined && alertType === undefined) return [];
  if (!hasPlace) return [withoutUnset({ ...stamped(reception), batteryPct, batteryVoltage, alertType })];
  // Codecs say zeros while there is no fix.
  const isNowhere = location?.lat === 0 && location.lng === 0;
  const when =
    timestamp === undefined ? stamped(reception) : { ...stamped(reception), timestamp, isTimeAssumed: false };
  if (isNowhere)
    return [withoutUnset({ ...when, locationType: 'invalid' as const, batteryPct, batteryVoltage, alertType })];
  return [withoutUnset({ ...point, ...when, locationType })];
}

export const readingsOf = ({ readings }: Said, reception: Reception): ReportedReading[] =>
  readings.map(({ type, value, field }) => reading(type, value, reception, field === undefined ? {} : { field }));

export function reading(
  type: string,
  value: unknown,
  reception: Reception,
  meta: Record<string, unknown> = {},
): ReportedReading {
  const all = withoutUnset({ ...meta, ...reception.meta });
  return { ...stamped(reception), type, value, ...(Object.keys(all).length > 0 && { meta: all }) };
}

/** What could not be read, for the quarantine: text, since it may be nested without end. */
export const cutText = (body: string) => textOf(body, 2000) ?? '';
