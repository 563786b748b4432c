import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import {
  answersOf,
  type Contestant,
  OPERATIONS,
  type OperationNumber,
  startBare,
  startLoopBack,
  startOurs,
} from './load/contestants.ts';
import { type Measured, measure } from './load/load.ts';
import { loadAverage } from './print/machine.ts';
import { median } from './print/statistics.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';

/** The API under load, compared with an empty Fastify server and with LoopBack 3. */

const ROUNDS = 5;
const SECONDS = 3;
const WARM_UP_SECONDS = 2;
const CONNECTIONS = 32;
/** The ratio that operation 1 must reach: our throughput ÷ theirs. */
const BARS: Record<string, number> = { 'bare Fastify': 0.5, 'LoopBack 3': 3 };

export async function benchApi(flags: ReadonlySet<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const contestants: Contestant[] = [];
  const postgres = flags.has('--postgres') ? await startPostgres({ durable: true }) : undefined;
  try {
    const ours = await startOurs('Trackway', { TRACKWAY_DATA: folder });
    contestants.push(ours);
    const answers = await answersOf(ours);
    contestants.push(await startBare(ours.requests, answers));
    contestants.push(await startLoopBack(answers));
    const url = postgres?.url ?? process.env.TRACKWAY_TEST_DATABASE_URL;
    if (url) contestants.push(await startOurs('Trackway on PostgreSQL', { TRACKWAY_DATABASE_URL: url }));

    const rows: Cells[] = [];
    for (const operation of [1, 3, 8, 5] as const) {
      rows.push(...rowsOf(operation, await compete(contestants, operation)));
      console.log(`operation ${operation} measured, load average ${loadAverage()}`);
    }
    printTable(
      `The API under load: ${CONNECTIONS} connections, medians of ${ROUNDS} interleaved rounds of ${SECONDS} s`,
      ['operation', 'server', 'req/s', 'p50 ms', 'p99 ms', 'CPU µs', 'Trackway ÷ it', 'by CPU', 'bar', ''],
      rows,
    );
  } finally {
    for (const contestant of contestants.reverse()) await contestant.stop();
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

type Results = ReadonlyMap<string, Measured>;

/** Measures all contestants in turn, round after round, so that other load on the machine affects all of them alike. */
async function compete(contestants: readonly Contestant[], operation: OperationNumber): Promise<Results> {
  const rounds = new Map<string, Measured[]>(contestants.map(({ name }) => [name, []]));
  for (let round = 0; round <= ROUNDS; round += 1) {
    for (const { name, pid, address, requests } of contestants) {
      const seconds = round === 0 ? WARM_UP_SECONDS : SECONDS;
      const load = { address, requests: [requests[operation]], connections: CONNECTIONS, seconds };
      const measured = await measure(load, pid);
      if (round > 0) rounds.get(name)!.push(measured);
    }
  }
  return new Map([...rounds].map(([name, measured]) => [name, medians(measured)]));
}

function medians(rounds: readonly Measured[]): Measured {
  const [first] = rounds;
  const names = Object.keys(first!) as (keyof Measured)[];
  return Object.fromEntries(names.map((name) => [name, median(rounds.map((round) => round[name]))])) as never;
}

function rowsOf(operation: OperationNumber, results: Results): Cells[] {
  const ours = results.get('Trackway')!;
  return [...results].map(([name, its]) => {
    const figures = [number(its.requestsPerSecond), number(its.p50Ms), number(its.p99Ms), number(its.cpuUs)];
    if (its === ours) return [`${operation} ${OPERATIONS[operation]}`, name, ...figures, '', '', '', ''];
    const ratio = ours.requestsPerSecond / its.requestsPerSecond;
    const bar = operation === 1 ? BARS[name] : undefined;
    const judged = bar === undefined ? ['', ''] : [`≥ ${bar}`, verdict(ratio >= bar)];
    return ['', name, ...figures, number(ratio, 2), number(its.cpuUs / ours.cpuUs, 2), ...judged];
  });
}
