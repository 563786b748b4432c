import { loadAverage } from './print/machine.ts';
import { median, percentile, spread } from './print/statistics.ts';
import { number, printTable, verdict } from './print/table.ts';
import { DEVICES, NEWEST_AT, positionsFolder } from './scale/positions-database.ts';
import { Api, startTrackway } from './trackway.ts';

/** A month of trips of one device, out of very many positions. */

const POSITIONS = 10_000_000;
const MONTH_MS = 30 * 86_400_000;
const BAR_MS = 5;

export async function benchTrips(): Promise<void> {
  const server = await startTrackway({ TRACKWAY_DATA: await positionsFolder(POSITIONS) });
  try {
    const api = await Api.signIn(server.address);
    const rows = [];
    for (const what of ['trips', 'days']) {
      const times: number[] = [];
      let found = 0;
      for (const device of spread(100, DEVICES)) {
        const to = NEWEST_AT - (device % 10) * MONTH_MS;
        const range = new URLSearchParams({
          from: new Date(to - MONTH_MS).toISOString(),
          to: new Date(to).toISOString(),
        });
        const startedAt = performance.now();
        const answer = await api.get(`/devices/${device}/${what}?${range}`);
        times.push(performance.now() - startedAt);
        found = (answer as unknown as unknown[]).length;
      }
      const isMet = median(times) <= BAR_MS;
      rows.push([
        what === 'trips' ? 'trips' : 'sums of days',
        number(found),
        `${number(times[0]!, 1)} ms`,
        `${number(median(times), 1)} ms`,
        `${number(percentile(times, 99), 1)} ms`,
        `median ≤ ${BAR_MS} ms`,
        verdict(isMet),
      ]);
    }
    printTable(
      `A month of one device out of ${number(POSITIONS)} positions, over HTTP, another device and month each time, load average ${loadAverage()}`,
      ['what', 'rows', 'the first', 'median', 'p99', 'bar', ''],
      rows,
    );
  } finally {
    await server.stop();
  }
}
