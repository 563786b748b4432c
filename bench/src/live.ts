import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import { Course } from './fleet/course.ts';
import { scatteredFences } from './fleet/scattered-fences.ts';
import { startFleet, type TrackedFleet } from './fleet/tracked-fleet.ts';
import { loadAverage } from './print/machine.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { ROOT } from './process.ts';
import { Api } from './trackway.ts';

/** The time from the reception of a fix until readers of the live stream have it, at half of the server's capacity. */

export interface Listening {
  readonly address: string;
  readonly token: string;
  readonly streams: number;
  /** Positions to wait for on each stream. */
  readonly positions: number;
}

export interface Listened {
  readonly positions: number;
  readonly p50Ms: number;
  readonly p99Ms: number;
  readonly maxMs: number;
}

const DEVICES = 500;
const FENCES = 1000;
const CONNECTIONS = 64;
const FULL_REPORTS = 8000;
const SECONDS = 10;
const BAR_MS = 25;

export async function benchLive(flags: ReadonlySet<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const postgres = flags.has('--no-postgres') ? undefined : await startPostgres({ durable: true });
  const rows: Cells[] = [];
  try {
    for (const [name, place] of [
      ['SQLite', folder],
      ['PostgreSQL', postgres?.url],
    ] as const) {
      if (place === undefined) continue;
      const fleet = await startFleet(place, { devices: DEVICES, fences: scatteredFences(FENCES, 7000) });
      try {
        const full = await Course.of(fleet, CONNECTIONS).send(FULL_REPORTS);
        for (const streams of [1, 10]) rows.push(await atHalfLoad(name, fleet, full.perSecond / 2, streams));
      } finally {
        await fleet.server.stop();
      }
    }
  } finally {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  printTable(
    `Fix received → live event at half load: ${DEVICES} devices, ${FENCES} fences, one position per request, load average ${loadAverage()}`,
    ['store', 'streams', 'positions/s', 'answered p99', 'events', 'p50 ms', 'p99 ms', 'max ms', 'bar', ''],
    rows,
  );
}

async function atHalfLoad(name: string, fleet: TrackedFleet, perSecond: number, streams: number): Promise<Cells> {
  const { token } = await Api.signIn(fleet.server.address);
  const reports = Math.round(perSecond * SECONDS);
  const listener = await startListener({ address: fleet.server.address, token, streams, positions: reports });
  const sent = await Course.of(fleet, CONNECTIONS).send(reports, (CONNECTIONS * 1000) / perSecond);
  const { positions, p50Ms, p99Ms, maxMs } = await listener.done();
  return [
    name,
    String(streams),
    number(sent.perSecond),
    number(sent.p99Ms),
    number(positions),
    number(p50Ms),
    number(p99Ms),
    number(maxMs),
    `≤ ${BAR_MS}`,
    verdict(p99Ms <= BAR_MS),
  ];
}

/** Reads the streams in a separate process, so that the measurement does not slow the server. */
export async function startListener(listening: Listening): Promise<{ done(): Promise<Listened> }> {
  const child = spawn(process.execPath, ['bench/src/load/live-listener.ts'], {
    cwd: ROOT,
    stdio: ['pipe', 'pipe', 'inherit'],
  });
  process.once('exit', () => child.kill('SIGKILL'));
  child.stdin.end(JSON.stringify(listening));
  let output = '';
  const closed = once(child, 'close');
  await new Promise<void>((resolve, reject) => {
    child.stdout.on('data', (chunk) => {
      output += chunk;
      if (output.includes('listening\n')) resolve();
    });
    closed.then(() => reject(new Error('The listener ended before it listened')));
  });
  return {
    async done() {
      const overdue = setTimeout(() => child.kill('SIGKILL'), 60_000);
      await closed;
      clearTimeout(overdue);
      const result = output.split('\n').find((line) => line.startsWith('{'));
      if (result === undefined) throw new Error('Not every listener received every position');
      return JSON.parse(result) as Listened;
    },
  };
}
