import assert from 'node:assert/strict';
import type { ReportedPoint, ReportedReading } from '../../../reports.ts';
import type { NetworkMessage, NetworkProtocol, NotUsable } from './network.ts';

/** Builds requests for tests. */

export const NOW = Date.parse('2026-03-01T12:00:00.000Z');

interface Posted {
  readonly query?: string;
  readonly contentType?: string;
  readonly body?: unknown;
}

export function decodedAny(protocol: NetworkProtocol, { query = '', contentType, body }: Posted) {
  return protocol.decode({
    query: [...new URLSearchParams(query)],
    contentType: contentType ?? 'application/json',
    body: typeof body === 'string' ? body : body === undefined ? '' : JSON.stringify(body),
    now: NOW,
  });
}

export function decoded(protocol: NetworkProtocol, posted: Posted): NetworkMessage {
  const message = decodedAny(protocol, posted);
  assert.ok(!('notUsable' in message), JSON.stringify(message));
  return message;
}

export const problemOf = (message: NetworkMessage | NotUsable) =>
  'notUsable' in message ? message.notUsable : message.ignored;

/** Values of readings by type. */
export const valuesOf = (readings: readonly ReportedReading[]) =>
  Object.fromEntries(readings.map(({ type, value }) => [type, value]));

export const readingIn = (readings: readonly ReportedReading[], type: string): ReportedReading => {
  const found = readings.find((one) => one.type === type);
  assert.ok(found, `no reading ${type}`);
  return found;
};

export const onlyPoint = ({ report }: NetworkMessage): ReportedPoint => {
  assert.equal(report.points.length, 1, JSON.stringify(report.points));
  return report.points[0]!;
};
