import { timeNow } from '../../platform/clock.ts';
import type { TroubleKind } from '../../platform/storage/trouble.ts';
import type { ForgettingProgress } from '../history/forget-history.ts';
import type { Store } from '../schema/tables.ts';
import { DATABASE_BYTES, type TrackerFigures, type Vitals } from './health.ts';
import { VERSION } from './info.ts';
import type { OwnNode } from './nodes/node.ts';
import { listedSlots } from './nodes/node-clocks.ts';

/** Metrics for alerts of operators, in the text format of Prometheus. */

const KINDS: readonly TroubleKind[] = ['full', 'damaged', 'gone', 'readOnly', 'disk', 'unavailable', 'busy'];
const OUTBOX_STATES = ['queued', 'sending', 'held', 'dead'] as const;
/** Counting is repeated at most this often, however often it is asked for. */
const FRESH_MS = 5000;
/** Of more devices than these that wait for a replay it is not remembered since when. */
const MOST_WAITING = 1000;

const COUNTED = [
  ...OUTBOX_STATES,
  'outboxOldest',
  'outboxDue',
  'destinationsDown',
  'replays',
  'quarantined',
  'bytes',
] as const;
type Counts = Readonly<Record<(typeof COUNTED)[number], number | null>>;

const stateCount = (state: string) => `(SELECT COUNT(*) FROM "outbox" WHERE "state" = '${state}') AS "${state}"`;
const countsOf = (databaseBytes: string) => `SELECT ${OUTBOX_STATES.map(stateCount).join(', ')},
  (SELECT MIN("created") FROM "outbox" WHERE "state" = 'queued') AS "outboxOldest",
  (SELECT MIN("nextAt") FROM "outbox" WHERE "state" = 'queued') AS "outboxDue",
  (SELECT COUNT(*) FROM "destinations" WHERE "state" = 'down') AS "destinationsDown",
  (SELECT COUNT(*) FROM "deviceStates" WHERE "lateFrom" IS NOT NULL) AS "replays",
  (SELECT COUNT(*) FROM "quarantine") AS "quarantined",
  (${databaseBytes}) AS "bytes"`;
const WAITING = `SELECT "deviceId" FROM "deviceStates" WHERE "lateFrom" IS NOT NULL LIMIT ${MOST_WAITING}`;

const integers = (names: readonly string[]) => names.map((name) => ({ name, kind: 'integer' as const }));

export function figures(store: Store, vitals: Vitals & { readonly node: FiguredNode }): () => Promise<string> {
  const { condition } = store;
  const sql = countsOf(store.dialect.pick(DATABASE_BYTES));
  /** Since when devices are seen to wait for a replay. */
  let waitingSince = new Map<number, number>();
  let asked: { at: number; counts: Promise<Counts | undefined> } | undefined;

  /** Away from the main thread, and with a deadline. */
  async function count(): Promise<Counts | undefined> {
    const ask = async (text: string, names: readonly string[]) =>
      JSON.parse(await store.search({ sql: text, cells: [], shape: integers(names), owner: 'metrics' }));
    try {
      const [counts] = (await ask(sql, COUNTED)) as Counts[];
      const now = performance.now();
      const waiting = counts!.replays ? ((await ask(WAITING, ['deviceId'])) as { deviceId: number }[]) : [];
      waitingSince = new Map(waiting.map(({ deviceId }) => [deviceId, waitingSince.get(deviceId) ?? now]));
      return counts;
    } catch {
      // The store does not answer: the other metrics are returned anyway.
      return undefined;
    }
  }

  return async () => {
    const now = performance.now();
    if (asked === undefined || now - asked.at >= FRESH_MS) asked = { at: now, counts: count() };
    const counts = await asked.counts;
    const { isReady } = await vitals.ready();
    const text = new MetricsText();
    text.family('trackway_node_info', 'gauge', 'The node that responds, by name, version and id.');
    text.sample('trackway_node_info', 1, { node: labelOf(vitals.node.name), version: VERSION, id: vitals.node.id });
    text.gauge('trackway_nodes', 'Nodes of the database that this node knows.', vitals.node.count());
    text.gauge(
      'trackway_node_slots',
      'Slots whose timers run on this node; the sum over all nodes is 64.',
      listedSlots(vitals.owned).length,
    );
    text.gauge(
      'trackway_node_lag_seconds',
      'Maximum delay of the work of this node in the last two seconds.',
      vitals.lagMs() / 1000,
    );
    text.gauge('trackway_ready', 'Whether the service can store what it acknowledges.', isReady ? 1 : 0);
    text.family('trackway_store_problem', 'gauge', 'Current problems of the database, by kind.');
    for (const kind of KINDS)
      text.sample('trackway_store_problem', condition.problems.some((one) => one.kind === kind) ? 1 : 0, { kind });
    text.family(
      'trackway_store_errors_total',
      'counter',
      'Errors of the database that callers did not cause, by kind.',
    );
    for (const kind of KINDS) text.sample('trackway_store_errors_total', condition.errors.get(kind) ?? 0, { kind });
    text.gauge(
      'trackway_last_commit_age_seconds',
      'Time since data was last stored. Readiness checks store something if nothing else does.',
      condition.committedAt === undefined ? undefined : (performance.now() - condition.committedAt) / 1000,
    );
    text.gauge(
      'trackway_damage_check_timestamp_seconds',
      'When the embedded database was last checked for damage.',
      condition.checkedAt === undefined ? undefined : condition.checkedAt / 1000,
    );
    text.gauge('trackway_disk_free_bytes', 'Free space on the disk of the data folder.', condition.disk?.free);
    text.gauge('trackway_disk_total_bytes', 'Size of the disk of the data folder.', condition.disk?.total);
    text.gauge('trackway_log_bytes', 'Size of the write-ahead log.', condition.disk?.logBytes);
    text.gauge(
      'trackway_clock_doubt_seconds',
      'Difference between the clocks of the server and of most devices.',
      vitals.clockDoubtS?.() ?? 0,
    );
    text.family(
      'trackway_queue_length',
      'gauge',
      'Length of the queues: reports for the writer, work for the database, searches.',
    );
    const { writer, search } = store.queues();
    for (const [queue, length] of Object.entries({ intake: vitals.intakeWaiting?.() ?? 0, writer, search }))
      text.sample('trackway_queue_length', length, { queue });
    text.gauge('trackway_live_streams', 'Open live streams.', vitals.streams());
    if (vitals.forgetting) text.add(ofForgetting(vitals.forgetting()));
    if (vitals.trackers) text.add(ofTrackers(vitals.trackers()));
    if (counts !== undefined) text.add(ofCounts(counts, waitingSince));
    return text.toString();
  };
}

/** Which node answers, and how many it sees. */
type FiguredNode = Pick<OwnNode, 'id' | 'name' | 'count'>;

/** As a label of Prometheus may be. */
const labelOf = (text: string) => text.replaceAll(/[\\"\n]/g, '_');

function ofForgetting({ isRunning, devices, removed }: ForgettingProgress): MetricsText {
  const text = new MetricsText();
  text.gauge('trackway_retention_running', 'Whether this node is deleting old history.', isRunning ? 1 : 0);
  text.gauge('trackway_retention_devices', 'Devices that the last run has processed.', devices);
  text.family(
    'trackway_forgotten_total',
    'counter',
    'Rows that this node has deleted by retention since its start, by kind.',
  );
  for (const [kind, count] of Object.entries(removed)) text.sample('trackway_forgotten_total', count, { kind });
  return text;
}

function ofTrackers({ connections, refused, undecoded }: TrackerFigures): MetricsText {
  const text = new MetricsText();
  text.family('trackway_tracker_connections', 'gauge', 'Open connections of trackers, by protocol.');
  for (const [protocol, count] of connections) text.sample('trackway_tracker_connections', count, { protocol });
  text.family(
    'trackway_tracker_refused_total',
    'counter',
    'Connections of trackers that were rejected because of the limits.',
  );
  text.sample('trackway_tracker_refused_total', refused);
  text.family(
    'trackway_undecoded_frames_total',
    'counter',
    'Frames of trackers that could not be decoded, by protocol.',
  );
  for (const [protocol, count] of undecoded) text.sample('trackway_undecoded_frames_total', count, { protocol });
  return text;
}

function ofCounts(counts: Counts, waitingSince: ReadonlyMap<number, number>): MetricsText {
  const now = timeNow();
  const text = new MetricsText();
  text.family('trackway_outbox_rows', 'gauge', 'Deliveries in the outbox, by state.');
  for (const state of OUTBOX_STATES) text.sample('trackway_outbox_rows', counts[state] ?? 0, { state });
  const ageOf = (time: number | null) => (time === null ? 0 : Math.max(0, (now - time) / 1000));
  text.gauge('trackway_outbox_lag_seconds', 'Time that the oldest due delivery has waited.', ageOf(counts.outboxDue));
  text.gauge('trackway_outbox_oldest_seconds', 'Age of the oldest queued delivery.', ageOf(counts.outboxOldest));
  text.gauge('trackway_destinations_down', 'Destinations that are down.', counts.destinationsDown ?? 0);
  text.gauge('trackway_replays_waiting', 'Devices that wait for re-evaluation.', counts.replays ?? 0);
  const since = Math.min(...waitingSince.values());
  text.gauge(
    'trackway_replays_oldest_seconds',
    'Longest time that a device has waited for re-evaluation.',
    waitingSince.size === 0 ? 0 : (performance.now() - since) / 1000,
  );
  text.gauge('trackway_quarantined_items', 'Items in quarantine.', counts.quarantined ?? 0);
  text.gauge('trackway_database_bytes', 'Size of the database.', counts.bytes ?? 0);
  return text;
}

class MetricsText {
  readonly #lines: string[] = [];

  family(name: string, type: 'gauge' | 'counter', help: string): void {
    this.#lines.push(`# HELP ${name} ${help}`, `# TYPE ${name} ${type}`);
  }

  sample(name: string, value: number, labels: Readonly<Record<string, string>> = {}): void {
    const pairs = Object.entries(labels).map(([label, text]) => `${label}="${text}"`);
    this.#lines.push(`${name}${pairs.length > 0 ? `{${pairs.join(',')}}` : ''} ${value}`);
  }

  /** Leaves out what is not known. */
  gauge(name: string, help: string, value: number | undefined): void {
    if (value === undefined) return;
    this.family(name, 'gauge', help);
    this.sample(name, value);
  }

  add(other: MetricsText): void {
    this.#lines.push(...other.#lines);
  }

  toString(): string {
    return `${this.#lines.join('\n')}\n`;
  }
}
