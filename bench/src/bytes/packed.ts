import { join } from 'node:path';
import { type DayTrace, packTraces } from '@trackway/server/testing/positions.ts';
import { createFleet, transmissions } from '@trackway/simulator/fleet.ts';
import { postgresBytes, sqliteBytes } from './table-bytes.ts';

/** How much room simulated positions take once they are packed, a day of a device in one row. */

const DAY_MS = 86_400_000;
const START = Date.parse('2026-03-02T00:00:00Z');
/** How long a report is on its way. */
const DELAY_MS = 400;

/** @param place an empty folder, or the address of an empty database */
export async function packedBytes(place: string, devices: number): Promise<{ positions: number; bytes: number }> {
  const positions = await packTraces(place, tracesOf(devices));
  const tables = place.startsWith('postgres') ? await postgresBytes(place) : sqliteBytes(join(place, 'trackway.db'));
  return { positions, bytes: tables.get('positionSegments')! / positions };
}

function tracesOf(devices: number): Iterable<DayTrace> {
  const traces = new Map<number, DayTrace[number][]>();
  for (const { device, sentAt, points, isRepeated } of transmissions(createFleet({ devices }), START, START + DAY_MS)) {
    if (isRepeated) continue;
    const trace = traces.get(device) ?? [];
    traces.set(device, trace);
    for (const { location, timestamp, ...point } of points) {
      const at = typeof timestamp === 'string' ? Date.parse(timestamp) : timestamp;
      if (at < START || at >= START + DAY_MS) continue;
      const place = location && { locationLat: location.lat, locationLng: location.lng };
      trace.push({ ...point, ...place, timestamp: at, created: sentAt + DELAY_MS, deviceId: device + 1 });
    }
  }
  return [...traces.values()].filter(({ length }) => length > 0);
}
