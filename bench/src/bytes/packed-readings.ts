import { join } from 'node:path';
import { packReportedDays, type ReportedDay } from '@trackway/server/testing/readings.ts';
import { postgresBytes, sqliteBytes } from './table-bytes.ts';

/** The size of packed readings: of sensors that report each minute, and of tags that a gateway detects. */

const START = Date.parse('2026-03-02T00:00:00Z');
const MINUTES = 1440;
const TAGS = 20;

/** @param place an empty folder, or the address of an empty database */
export async function packedReadingBytes(place: string, devices: number): Promise<number> {
  const readings = await packReportedDays(place, daysOf(devices));
  const tables = place.startsWith('postgres') ? await postgresBytes(place) : sqliteBytes(join(place, 'trackway.db'));
  return tables.get('readingSegments')! / readings;
}

function* daysOf(devices: number): Generator<ReportedDay> {
  let id = 0;
  const nothing = { meta: null, relatedId: null, correlationId: null, datapointId: null, hash: null };
  for (let keeperId = 1; keeperId <= devices; keeperId += 1) {
    const isGateway = keeperId % 2 === 0;
    const readings: ReportedDay['readings'][number][] = [];
    for (let minute = 0; minute < MINUTES; minute += 1) {
      const timestamp = START + minute * 60_000 + (scattered(minute + keeperId) % 3000);
      const at = { ...nothing, timestamp, created: timestamp + 300 + (scattered(id) % 200) };
      const received = isGateway
        ? [{ type: 'ble_seen', value: 1, tag: minute % TAGS }]
        : [
            { type: 'temp', value: Math.round(200 + 50 * Math.sin(minute / 200) + (scattered(id) % 5)) / 10 },
            { type: 'humidity', value: 40 + (scattered(id + 7) % 9) },
            { type: 'battery', value: 100 - Math.floor(minute / 60) },
          ];
      for (const { type, value, ...more } of received) {
        id += 1;
        const of =
          'tag' in more
            ? {
                gatewayId: keeperId,
                deviceId: 1000 + more.tag,
                sensorDeviceId: `d4:ca:6e:00:00:${10 + more.tag}`,
                rssi: -60 - (scattered(id) % 25),
              }
            : { gatewayId: null, deviceId: keeperId, sensorDeviceId: null, rssi: null };
        readings.push({ ...at, ...of, id, type, value: JSON.stringify(value) });
      }
    }
    yield { keeperId, readings };
  }
}

/** A deterministic number that looks random. */
const scattered = (i: number) => Math.imul(i ^ (i >>> 7), 0x45d9f3b) >>> 8;
