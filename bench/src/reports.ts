import { FLEET_REPORTS } from '@trackway/contract/resources/fleet-report.ts';
import { cpuTimeMs, untilQuiet } from './print/cpu-time.ts';
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
const KINDS = [
  { what: 'summary', path: 'vehicle-summary', zone: 'none' },
  { what: 'summary with zones', path: 'vehicle-summary', zone: 'work' },
  { what: 'activity', path: 'activity', zone: 'none' },
] as const;

/** `--brief` takes a tenth of the positions for each vehicle. */
export async function benchReports(flags: ReadonlySet<string>): Promise<void> {
  const each = flags.has('--brief') ? BRIEF : POSITIONS;
  const server = await startTrackway({ TRACKWAY_DATA: await monthFolder(each) });
  try {
    const api = await Api.signIn(server.address);
    const timed = async (ask: () => Promise<unknown>) => {
      const [startedAt, processor] = [performance.now(), cpuTimeMs(server.pid) ?? Number.NaN];
      await ask();
      return { ms: performance.now() - startedAt, processorMs: (cpuTimeMs(server.pid) ?? Number.NaN) - processor };
    };
    const report = ({ path, zone }: (typeof KINDS)[number], deviceId: number) =>
      api.post(`/reports/${path}`, { deviceId, dateRange: MONTH, parameters: { workZoneType: zone } });
    // The first call starts the threads.
    await report(KINDS[0], FLEET);
    await untilQuiet(server.pid);
    const rows: string[][] = [];
    const row = (what: string, { ms, processorMs }: { ms: number; processorMs: number }, barMs: number) =>
      rows.push([
        what,
        `${number(ms, 1)} ms`,
        `${number(processorMs)} ms`,
        `< ${number(barMs)} ms`,
        verdict(ms < barMs),
      ]);
    for (const kind of KINDS) {
      const times: Awaited<ReturnType<typeof timed>>[] = [];
      for (let round = 0; round < ROUNDS; round += 1) times.push(await timed(() => report(kind, 1 + round)));
      const middle = (of: 'ms' | 'processorMs') => median(times.map((time) => time[of]));
      row(`${kind.what} of one vehicle, median`, { ms: middle('ms'), processorMs: middle('processorMs') }, ONE_BAR_MS);
    }
    for (const kind of KINDS) {
      const ofAll = async () => {
        for (let device = 1; device <= FLEET; device += 1) await report(kind, device);
      };
      row(`${kind.what} of ${FLEET} vehicles, one after the other`, await timed(ofAll), FLEET_BAR_MS);
    }
    // Of all vehicles at once: the first round starts the threads.
    for (const kind of FLEET_REPORTS) {
      const body = { kind, from: MONTH[0], to: MONTH[1], tz: 'Europe/Berlin', limit: 100 };
      await api.post('/reports/fleet', body);
      row(
        `${kind} of ${FLEET} vehicles, in one report`,
        await timed(() => api.post('/reports/fleet', body)),
        FLEET_BAR_MS,
      );
    }
    printTable(
      `A month of vehicles with ${number(each)} positions each, over HTTP, load average ${loadAverage()}`,
      ['what', 'time', 'processor', 'bar', ''],
      rows,
    );
  } finally {
    await server.stop();
  }
}
