import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { send } from './load/sending.ts';
import type { TrackerSending, TrackersSent } from './load/tracker-sender.ts';
import { cpuTimeMs } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { median } from './print/statistics.ts';
import { number, printTable, verdict } from './print/table.ts';
import { startLines } from './process.ts';
import { Api, startTrackway, type Trackway } from './trackway.ts';

/** Trackers that stay connected: the cost of a position compared with HTTP, and of many connections. */

const COMPARED = 64;
const REPORTS = 150;
const ROUNDS = 5;
const CONNECTIONS = 5000;
const EVERY_MS = 10_000;
const REPORTS_EACH = 3;
const P99_MS = 500;
const KB_PER_CONNECTION = 20;
const AT_ONCE = 16;

interface Compared {
  readonly key: string;
  readonly imei: string;
}

export async function benchTrackers(flags: ReadonlySet<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const server = await startTrackway({
    TRACKWAY_DATA: folder,
    TRACKWAY_TRACKERS_PER_ADDRESS: '0',
    NODE_OPTIONS: `--expose-gc --import ${new URL('./load/collect-on-signal.ts', import.meta.url).href}`,
  });
  try {
    const admin = await Api.signIn(server.address);
    const devices = await makeDevices(admin, CONNECTIONS);
    const rounds = flags.has('--short') ? 3 : ROUNDS;
    for (const withIgnition of [false, true])
      await compareWithHttp(server, devices.slice(0, COMPARED), rounds, withIgnition);
    await connectMany(server, devices);
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

async function makeDevices(admin: Api, count: number): Promise<Compared[]> {
  const made: Compared[] = [];
  let next = 0;
  const work = async () => {
    while (next < count) {
      const index = next++;
      const imei = imeiOf(index);
      const { deviceKey } = await admin.post('/devices', { name: `Tracker ${index}`, imei, allowKeyless: true });
      made[index] = { key: deviceKey as string, imei };
    }
  };
  await Promise.all(Array.from({ length: AT_ONCE }, work));
  return made;
}

/** The same is stored both ways: a position alone, or with a reading of the ignition. */
async function compareWithHttp(
  server: Trackway,
  devices: readonly Compared[],
  rounds: number,
  withIgnition: boolean,
): Promise<void> {
  const cost = { http: [] as number[], gt06: [] as number[] };
  const rates = { http: [] as number[], gt06: [] as number[] };
  const keys = devices.map(({ key }) => key);
  const identities = devices.map(({ imei }) => imei);
  for (let round = -1; round < rounds; round += 1) {
    const reports = devices.length * REPORTS;
    const fleet = { address: server.address, keys, reports, positions: 1, connections: COMPARED, intervalS: 10 };
    const overHttp = await send({ ...fleet, startAt: nextDay(), withIgnition }, server.pid);
    const sending = { voice: 'gt06' as const, identities, reports: REPORTS, startAt: nextDay() };
    const overGt06 = await sendAsTrackers(server, { ...sending, placeAlone: !withIgnition });
    // The first round warms up.
    if (round < 0) continue;
    cost.http.push(overHttp.cpuUs);
    cost.gt06.push(overGt06.cpuUs);
    rates.http.push(overHttp.perSecond);
    rates.gt06.push(overGt06.positions / overGt06.seconds);
  }
  const ratio = median(cost.gt06) / median(cost.http);
  const what = withIgnition ? 'One position and the ignition a report' : 'One position a report';
  printTable(
    `${what}, ${COMPARED} connections, medians of ${rounds} rounds, load average ${loadAverage()}`,
    ['protocol', 'positions/s', 'CPU µs', '÷ HTTP', 'bar', ''],
    [
      ['HTTP', number(median(rates.http)), median(cost.http).toFixed(1), '', '', ''],
      ['GT06', number(median(rates.gt06)), median(cost.gt06).toFixed(1), ratio.toFixed(2), '≤ 1', verdict(ratio <= 1)],
    ],
  );
}

let day = Date.now() - 40 * 86_400_000;
/** Each run is of a day of its own, so that nothing is late. */
function nextDay(): number {
  day += 86_400_000;
  return day;
}

async function connectMany(server: Trackway, devices: readonly Compared[]): Promise<void> {
  const before = await residentKb(server.pid);
  const identities = devices.map(({ imei }) => imei);
  const startAt = Date.now() - 3_600_000;
  let each = 0;
  const measured = await sendAsTrackers(
    server,
    { voice: 'gt06', identities, reports: REPORTS_EACH, startAt, everyMs: EVERY_MS },
    {
      whileConnected: async () => {
        each = ((await residentKb(server.pid)) - before) / devices.length;
      },
    },
  );
  printTable(
    `${number(devices.length)} connections, a position each ${EVERY_MS / 1000} s from each, load average ${loadAverage()}`,
    ['what', 'measured', 'bar', ''],
    [
      ['p50 of the answer', `${measured.p50Ms.toFixed(1)} ms`, '', ''],
      ['p99 of the answer', `${measured.p99Ms.toFixed(1)} ms`, `< ${P99_MS} ms`, verdict(measured.p99Ms < P99_MS)],
      [
        'memory per connection',
        `${each.toFixed(1)} kB`,
        `< ${KB_PER_CONNECTION} kB`,
        verdict(each < KB_PER_CONNECTION),
      ],
    ],
  );
}

interface WhileSending {
  /** Called when all is sent, while the connections are still open. */
  whileConnected?(): Promise<void>;
  /** The CPU time so far; by default that of the server. */
  cpuMs?(): Promise<number>;
}

/** Sends once all are connected. */
export async function sendAsTrackers(
  server: Trackway,
  sending: Omit<TrackerSending, 'port'>,
  { whileConnected, cpuMs = async () => cpuTimeMs(server.pid) ?? Number.NaN }: WhileSending = {},
): Promise<TrackersSent & { readonly cpuUs: number }> {
  const task: TrackerSending = { ...sending, port: server.trackersPort };
  const sender = startLines({ arguments: ['bench/src/load/tracker-sender.ts'], input: JSON.stringify(task) });
  try {
    await sender.next();
    const before = await cpuMs();
    const sent = JSON.parse(await sender.next()) as TrackersSent;
    const usedMs = (await cpuMs()) - before;
    await whileConnected?.();
    return { ...sent, cpuUs: (usedMs * 1000) / sent.positions };
  } finally {
    await sender.stop();
  }
}

/** What the server keeps in memory once it has collected its garbage. */
async function residentKb(pid: number): Promise<number> {
  for (let round = 0; round < 3; round += 1) {
    process.kill(pid, 'SIGUSR2');
    await pause(1000);
  }
  return Number(/^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))![1]);
}
