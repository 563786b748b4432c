import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { apiOf } from '../../../e2e/src/harness/api.ts';
import { clientOf } from '../../../e2e/src/harness/checked-client.ts';
import { adminOf, PASSWORD } from '../../../e2e/src/harness/people.ts';
import { eventually } from '../../../server/src/testing/eventually.ts';
import { serve } from '../fleet/serve.ts';
import { Tally } from '../fleet/tally.ts';
import { placesOn } from '../places/places.ts';
import type { Trial } from '../trial.ts';

const DEVICES = 10;
const CALLS_PER_SECOND = 16;
const SIGN_IN_EVERY = 2000;
/** Triggers and fences that are there at a time. */
const KEPT = 600;
const SAMPLE_MS = 10_000;
const MINUTE_MS = 60_000;
/** While caches fill and code is compiled, memory grows. Of a short run, half is such time. */
const WARM_UP_MINUTES = 10;
const MAX_GROWTH_PER_HOUR = 0.02;
/** As `deploy/debian/trackway.sh` starts it. */
const MALLOC = { MALLOC_ARENA_MAX: '2', MALLOC_TRIM_THRESHOLD_: '131072' };
const COLLECTS_GARBAGE = new URL('../fleet/collects-garbage.ts', import.meta.url).href;

/** Pages of the database: they grow with it up to a limit, and the kernel takes them back where it needs memory. */
const MAPPED = 'mapped files';

interface Sample {
  readonly at: number;
  /**
   * Bytes: `process` is the resident set without `MAPPED`, others are what is used in the heaps of threads, and the
   * buffers outside of them.
   */
  readonly bytes: ReadonlyMap<string, number>;
}

/** Creates, deletes and reports for some time, and watches the memory of the server and of each of its threads. */
export const soak: Trial = {
  about: `minutes of creations and reports; a fault is memory that grows by more than ${MAX_GROWTH_PER_HOUR * 100} % an hour`,
  tries: { quick: 20, full: 70 },
  async run(minutes, progress) {
    await using places = await placesOn('sqlite');
    const tally = new Tally();
    const reports = mkdtempSync(join(tmpdir(), 'trial-memory-'));
    const server = await serve('sqlite', await places.make(), {
      NODE_OPTIONS: `--report-on-signal --report-exclude-network --report-directory=${reports} --expose-gc --import=${COLLECTS_GARBAGE}`,
      ...MALLOC,
    });
    const api = apiOf(server.address);
    try {
      const { token, id } = await adminOf(api);
      let client = clientOf(api, token);
      const devices: { id: number; deviceKey?: string | null }[] = [];
      for (let n = 0; n < DEVICES; n += 1) devices.push(await client.createDevice({ body: { name: `Device ${n}` } }));

      const deletions: (() => Promise<unknown>)[] = [];
      /** What is created is deleted later, so that what must be kept in memory stays the same. */
      const kept = async (created: Promise<{ id: number }>, remove: (id: number) => Promise<unknown>) => {
        const { id: madeId } = await created;
        deletions.push(() => remove(madeId));
        if (deletions.length > KEPT) await deletions.shift()!();
      };
      const calls: ((n: number) => Promise<unknown>)[] = [
        (n) => {
          const deviceId = devices[n % DEVICES]!.id;
          const body = { type: 'speed' as const, parameters: { limit: 30 + (n % 90) }, delivery: {} };
          return kept(client.createNotificationTrigger({ id: deviceId, body }), (fk) =>
            client.deleteNotificationTrigger({ id: deviceId, fk }),
          );
        },
        (n) => {
          const body = { name: `Fence ${n}`, center: { lat: 48 + (n % 1000) / 1e4, lng: 11 }, radius: 100 };
          return kept(client.createGeofence({ id, body }), (fk) => client.deleteGeofence({ id, fk }));
        },
        (n) => client.createUser({ body: { email: `user.${n}@example.org`, password: PASSWORD } }),
        (n) =>
          api('POST', '/ingest/reports', {
            headers: { authorization: devices[n % DEVICES]!.deviceKey! },
            body: { points: [{ lat: 48 + (n % 1000) / 1e4, lng: 11, speed: n % 50 }] },
          }),
      ];
      const startedAt = performance.now();
      const endsAt = startedAt + minutes * MINUTE_MS;
      const samples: Sample[] = [];
      let made = 0;
      const calling = (async () => {
        while (performance.now() < endsAt) {
          const due = startedAt + (made * 1000) / CALLS_PER_SECOND;
          await pause(Math.max(0, due - performance.now()));
          // Only a recent sign-in may create users.
          if (made % SIGN_IN_EVERY === 0) client = clientOf(api, (await adminOf(api)).token);
          await calls[made % calls.length]!(Math.floor(made / calls.length));
          made += 1;
        }
      })();
      const sampling = (async () => {
        while (performance.now() < endsAt) {
          await pause(SAMPLE_MS);
          const sample = { at: performance.now() - startedAt, bytes: await memoryOf(server.pid, reports) };
          samples.push(sample);
          progress(Math.round(sample.at / MINUTE_MS), textOf(sample));
        }
      })();
      await Promise.all([calling, sampling]);
      tally.note('calls', made);
      const warmUp = Math.min(WARM_UP_MINUTES, minutes / 2);
      console.log(`  Growth from minute ${warmUp} to minute ${minutes}, extrapolated to an hour:`);
      for (const [what, growth] of growthPerHour(samples, warmUp)) {
        console.log(`  ${what}: ${(growth * 100).toFixed(1)} % an hour`);
        if (what !== MAPPED && growth > MAX_GROWTH_PER_HOUR)
          tally.fault([`${what} grows by ${(growth * 100).toFixed(1)} % an hour`]);
      }
      return tally.result(minutes);
    } catch (error) {
      console.error(server.output());
      throw error;
    } finally {
      api.close();
      await server.stop();
      rmSync(reports, { recursive: true, force: true });
    }
  },
};

interface ThreadMemory {
  readonly usedMemory: number;
  readonly externalMemory: number;
}

interface MemoryReport {
  readonly javascriptHeap: ThreadMemory;
  readonly resourceUsage: { readonly rss: string | number };
  readonly workers: readonly {
    readonly header: { readonly threadId: number };
    readonly javascriptHeap: ThreadMemory;
  }[];
}

/** Node writes a report of each thread when it is signalled. */
async function memoryOf(pid: number, folder: string): Promise<Map<string, number>> {
  for (const file of readdirSync(folder)) rmSync(join(folder, file));
  process.kill(pid, 'SIGUSR2');
  const report = await eventually('the server reports its memory', () => read(folder));
  const mapped = mappedBy(pid);
  const bytes = new Map([
    ['process', Number(report!.resourceUsage.rss) - mapped],
    [MAPPED, mapped],
    ['main thread', takenBy(report!.javascriptHeap)],
  ]);
  for (const { header, javascriptHeap } of report!.workers)
    bytes.set(`thread ${header.threadId}`, takenBy(javascriptHeap));
  return bytes;
}

/** Only Linux has this file; elsewhere 0. */
function mappedBy(pid: number): number {
  if (process.platform !== 'linux') return 0;
  const [, kilobytes] = /^RssFile:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))!;
  return Number(kilobytes) * 1024;
}

const takenBy = ({ usedMemory, externalMemory }: ThreadMemory) => usedMemory + externalMemory;

/** Undefined while it is being written. */
function read(folder: string): MemoryReport | undefined {
  const [file] = readdirSync(folder);
  try {
    return file === undefined ? undefined : (JSON.parse(readFileSync(join(folder, file), 'utf8')) as MemoryReport);
  } catch {
    return undefined;
  }
}

const textOf = ({ bytes }: Sample) =>
  [...bytes].map(([what, size]) => `${what} ${Math.round(size / 1e6)} MB`).join(', ');

/**
 * The least of the first third after the warm-up, compared with the least of the last: the latest garbage differs from
 * one moment to the next. Threads that were not there all the time are left out.
 */
function growthPerHour(samples: readonly Sample[], warmUp: number): Map<string, number> {
  const warm = samples.filter(({ at }) => at >= warmUp * MINUTE_MS);
  if (warm.length < 3) return new Map();
  const third = Math.ceil(warm.length / 3);
  const [early, late] = [warm.slice(0, third), warm.slice(-third)];
  const growth = new Map<string, number>();
  for (const what of warm[0]!.bytes.keys()) {
    const least = (some: readonly Sample[]) => Math.min(...some.map(({ bytes }) => bytes.get(what) ?? Number.NaN));
    const hours = (late[0]!.at - early[0]!.at) / (60 * MINUTE_MS);
    const rate = (least(late) / least(early) - 1) / hours;
    if (Number.isFinite(rate)) growth.set(what, rate);
  }
  return growth;
}
