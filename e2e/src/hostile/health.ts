import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import type { Running } from '../harness/engines.ts';
import type { ServerProcess } from '../harness/server-process.ts';
import type { Station } from '../harness/station.ts';

const SANE_MEMORY_KB = 700_000;

/** The same process as at the start, without errors in its log, with normal memory use, and it still works. */
export async function checkHealth({ server, api }: Running<ServerProcess>, { owner, device }: Station): Promise<void> {
  assert.ok(server.isRunning(), server.output().slice(-2000));
  assert.doesNotMatch(server.output(), /A request failed/);
  assert.deepEqual((await api('GET', '/readyz')).body, { status: 'ok' });
  const made = await owner.make(`/devices/${device}/gatewayReadings`, { type: 'temp', value: 1 });
  assert.deepEqual((await owner.get(`/devices/${device}/gatewayReadings/${made.id}`)).body, made);
  if (process.platform !== 'linux') return;
  const memory = Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${server.pid}/status`, 'utf8'))![1]);
  assert.ok(memory < SANE_MEMORY_KB, `it takes ${memory} kB`);
}
