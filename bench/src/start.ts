import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { cpuTimeMs } from './print/cpu-time.ts';
import { loadAverage } from './print/machine.ts';
import { residentMb } from './print/resident.ts';
import { median } from './print/statistics.ts';
import { number, printTable } from './print/table.ts';
import { outputOf, ROOT, startServer } from './process.ts';

/** How long a server takes until it is ready, and what it holds of memory then: from source and as a release has it. */

const STARTS = 7;
/** After that the check of the database is done, and the thread that checked the first password has ended. */
const IDLE_MS = 5000;
/** As `deploy/debian/trackway.sh` starts it. */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
const RELEASE = join(ROOT, 'node_modules/.cache/bench-release');

interface Start {
  readonly readyMs: number;
  readonly processorMs: number;
  readonly idleMb: number;
}

export async function benchStart(): Promise<void> {
  await outputOf({ arguments: ['scripts/compile.ts', RELEASE] });
  const forms = [
    { name: 'Node alone', words: ['-e', 'require("http").createServer().listen(0, () => console.log("ready"))'] },
    { name: 'from source', words: ['cli/src/main.ts', 'serve'] },
    { name: 'as a release', words: [join(RELEASE, 'cli/src/main.js'), 'serve'] },
  ];
  const data = mkdtempSync(join(tmpdir(), 'bench-start-'));
  try {
    const starts = new Map<string, Start[]>(forms.map(({ name }) => [name, []]));
    // The first of each fills the compile cache, and creates the database. In turn, so that load hits all alike.
    for (let round = 0; round <= STARTS; round++)
      for (const { name, words } of forms) {
        const start = await startOnce(words, data);
        if (round > 0) starts.get(name)!.push(start);
      }
    const of = (name: string, what: keyof Start) => median(starts.get(name)!.map((start) => start[what]));
    const source = of('from source', 'processorMs');
    printTable(
      `Starts of a server on an existing SQLite database, median of ${STARTS}, load average ${loadAverage()}`,
      ['what', 'ready', 'processor', 'of that from source', `resident after ${IDLE_MS / 1000} s`],
      forms.map(({ name }) => [
        name,
        `${number(of(name, 'readyMs'))} ms`,
        `${number(of(name, 'processorMs'))} ms`,
        `${number((100 * of(name, 'processorMs')) / source)} %`,
        `${number(of(name, 'idleMb'))} MB`,
      ]),
    );
  } finally {
    rmSync(data, { recursive: true, force: true });
  }
}

async function startOnce(words: readonly string[], data: string): Promise<Start> {
  const environment = {
    TRACKWAY_HOST: '127.0.0.1',
    TRACKWAY_PORT: '0',
    TRACKWAY_TRACKERS_PORT: '0',
    TRACKWAY_DATA: data,
    ...MALLOC,
  };
  const startedAt = performance.now();
  const server = await startServer({ arguments: words, environment }, /ready|Trackway is running at/);
  try {
    const readyMs = performance.now() - startedAt;
    const processorMs = cpuTimeMs(server.pid) ?? Number.NaN;
    await pause(IDLE_MS);
    return { readyMs, processorMs, idleMb: residentMb(server.pid) };
  } finally {
    await server.stop();
  }
}
