import type { ReportedPoint, ReportedReading } from '../../../reports.ts';
import { nameOf, textOf, withoutUnset } from '../claims.ts';
import type { Said } from './fields.ts';

/** The time of reception and the identity of the frame. */
export interface Reception {
  /** Epoch milliseconds. */
  readonly timestamp: number;
  readonly correlationId?: string | undefined;
  readonly meta?: Record<string, unknown>;
}

/**
 * The time is that of the network. Repeated messages are recognised by the frame, not by the time, so the time is
 * marked as assumed.
 */
const stamped = ({ timestamp, correlationId }: Reception) =>
  withoutUnset({ timestamp, isTimeAssumed: true, correlationId });

/** The position and the status of a payload, if it has any. */
export function pointsOf(
  { point, hasPlace }: Said,
  reception: Reception,
  locationType: 'gps' | 'wifi' | 'gsm' = 'gps',
): ReportedPoint[] {
  const { batteryPct, batteryVoltage, alertType, location, timestamp } = point;
  if (!hasPlace && batteryPct === undefined && batteryVoltage === undefined && alertType === undefined) return [];
  if (!hasPlace) return [withoutUnset({ ...stamped(reception), batteryPct, batteryVoltage, alertType })];
  // Codecs return zeros while there is no fix.
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

/** An undecodable body for the quarantine, as text, because JSON could be nested too deeply. */
export const cutText = (body: string) => textOf(body, 2000) ?? '';

/** The possible spellings of a stored EUI: 16 digits, upper or lower case. */
export function euiNames(sent: unknown): string[] {
  const eui = nameOf(sent, 40)?.replaceAll(/[:\-\s]/g, '');
  if (eui === undefined || !/^[0-9a-f]{16}$/i.test(eui)) return [];
  return [...new Set([eui.toUpperCase(), eui.toLowerCase()])];
}

/** The possible spellings of a stored Sigfox id: with or without leading zeros, upper or lower case. */
export function sigfoxNames(sent: unknown): string[] {
  const id = nameOf(sent, 20);
  if (id === undefined || !/^[0-9a-f]{1,16}$/i.test(id)) return [];
  const short = id.replace(/^0+(?=.)/, '').toUpperCase();
  const padded = short.padStart(8, '0');
  return [...new Set([short, padded, short.toLowerCase(), padded.toLowerCase()])];
}

export const hexOf = (bytes: Buffer) => bytes.toString('hex').toUpperCase();

/** Decodes base64; undefined if it is invalid or too long. */
export function bytesOf(sent: unknown, maxBytes: number): Buffer | undefined {
  if (typeof sent !== 'string' || sent.length > Math.ceil(maxBytes / 3) * 4 + 4) return undefined;
  if (!/^[A-Za-z0-9+/_-]*={0,2}$/.test(sent)) return undefined;
  const bytes = Buffer.from(sent, 'base64');
  return bytes.length > maxBytes ? undefined : bytes;
}
