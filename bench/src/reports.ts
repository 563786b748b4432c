import { loadAverage } from './print/machine.ts';
import { median } from './print/statistics.ts';
import { number, printTable, verdict } from './print/table.ts';
import { FLEET, MONTH, monthFolder } from './scale/month-database.ts';
import { Api, startTrackway } from './trackway.ts';

/** A month of a vehicle that reports every 30 seconds, and of a hundred of them. */

const POSITIONS = 86_400;
const BRIEF = 8640;
const ONE_BAR_MS = 500;
const FLEET_BAR_MS = 2000;
const ROUNDS = 5;

/** `--brief` takes a tenth of the positions for each vehicle. */
export async function benchReports(flags: ReadonlySet<string>): Promise<void> {
  const each = flags.has('--brief') ? BRIEF : POSITIONS;
  const server = await startTrackway({ TRACKWAY_DATA: await monthFolder(each) });
  try {
    const api = await Api.signIn(server.address);
    const report = async (path: string, deviceId: number, workZoneType: string) => {
      const startedAt = performance.now();
      await api.post(`/reports/${path}`, { deviceId, dateRange: MONTH, parameters: { workZoneType } });
      return performance.now() - startedAt;
    };
    const rows: string[][] = [];
    const row = (what: string, ms: number, barMs: number) =>
      rows.push([what, `${number(ms, 1)} ms`, `< ${number(barMs)} ms`, verdict(ms < barMs)]);
    for (const [what, path, zone] of [
      ['summary', 'vehicle-summary', 'none'],
      ['summary with zones', 'vehicle-summary', 'work'],
      ['activity', 'activity', 'none'],
    ] as const) {
      const times: number[] = [];
      for (let round = 0; round < ROUNDS; round += 1) times.push(await report(path, 1 + round, zone));
      row(`${what} of one vehicle, median`, median(times), ONE_BAR_MS);
    }
    for (const zone of ['none', 'work']) {
      const startedAt = performance.now();
      for (let device = 1; device <= FLEET; device += 1) await report('vehicle-summary', device, zone);
      const what = zone === 'none' ? 'summaries' : 'summaries with zones';
      row(`${what} of ${FLEET} vehicles, one after the other`, performance.now() - startedAt, FLEET_BAR_MS);
    }
    printTable(
      `A month of vehicles with ${number(each)} positions each, over HTTP, load average ${loadAverage()}`,
      ['what', 'time', 'bar', ''],
      rows,
    );
  } finally {
    await server.stop();
  }
}
