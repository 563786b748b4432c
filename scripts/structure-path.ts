import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { Session } from 'node:inspector/promises';
import { connect } from 'node:net';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { apiOf } from '../e2e/src/harness/api.ts';
import { adminOf } from '../e2e/src/harness/people.ts';
import { startInProcess } from '../e2e/src/harness/server-in-process.ts';
import { ROOT } from './step.ts';

/**
 * Prints the files of the server in which a function runs for a GT06 position that comes in order, from the socket to the
 * answer, on SQLite; and how many files the thread that writes has loaded. What timers run meanwhile counts as well.
 */

interface Coverage {
  readonly result: readonly {
    readonly url: string;
    readonly functions: readonly {
      readonly functionName: string;
      readonly ranges: readonly { readonly count: number }[];
    }[];
  }[];
}

const WARM_UP = 5;
const COUNTED = 20;
const PAUSE_MS = 50;

/** The inspector of each thread of this process. */
async function inspectThreads(): Promise<{ take(): Promise<Coverage[]>; stop(): void }> {
  const main = new Session();
  main.connect();
  const workers: string[] = [];
  const answers = new Map<number, (result: unknown) => void>();
  let asked = 0;
  main.on('NodeWorker.attachedToWorker', ({ params }) => workers.push(params.sessionId));
  main.on('NodeWorker.receivedMessageFromWorker', ({ params }) => {
    const { id, result } = JSON.parse(params.message);
    answers.get(id)?.(result);
  });
  const ask = (sessionId: string, method: string, params: object) =>
    new Promise<unknown>((resolve) => {
      asked += 1;
      answers.set(asked, resolve);
      void main.post('NodeWorker.sendMessageToWorker', {
        sessionId,
        message: JSON.stringify({ id: asked, method, params }),
      });
    });
  await main.post('NodeWorker.enable', { waitForDebuggerOnStart: false });
  const all = async (method: string, params: object = {}) => [
    await main.post(method as 'Profiler.enable', params as never),
    ...(await Promise.all(workers.map((worker) => ask(worker, method, params)))),
  ];
  await all('Profiler.enable');
  await all('Profiler.startPreciseCoverage', { callCount: true, detailed: false });
  return {
    take: async () => (await all('Profiler.takePreciseCoverage')) as unknown as Coverage[],
    stop: () => main.disconnect(),
  };
}

const isOfServer = (url: string) => url.includes('/server/src/') || url.includes('/contract/src/');

export async function printPath(): Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'trackway-path-'));
  const server = await startInProcess('sqlite', join(folder, 'data.db'));
  const api = apiOf(server.address);
  try {
    const { token } = await adminOf(api);
    const imei = imeiOf(1);
    await api('POST', '/api/devices', { token, body: { name: 'one', imei, allowKeyless: true } });
    const socket = connect(server.trackersPort, '127.0.0.1');
    const send = async (bytes: Buffer) => {
      socket.write(bytes);
      await once(socket, 'data');
    };
    await send(gt06.login!(imei));
    let at = Date.now() - 600_000;
    const report = async () => {
      at += 1000;
      const lat = 50 + (at % 600_000) * 1e-7;
      await send(gt06.report(imei, [{ timestamp: at, location: { lat, lng: 8 }, speed: 20 }] as never, 1));
      await wait(PAUSE_MS);
    };
    for (let count = 0; count < WARM_UP; count++) await report();
    const threads = await inspectThreads();
    await wait(1000);
    await threads.take();
    for (let count = 0; count < COUNTED; count++) await report();
    const files = new Map<string, number>();
    for (const { result } of await threads.take())
      for (const { url, functions } of result)
        for (const { functionName, ranges } of functions)
          if (isOfServer(url) && functionName !== '' && ranges[0]!.count >= COUNTED)
            files.set(url, (files.get(url) ?? 0) + 1);
    threads.stop();
    const named = [...files].map(([url, functions]) => [relative(ROOT, new URL(url).pathname), functions] as const);
    for (const [file, functions] of named.sort()) console.log(`${String(functions).padStart(4)}  ${file}`);
    console.log(`${named.length} files run for a position`);
    socket.destroy();
  } finally {
    api.close();
    await server.stop();
    rmSync(folder, { recursive: true, force: true });
  }
}
