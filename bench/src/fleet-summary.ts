import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { cpuTimeMs } from './print/cpu-time.ts';
import { residentMb } from './print/resident.ts';
import { number, printTable, verdict } from './print/table.ts';
import { Api, startTrackway, type Trackway } from './trackway.ts';

/** The summary of a large fleet: what it costs, how soon it begins, and how much memory it takes. */

const DEVICES = 10_000;
const POINTS = 5;
const RUNS = 5;
const PROCESSOR_MS = 500;
const FIRST_BYTE_MS = 200;
const MEMORY_MB = 50;

export async function benchFleet(): Promise<void> {
  const folder = await mkdtemp(join(tmpdir(), 'bench-fleet-'));
  try {
    await makeFleet(folder);
    const server = await startTrackway({ TRACKWAY_DATA: folder });
    try {
      const api = await Api.signIn(server.address);
      // The first call starts the threads.
      await summary(server, api, 1);
      const one = await median(server, api, 1, ({ processorMs }) => processorMs);
      const first = await median(server, api, POINTS, ({ firstByteMs }) => firstByteMs);
      const memory = await median(server, api, POINTS, ({ memoryMb }) => memoryMb);
      printTable(
        `The summary of ${number(DEVICES)} devices, on SQLite`,
        ['what', 'median', 'bar', ''],
        [
          ['processor, a position each', `${one.toFixed(0)} ms`, `${PROCESSOR_MS} ms`, verdict(one < PROCESSOR_MS)],
          ['first byte, five each', `${first.toFixed(0)} ms`, `${FIRST_BYTE_MS} ms`, verdict(first < FIRST_BYTE_MS)],
          ['memory, five each', `${memory.toFixed(0)} MB`, `${MEMORY_MB} MB`, verdict(memory < MEMORY_MB)],
        ],
      );
    } finally {
      await server.stop();
    }
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

/** One device is made by the server; the others are copies of its rows. */
async function makeFleet(folder: string): Promise<void> {
  const server = await startTrackway({ TRACKWAY_DATA: folder });
  let deviceId: number;
  try {
    const api = await Api.signIn(server.address);
    ({ id: deviceId } = await api.post('/devices', { name: 'Device', tags: ['kind:van'] }));
  } finally {
    await server.stop();
  }
  const database = new DatabaseSync(join(folder, 'trackway.db'));
  database.exec('BEGIN');
  for (const [table, key] of [
    ['devices', 'id'],
    ['deviceConfigs', 'deviceId'],
    ['deviceStates', 'deviceId'],
  ] as const) {
    const row = database.prepare(`SELECT * FROM "${table}" WHERE "${key}" = ?`).get(deviceId) as Record<string, never>;
    if (table === 'devices') Object.assign(row, { keyHash: null });
    if (table === 'deviceConfigs') delete row.id;
    const names = Object.keys(row);
    const insert = database.prepare(
      `INSERT INTO "${table}" (${names.map((name) => `"${name}"`).join(', ')}) VALUES (${names.map(() => '?').join(', ')})`,
    );
    for (let copy = 1; copy < DEVICES; copy += 1)
      insert.run(...names.map((name) => (name === key ? deviceId + copy : row[name]!)));
  }
  const point = database.prepare(
    `INSERT INTO "positions" ("deviceId", "timestamp", "delay", "lat", "lng", "speed", "accuracy", "batteryPct", "mode")
       VALUES (?, ?, 0, ROUND(? * 1e7), 50000000, 1250, 800, 8000, 0)`,
  );
  for (let step = 0; step < POINTS; step += 1)
    for (let device = 0; device < DEVICES; device += 1) {
      const at = Date.UTC(2026, 0, 1) + step * 60_000;
      point.run(deviceId + device, at, 52 + device / DEVICES);
    }
  database.exec('COMMIT; PRAGMA wal_checkpoint(TRUNCATE)');
  database.close();
}

interface Measured {
  readonly processorMs: number;
  readonly firstByteMs: number;
  readonly memoryMb: number;
}

async function median(server: Trackway, api: Api, points: number, of: (measured: Measured) => number): Promise<number> {
  const values: number[] = [];
  for (let run = 0; run < RUNS; run += 1) values.push(of(await summary(server, api, points)));
  return values.toSorted((one, other) => one - other)[Math.floor(RUNS / 2)]!;
}

async function summary({ pid, address }: Trackway, { headers }: Api, points: number): Promise<Measured> {
  const [processor, memory, started] = [cpuTimeMs(pid) ?? Number.NaN, residentMb(pid), performance.now()];
  const response = await fetch(`${address}/api/users/me/getDeviceSummary?pointCount=${points}`, { headers });
  let firstByteMs: number | undefined;
  let most = memory;
  for await (const _ of response.body!) {
    firstByteMs ??= performance.now() - started;
    most = Math.max(most, residentMb(pid));
  }
  return {
    processorMs: (cpuTimeMs(pid) ?? Number.NaN) - processor,
    firstByteMs: firstByteMs ?? Number.NaN,
    memoryMb: most - memory,
  };
}
