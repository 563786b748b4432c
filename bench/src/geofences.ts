import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fenceRules, TrackEvaluator } from '@trackway/server/testing/track-evaluator.ts';
import type { Fence } from '@trackway/simulator/fence-shape.ts';
import { createFleet } from '@trackway/simulator/fleet.ts';
import { calm } from '@trackway/simulator/profile.ts';
import { Reporter } from '@trackway/simulator/reporter.ts';
import { scatteredFences } from './fleet/scattered-fences.ts';
import { startFleet, type TrackedFleet } from './fleet/tracked-fleet.ts';
import { CITY, type MeasuredSent, send } from './load/sending.ts';
import { untilQuiet } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { residentMb } from './print/resident.ts';
import { median } from './print/statistics.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';

/** The cost of fences per position, with few or many of them, if a position is near the same number of them. */

const FEW = 100;
const MANY = 100_000;
/** The few lie where the fleet is; just as many of the many do, and all others lie around it. */
const CITY_M = 6000;
const ROUNDS = 7;
const DEVICES = 40;
const FIXES = 500;
const BAR = 1.2;
/** What all those fences may take, in the server and all its threads. */
const MAX_MB = 150;

export async function benchGeofences(): Promise<void> {
  const few = scatteredFences(FEW, CITY_M);
  const many = [...few, ...scatteredFences(MANY - FEW, CITY_M * Math.sqrt(MANY / FEW), 2).filter(isElsewhere)];
  while (many.length < MANY)
    many.push(...scatteredFences(MANY - many.length, 190_000, many.length).filter(isElsewhere));
  const rows = [pure(few, many), ...(await endToEnd(few, many))];
  printTable(
    `Fences: cost per position, medians of ${ROUNDS} interleaved rounds, load average ${loadAverage()}`,
    ['path', `${number(FEW)} fences`, `${number(MANY)} fences`, 'ratio', 'bar', ''],
    rows,
  );
}

function isElsewhere({ center, outline }: Fence): boolean {
  const { lat, lng } = center ?? outline![0]!;
  const [dLat, dLng] = [lat - CITY.ground.center.lat, lng - CITY.ground.center.lng];
  return Math.max(Math.abs(dLat), Math.abs(dLng)) * 87_000 > CITY_M / 2 + 500;
}

/** Rules and points in memory only. */
function pure(few: readonly Fence[], many: readonly Fence[]): Cells {
  const tracks = tracksOf();
  const [fewRules, manyRules] = [fenceRules(few), fenceRules(many)];
  const [atFew, atMany]: number[][] = [[], []];
  const run = (rules: ReturnType<typeof fenceRules>) => {
    let crossings = 0;
    const before = process.cpuUsage();
    for (const track of tracks) {
      const evaluator = new TrackEvaluator(rules);
      for (const point of track) crossings += evaluator.take(point).length;
    }
    const { user, system } = process.cpuUsage(before);
    return { us: (user + system) / (DEVICES * FIXES), crossings };
  };
  for (let round = 0; round <= ROUNDS; round += 1) {
    const [one, other] = [run(fewRules), run(manyRules)];
    if (one.crossings !== other.crossings) throw new Error('The fleet meets other fences');
    if (round === 0) continue;
    atFew!.push(one.us);
    atMany!.push(other.us);
  }
  return rowOf('the rules alone', median(atFew!), median(atMany!));
}

function tracksOf() {
  const profile = { ...calm, intervalsS: [10] };
  const { devices } = createFleet({ devices: DEVICES, seed: 3, city: CITY, profile, shift: 'always' });
  const from = Date.now() - 86_400_000;
  return devices.map((device) => {
    const reporter = new Reporter(device, from);
    return Array.from({ length: FIXES }, () => {
      const { timestamp, location, speed, accuracy } = reporter.next().points[0]!;
      return { timestamp: timestamp as number, location, speedKmh: speed, accuracyM: accuracy };
    });
  });
}

/** Over HTTP, stored and evaluated. */
async function endToEnd(few: readonly Fence[], many: readonly Fence[]): Promise<Cells[]> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const fleets: TrackedFleet[] = [];
  const [atFew, atMany]: MeasuredSent[][] = [[], []];
  const megabytes: number[] = [];
  try {
    fleets.push(await startFleet(join(folder, 'few'), { devices: 100, fences: few }));
    fleets.push(await startFleet(join(folder, 'many'), { devices: 100, fences: many }));
    let startAt = Date.now() - 25 * 60_000;
    for (let round = 0; round <= ROUNDS; round += 1) {
      for (const [index, { server, keys }] of fleets.entries()) {
        const load = { address: server.address, keys, reports: 200, positions: 100, connections: 32, intervalS: 0.5 };
        const sent = await send({ ...load, startAt }, server.pid);
        if (round > 0) [atFew, atMany][index]!.push(sent);
        if (index === 1) startAt = sent.endedAt;
      }
    }
    for (const { server } of fleets) {
      await untilQuiet(server.pid);
      megabytes.push(residentMb(server.pid));
    }
  } finally {
    for (const { server } of fleets) await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const cpuOf = (rounds: readonly MeasuredSent[]) => median(rounds.map(({ cpuUs }) => cpuUs));
  return [rowOf('end to end, batches of 100', cpuOf(atFew!), cpuOf(atMany!)), memoryRow(megabytes)];
}

const memoryRow = ([few, many]: readonly number[]): Cells => [
  'memory of the server afterwards',
  `${number(few!)} MB`,
  `${number(many!)} MB`,
  `+ ${number(many! - few!)} MB`,
  `≤ ${MAX_MB} MB`,
  verdict(many! - few! <= MAX_MB),
];

const rowOf = (path: string, few: number, many: number): Cells => [
  path,
  `${number(few, 1)} µs`,
  `${number(many, 1)} µs`,
  number(many / few, 2),
  `≤ ${BAR}`,
  verdict(many / few <= BAR),
];
