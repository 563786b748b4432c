import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createClient } from '@trackway/client/client.ts';
import { importHistory } from '@trackway/client/history/import-history.ts';
import { atOnce, startFleet } from './fleet/tracked-fleet.ts';
import { send } from './load/sending.ts';
import { number, printTable, verdict } from './print/table.ts';
import { Api } from './trackway.ts';

/** The import of history, file to stored trips, compared with reports in batches of the same server. */

const DEVICES = 100;
const POSITIONS = 1_000_000;
const ALL_POSITIONS = 10_000_000;
const BATCH = 100;
const BATCH_REPORTS = 2000;
const CONNECTIONS = 64;
const BAR = 0.7;
const START = Date.UTC(2020, 0, 1);
const INTERVAL_MS = 10_000;
/** Fixes of a tour; the vehicle then stops for the same time. */
const TOUR = 200;

/** `--all` imports ten million positions instead of a million. */
export async function benchImport(flags: ReadonlySet<string>): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const positions = flags.has('--all') ? ALL_POSITIONS : POSITIONS;
  const environment = { TRACKWAY_RATE_LIMIT: '0' };
  const { server, keys } = await startFleet(join(folder, 'sqlite'), { devices: DEVICES, fences: [], environment });
  try {
    const startAt = Date.now() - 25 * 60_000;
    const load = { reports: BATCH_REPORTS, positions: BATCH, connections: CONNECTIONS, startAt, intervalS: 0.5 };
    const batches = await send({ address: server.address, keys, ...load }, server.pid);
    const api = await Api.signIn(server.address);
    const client = createClient({ url: server.address, token: api.token, timeoutMs: 0, retries: 5 });
    const devices: number[] = [];
    for (let device = 0; device < DEVICES; device++)
      devices.push((await api.post('/devices', { name: `History ${device}` })).id as number);
    const began = performance.now();
    let stored = 0;
    await atOnce(devices, async (deviceId, index) => {
      const done = await importHistory(client, deviceId, fileOf(index, positions / DEVICES), { format: 'csv' });
      stored += done.stored;
    });
    const perSecond = stored / ((performance.now() - began) / 1000);
    const ratio = perSecond / batches.perSecond;
    printTable(
      `Import of ${number(stored)} positions of ${DEVICES} devices, as CSV`,
      ['', 'positions/s', 'ratio', 'bar', ''],
      [
        [`reports of ${BATCH} positions`, number(batches.perSecond), '', '', ''],
        ['import', number(perSecond), number(ratio, 2), `≥ ${BAR}`, verdict(ratio >= BAR)],
      ],
    );
  } finally {
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}

/** A vehicle that drives back and forth, with stops. */
async function* fileOf(device: number, count: number): AsyncGenerator<string> {
  yield 'time,lat,lng,speed\n';
  let text = '';
  for (let at = 0; at < count; at++) {
    const tour = Math.floor(at / TOUR);
    const isMoving = tour % 2 === 0;
    const way = isMoving ? at % TOUR : tour % 4 === 1 ? TOUR : 0;
    const lat = 40 + device / 100 + (tour % 4 < 2 ? way : TOUR - way) / 1000;
    text += `${START + at * INTERVAL_MS},${lat.toFixed(6)},8.5,${isMoving ? 40 : 0}\n`;
    if (text.length < 65_536) continue;
    yield text;
    text = '';
  }
  yield text;
}
