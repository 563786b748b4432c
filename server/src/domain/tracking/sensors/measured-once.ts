import type { Kysely } from 'kysely';
import { queryRows } from '../../../platform/storage/bulk.ts';
import { readingHash } from '../../positions/packed-readings.ts';
import { findMeasured } from '../../positions/reading-statements.ts';
import type { Tables } from '../../schema/tables.ts';
import type { NormalizedReport, NormalReading } from '../report/normalize.ts';
import { PLACE_EVERY_MS } from '../state/place-due.ts';

/** The same value that another gateway received of a tag at most so long before or after is the same measurement. */
const SAME_MS = PLACE_EVERY_MS;
export const FIND_MEASURED = findMeasured(SAME_MS);

interface Measured {
  readonly gatewayId: number;
  readonly deviceId: number;
  readonly timestamp: number;
  readonly type: string;
  readonly value: string;
}

/**
 * The gateway readings of each report, where a measurement that another gateway reported is left out. That a gateway received
 * it is kept, as one sighting, because the place of the tag follows from it. The states of the tags are locked.
 */
export async function measuredOnce(
  tx: Kysely<Tables>,
  reports: readonly NormalizedReport[],
  sensedBy: (gatewayId: number, sensor: string | null) => number | null,
): Promise<(readonly NormalReading[])[]> {
  const measuredIn = (gatewayId: number, reading: NormalReading): Measured | undefined => {
    const deviceId = reading.type.endsWith('_seen') ? null : sensedBy(gatewayId, reading.sensorDeviceId);
    return deviceId === null || deviceId === gatewayId ? undefined : { ...reading, gatewayId, deviceId };
  };
  const all = reports.flatMap(({ deviceId, gatewayReadings }) =>
    gatewayReadings.flatMap((reading) => measuredIn(deviceId, reading) ?? []),
  );
  const rows = all.map(({ gatewayId, deviceId, type, timestamp }) => [gatewayId, deviceId, type, timestamp]);
  const known = new Map<string, Measured[]>();
  for (const one of await queryRows<Measured>(tx, FIND_MEASURED, rows)) note(known, one);
  return reports.map(({ deviceId: gatewayId, gatewayReadings }) => {
    if (gatewayReadings.length === 0) return gatewayReadings;
    return gatewayReadings.map((reading) => {
      const one = measuredIn(gatewayId, reading);
      if (one === undefined) return reading;
      const isKnown = known.get(keyOf(one))?.some((other) => isSame(one, other));
      if (isKnown) return sightingOf(reading);
      note(known, one);
      return reading;
    });
  });
}

/** PostgreSQL writes JSON in its own way. */
const keyOf = ({ deviceId, type, value }: Measured) => JSON.stringify([deviceId, type, JSON.parse(value)]);

const isSame = (one: Measured, other: Measured) =>
  other.gatewayId !== one.gatewayId && Math.abs(other.timestamp - one.timestamp) <= SAME_MS;

function note(known: Map<string, Measured[]>, one: Measured): void {
  const key = keyOf(one);
  const others = known.get(key);
  if (others) others.push(one);
  else known.set(key, [one]);
}

/** The same for all measurements of one transmission, so that it is stored once. */
function sightingOf(reading: NormalReading): NormalReading {
  const sighting = { ...reading, type: 'ble_seen', value: JSON.stringify(reading.sensorDeviceId) };
  return { ...sighting, hash: readingHash(sighting) };
}
