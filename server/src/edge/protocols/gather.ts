import type { ReportedPoint, ReportedReading, UnreadableItem } from '../../reports.ts';
import { MAX_POSITIONS, MAX_READINGS } from './limits.ts';
import type { Decoded, Malformed } from './phone.ts';

/** The content of one message of a request. It never depends on other messages, so a batch may be split anywhere. */
export interface PhoneMessage {
  readonly identifier?: string | undefined;
  readonly point?: ReportedPoint;
  readonly readings?: readonly ReportedReading[];
  readonly gatewayReadings?: readonly ReportedReading[];
  readonly ignored?: string;
  readonly unreadable?: UnreadableItem;
  readonly encrypted?: true;
}

export function gather<T>(
  sent: readonly T[],
  decodeOne: (message: T) => PhoneMessage,
  known: { identifier?: string | undefined; key?: string | undefined },
): Decoded | Malformed {
  if (sent.length > MAX_POSITIONS) return tooLarge(`more than ${MAX_POSITIONS} messages in one request`);
  const messages: PhoneMessage[] = [];
  const points: ReportedPoint[] = [];
  const readings: ReportedReading[] = [];
  const gatewayReadings: ReportedReading[] = [];
  const unreadable: UnreadableItem[] = [];
  for (const one of sent) {
    const message = decodeOne(one);
    if (message.readings) readings.push(...message.readings);
    if (message.gatewayReadings) gatewayReadings.push(...message.gatewayReadings);
    if (readings.length + gatewayReadings.length > MAX_READINGS)
      return tooLarge(`more than ${MAX_READINGS} readings in one request`);
    if (message.point) points.push(message.point);
    if (message.unreadable) unreadable.push(message.unreadable);
    messages.push(message);
  }
  const isEmpty = points.length + readings.length + gatewayReadings.length === 0;
  return {
    ...identity(messages, known.identifier),
    ...(known.key === undefined ? {} : { key: known.key }),
    report: { points, readings, gatewayReadings, messages: [], ...(unreadable.length > 0 && { unreadable }) },
    ...(isEmpty
      ? { ignored: messages.find(({ ignored }) => ignored !== undefined)?.ignored ?? 'it contains no data' }
      : {}),
    ...(messages.some(({ encrypted }) => encrypted) ? { encrypted: true as const } : {}),
  };
}

/**
 * An identifier of the whole request takes precedence over identifiers of its messages; several different ones count as
 * none.
 */
function identity(messages: readonly PhoneMessage[], known: string | undefined): { identifier?: string } {
  const named = known === undefined ? messages.map(({ identifier }) => identifier) : [known];
  const names = new Set(named.filter((name) => name !== undefined));
  return names.size === 1 ? { identifier: [...names][0]! } : {};
}

const tooLarge = (malformed: string): Malformed => ({ malformed, tooLarge: true });

/** Returns the first non-empty value under one of the names. */
export const firstOf = (pairs: Iterable<readonly [string, string]>, ...names: string[]) => {
  for (const name of names) for (const [key, value] of pairs) if (key === name && value !== '') return value;
  return undefined;
};
