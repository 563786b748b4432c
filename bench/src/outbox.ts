import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { startPostgres } from '@trackway/server/testing/postgres-server.ts';
import { Course } from './fleet/course.ts';
import { atOnce, startFleet, type TrackedFleet } from './fleet/tracked-fleet.ts';
import { type Door, type Sink, startSink } from './load/sink.ts';
import { loadAverage } from './print/machine.ts';
import { type Cells, number, printTable, verdict } from './print/table.ts';
import { Api, type Thing } from './trackway.ts';

/**
 * Deliveries: throughput, latency, and the effect of an outage. `--events=5000` makes the bench smaller and less
 * significant; `--no-postgres` leaves PostgreSQL out.
 */

const EVENTS = 100_000;
const DEVICES = 1000;
/**
 * Deliveries of one device are sent one by one, so few devices with many reports would be slow for that reason alone.
 */
const LEAST_PER_DEVICE = 10;
const FULL_REPORTS = 8000;
const SECONDS = 10;
const CONNECTIONS = 64;
/** Every tenth device also sends to a destination that is always up. */
const EVERY_TENTH = 10;
const PATIENCE_MS = 60_000;

const LATENCY_BAR_MS = 60;
const DRAIN_BAR = 1000;
const OTHER_BAR_MS = 1000;

interface Bench {
  readonly store: string;
  readonly fleet: TrackedFleet;
  readonly api: Api;
  readonly sink: Sink;
  readonly devices: readonly number[];
}

export async function benchOutbox(flags: ReadonlySet<string>): Promise<void> {
  const asked = [...flags].map((flag) => /^--events=(\d+)$/.exec(flag)?.[1]).find(Boolean);
  const events = asked === undefined ? EVENTS : Number(asked);
  const size = {
    devices: Math.min(DEVICES, Math.ceil(events / LEAST_PER_DEVICE)),
    reports: Math.min(FULL_REPORTS, events),
  };
  const folder = mkdtempSync(join(tmpdir(), 'trackway-bench-'));
  const postgres = flags.has('--no-postgres') ? undefined : await startPostgres({ durable: true });
  const steady: Cells[] = [];
  const outages: Cells[] = [];
  try {
    for (const [store, place] of [
      ['SQLite', folder],
      ['PostgreSQL', postgres?.url],
    ] as const) {
      if (place === undefined) continue;
      await withFleet(store, place, size.devices, async (bench) => {
        for (const door of ['hook', 'queue'] as const) {
          steady.push(await inStep(bench, door, size.reports));
          outages.push(await outage(bench, door, events));
        }
      });
    }
  } finally {
    await postgres?.stop();
    rmSync(folder, { recursive: true, force: true });
  }
  const scene = `${number(size.devices)} devices, one position per request, load average ${loadAverage()}`;
  printTable(
    `Fix received → delivered: ${scene}`,
    ['store', 'to', 'at full load/s', 'at half load/s', 'delivered', 'p50 ms', 'p99 ms', 'bar', ''],
    steady,
  );
  printTable(
    `A destination is down while ${number(events)} events arrive, then up and tried at once: ${scene}`,
    [
      'store',
      'to',
      'arrived/s',
      'delivered',
      'twice',
      'drained in s',
      'per second',
      'bar',
      '',
      'healthy p95 ms',
      'bar',
      '',
    ],
    outages,
  );
}

async function withFleet(
  store: string,
  place: string,
  count: number,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
  const sink = await startSink();
  const environment = {
    TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8',
    TRACKWAY_SQS_ENDPOINT: `http://127.0.0.1:${sink.ports.queue}`,
    AWS_ACCESS_KEY_ID: 'bench',
    AWS_SECRET_ACCESS_KEY: 'bench',
  };
  const fleet = await startFleet(place, { devices: count, fences: [], environment });
  try {
    const api = await Api.signIn(fleet.server.address);
    const filter = encodeURIComponent(JSON.stringify({ limit: count, fields: ['id'] }));
    const listed = (await api.get(`/devices?filter=${filter}`)) as unknown as Thing[];
    const devices = listed.map(({ id }) => id);
    await sink.makeQueue('bench');
    await work({ store, fleet, api, sink, devices });
  } finally {
    await fleet.server.stop();
    sink.stop();
  }
}

const KINDS: Record<Door, string> = { hook: 'webhook', other: 'webhook', queue: 'SQS' };

/** Forwards the reports of devices to an endpoint while `work` runs. */
async function forwarding<T>({ api, sink }: Bench, door: Door, devices: readonly number[], work: () => Promise<T>) {
  const body =
    door === 'queue'
      ? { kind: 'sqs', target: 'arn:aws:sqs:us-east-1:000000000000:bench', types: ['newLoc'] }
      : { kind: 'http', target: `http://127.0.0.1:${sink.ports[door]}/hook`, types: ['newLoc'] };
  const made = new Map<number, number>();
  await atOnce(devices, async (device) => {
    made.set(device, (await api.post(`/devices/${device}/forwarders`, body)).id);
  });
  try {
    return await work();
  } finally {
    await atOnce([...made], ([device, id]) => api.remove(`/devices/${device}/forwarders/${id}`));
  }
}

/** At full load, then at half of it. */
async function inStep(bench: Bench, door: Door, reports: number): Promise<Cells> {
  const { sink, fleet, devices, store } = bench;
  return forwarding(bench, door, devices, async () => {
    const course = Course.of(fleet, CONNECTIONS);
    await sink.reset(door);
    const full = await course.send(reports);
    const all = await sink.has(door, reports, PATIENCE_MS);
    const fullPerSecond = (all.messages * 1000) / (all.lastAt - all.firstAt);
    await sink.reset(door);
    // Half of the throughput of the whole chain, reports and deliveries together.
    const perSecond = Math.min(full.perSecond, fullPerSecond) / 2;
    const paced = Math.round(perSecond * SECONDS);
    const half = await course.send(paced, (CONNECTIONS * 1000) / perSecond);
    const received = await sink.has(door, paced, PATIENCE_MS);
    return [
      store,
      KINDS[door],
      number(fullPerSecond),
      number(half.perSecond),
      `${number(received.messages)} of ${number(paced)}`,
      number(received.p50Ms),
      number(received.p99Ms),
      `≤ ${LATENCY_BAR_MS}`,
      verdict(received.p99Ms <= LATENCY_BAR_MS && received.messages === paced),
    ];
  });
}

async function outage(bench: Bench, door: Door, events: number): Promise<Cells> {
  const { sink, fleet, api, devices, store } = bench;
  const few = devices.filter((_, i) => i % EVERY_TENTH === 0);
  const fewEvents = (events * few.length) / devices.length;
  return forwarding(bench, door, devices, () =>
    forwarding(bench, 'other', few, async () => {
      await sink.reset(door);
      await sink.reset('other');
      await sink.close(door);
      const arrived = await Course.of(fleet, CONNECTIONS).send(events);
      const other = await sink.has('other', fewEvents, PATIENCE_MS);
      await sink.open(door);
      await reopen(api, door === 'queue' ? 'sqs' : 'http');
      const received = await sink.has(door, events, PATIENCE_MS);
      const seconds = (received.lastAt - received.firstAt) / 1000;
      const perSecond = received.messages / seconds;
      const isAllThere = received.messages === events && other.messages === fewEvents;
      return [
        store,
        KINDS[door],
        number(arrived.perSecond),
        `${number(received.messages)} of ${number(events)}`,
        number(received.repeats),
        number(seconds, 1),
        number(perSecond),
        `≥ ${number(DRAIN_BAR)}`,
        verdict(isAllThere && perSecond >= DRAIN_BAR),
        number(other.p95Ms),
        `< ${number(OTHER_BAR_MS)}`,
        verdict(isAllThere && other.p95Ms < OTHER_BAR_MS),
      ];
    }),
  );
}

/** Reopens destinations as a user would once they are up again; otherwise the next retry finds out, within minutes. */
async function reopen(api: Api, kind: string): Promise<void> {
  for (const one of (await api.get('/destinations')) as unknown as Thing[]) {
    if (one.kind === kind && one.state === 'down') await api.post(`/destinations/${one.id}/reopen`, {});
  }
}
