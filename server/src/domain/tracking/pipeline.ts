import type { Kysely } from 'kysely';
import type { ReportingIdentity } from '../../calls.ts';
import { defineWork, type Work, type Workplace } from '../../platform/storage/work.ts';
import { deviceInactive } from '../../refusals.ts';
import type { Report } from '../../reports.ts';
import type { SendingPolicy } from '../delivery/sending-policy.ts';
import { FOREVER, type KeptDays } from '../positions/segments.ts';
import { reserveLater } from '../positions/write.ts';
import type { Store, Tables } from '../schema/tables.ts';
import type { ProximityInput } from './evaluate/inputs.ts';
import { type ImportedPositions, type StoredImport, storeImport } from './history/store-import.ts';
import { appendReports } from './intake/append-reports.ts';
import { Batches, HEAVY_WEIGHT } from './intake/batches.ts';
import { evaluate, record, sendEvaluated } from './intake/evaluate.ts';
import { matchSensors, noteSightings } from './intake/sensors.ts';
import { stageReadings } from './relay-readings.ts';
import { type DeviceBatch, emptyBatch } from './report/device-batch.ts';
import {
  isLarge,
  type NormalizedReport,
  normalItems,
  normalizePoint,
  normalizeReport,
  type QuarantinedItem,
  type Receipted,
  type ReportReceipt,
  type ReportReception,
  weightOf,
} from './report/normalize.ts';
import { receiptOf, slicesOf } from './report/slices.ts';
import { HEAVY_UNITS, TRANSACTION_UNITS } from './state/budget.ts';
import { lockReportingStates, StateCache } from './state/lock-state.ts';
import { RulesCache } from './state/rules-cache.ts';
import type { ClockDoubt } from './timers/clock-doubt.ts';

/**
 * The way of a position, whatever sent it, in three forms: a `Report` as it was decoded, a `Position` in units and limits
 * of ours, and the row.
 *
 *  1. receive: `Pipeline.store` is called by all endpoints, with the device that the caller has identified.
 *  2. normalize: times, limits and texts, in the main thread. What cannot be true is quarantined with its reason.
 *     Reports that arrive meanwhile share a transaction. Where SQLite writes, it runs in the thread of the writer:
 *  3. identify: locks the states of the devices, and checks that each still is what identified it.
 *  4. store: what is new of each report becomes rows.
 *  5. evaluate: motion, geofences and triggers of what came in order; nothing is written. What is late is marked.
 *  6. record: trips, notifications, the states of the devices.
 *  7. send: the outbox and the live log. The transaction is committed.
 *  8. respond: each report gets its receipt.
 *
 * For a position in order that changes nothing else, the statements of a batch are: identify `LOCK_REPORTING`
 * (`state/lock-state.ts`), store `INSERT_WITH_ID` (`positions/write.ts`), evaluate `geofenceRevisions.revision`
 * (`state/rules-cache.ts`), record `SAVE` (`state/lock-state.ts`) and `UPDATE` (`intake/last-connection.ts`), send `LOG`
 * (`live/append-live-events.ts`). SQLite runs each for each row, PostgreSQL for all rows at once.
 */

type Tx = Kysely<Tables>;

export interface Receipt extends ReportReceipt {
  readonly quarantined: readonly QuarantinedItem[];
}

/** What was committed, for observers. */
export interface CommittedBatch {
  /** The number of positions. */
  readonly points: number;
  /** The devices with outgoing data. */
  readonly outgoing: readonly number[];
  /** Of devices with a `proximity` trigger. */
  readonly proximity: readonly ProximityInput[];
}

interface PipelineOptions {
  readonly windowMs: number;
  /** For how many days items are stored: forever, where it is not said. */
  readonly kept?: KeptDays;
  /** How much one transaction evaluates, see `Budget`. */
  readonly units?: number;
  /** How old imported positions are that are packed at once; none are, where it is not said. */
  readonly packAfterMs?: number;
  /** How long a commit waits for more reports while many come, in milliseconds; it does not wait, where it is not said. */
  readonly commitWaitMs?: number;
  readonly publish: (committed: CommittedBatch) => void;
  /** Called with each device that has a late mark. */
  readonly lateDataOf: (deviceId: number) => void;
  /** Evaluates staged readings of these gateways about devices of other servers. */
  readonly relay?: (gatewayIds: readonly number[]) => Promise<void>;
  /** Compares the clock of the server with the clocks of devices. */
  readonly clockDoubt?: ClockDoubt;
}

/** SQLite has one writer, but the next batch is there when it has done one. PostgreSQL works in another process anyway. */
const COMMITS = {
  sqlite: { maxParallelCommits: 2, minWeightForAnother: 40 },
  postgres: { maxParallelCommits: 2 },
};

/** Commits of different groups of devices do not wait for each other. */
const GROUP_COMMITS = { maxParallelCommits: 4, minWeightForAnother: 40 };

/** A part of a history is a transaction of its own, in turn with the reports of the device. */
interface ImportJob extends ImportedPositions {
  readonly weight: number;
  receipt: Receipted;
}

type Job = NormalizedReport | ImportJob;

const isImport = (job: Job): job is ImportJob => 'positions' in job;

/** Receives the reports of devices. */
export class Pipeline {
  readonly #storeBatch: (reports: readonly NormalizedReport[]) => Promise<StoredBatch>;
  readonly #storeImport: (part: ImportedPositions) => Promise<StoredImport>;
  readonly #options: PipelineOptions;
  readonly #batches: Batches<Job>;
  /** The large reports that are being normalized, by their devices: what the same device sends next waits for them. */
  readonly #normalizing = new Map<number, Promise<unknown>>();

  constructor(store: Store, { policy }: Pick<RulesCache, 'policy'>, options: PipelineOptions) {
    this.#options = options;
    const { windowMs, packAfterMs, kept = FOREVER, units = TRANSACTION_UNITS } = options;
    this.#storeBatch = store.work(storeBatch, { windowMs, kept, units, policy, groupOf: store.dialect.shardOf });
    this.#storeImport = store.work(storeImport, { windowMs, kept, units, policy, packAfterMs });
    this.#batches = new Batches((jobs) => this.#commit(jobs), {
      ...(store.dialect.shardOf ? GROUP_COMMITS : store.dialect.pick(COMMITS)),
      groupOf: store.dialect.shardOf,
      waitMs: options.commitWaitMs,
    });
  }

  /**
   * Resolves once everything in the report is durable; undefined where the device is gone. Refuses an inactive device.
   * @param identity what identified the device: nothing is stored where that is no longer the device's
   */
  async store(
    deviceId: number,
    report: Report,
    now: number,
    { keyHash, identifier }: Omit<ReportingIdentity, 'deviceId'> = {},
  ): Promise<Receipt | undefined> {
    if (report.isImported) return this.#import(deviceId, report, now);
    const { clockDoubt } = this.#options;
    if (!report.isReleased) clockDoubt?.observe(deviceId, report, now);
    const isClockInDoubt = (clockDoubt?.offsetMs() ?? null) !== null;
    const normalized = await this.#normalize(deviceId, report, { now, keyHash, identifier, isClockInDoubt });
    const slices = slicesOf(normalized);
    await this.#batches.joinAll(slices);
    return respond(receiptOf(slices), normalized.quarantined);
  }

  /** How many reports wait to be stored. */
  get waiting(): number {
    return this.#batches.waiting;
  }

  /** Resolves once all that has come of a device so far is stored, or was refused. */
  settled(deviceId: number): Promise<void> {
    return this.#batches.settled(deviceId);
  }

  /** Waits for what is under way. */
  stop(): Promise<void> {
    return this.#batches.stop();
  }

  async #import(deviceId: number, report: Report, now: number): Promise<Receipt | undefined> {
    const positions = report.points.map((point) => normalizePoint(point, now)).filter((one) => typeof one !== 'string');
    const job: ImportJob = {
      deviceId,
      now,
      weight: weightOf(report),
      positions,
      part: report.importPart,
      receipt: undefined,
    };
    await this.#batches.join(job);
    return respond(job.receipt, []);
  }

  /** In the order of the device's reports. */
  #normalize(
    deviceId: number,
    report: Report,
    reception: ReportReception,
  ): NormalizedReport | Promise<NormalizedReport> {
    const before = this.#normalizing.get(deviceId);
    if (before === undefined && !isLarge(report)) return normalizeReport(deviceId, report, reception);
    const normalized = (async () => {
      await before;
      const ready = isLarge(report) ? await normalItems(report, reception.now) : undefined;
      return normalizeReport(deviceId, report, reception, ready);
    })();
    const settled = normalized
      .catch(() => {})
      .then(() => {
        if (this.#normalizing.get(deviceId) === settled) this.#normalizing.delete(deviceId);
      });
    this.#normalizing.set(deviceId, settled);
    return normalized;
  }

  async #commit(jobs: readonly Job[]): Promise<void> {
    const reports: NormalizedReport[] = [];
    for (const job of jobs) {
      if (isImport(job)) await this.#commitImport(job);
      else reports.push(job);
    }
    if (reports.length === 0) return;
    const { receipts, late, staged, ...committed } = await this.#storeBatch(reports);
    for (const [index, report] of reports.entries()) report.receipt = receipts[index];
    this.#options.publish(committed);
    for (const deviceId of late) this.#options.lateDataOf(deviceId);
    if (staged.length > 0) await this.#options.relay?.(staged);
  }

  async #commitImport(job: ImportJob): Promise<void> {
    const { deviceId, now, positions, part } = job;
    const { receipt, stored, isLate } = await this.#storeImport({ deviceId, now, positions, part });
    job.receipt = receipt;
    this.#options.publish({ points: stored, outgoing: [], proximity: [] });
    if (isLate) this.#options.lateDataOf(deviceId);
  }
}

function respond(receipt: Receipted, quarantined: NormalizedReport['quarantined']): Receipt | undefined {
  if (receipt === undefined) return undefined;
  if (receipt === 'inactive') throw deviceInactive();
  return { ...receipt, quarantined: quarantined.map(({ list, index, reason }) => ({ list, index, reason })) };
}

interface StoreBatchOptions {
  readonly windowMs: number;
  /** For how many days items are stored. */
  readonly kept: KeptDays;
  /** How much one transaction evaluates, see `Budget`. */
  readonly units: number;
  readonly policy: SendingPolicy;
  /** Devices of one group are at one server; undefined where all are. */
  readonly groupOf: ((deviceId: number) => number) | undefined;
}

interface StoredBatch extends CommittedBatch {
  /** One per report. */
  readonly receipts: readonly Receipted[];
  /** The devices that have a late mark. */
  readonly late: readonly number[];
  /** The gateways whose readings about devices of other servers are staged. */
  readonly staged: readonly number[];
}

interface Written {
  readonly reports: readonly NormalizedReport[];
  readonly devices: readonly DeviceBatch[];
  readonly outgoing: readonly number[];
  readonly staged: readonly number[];
}

/** The transaction of a batch of reports. */
class StoreBatch implements Work<Tables, readonly NormalizedReport[], Written, StoredBatch> {
  readonly #workplace: Workplace<Tables>;
  readonly #rulesCache: RulesCache;
  readonly #options: StoreBatchOptions;
  readonly #states = new StateCache();

  constructor(workplace: Workplace<Tables>, options: StoreBatchOptions) {
    this.#workplace = workplace;
    this.#rulesCache = new RulesCache(workplace, options.windowMs, options.policy);
    this.#options = options;
  }

  async run(tx: Tx, message: readonly NormalizedReport[]): Promise<Written> {
    const { policy } = this.#options;
    // Without receipts, also where the batch is tried again after one of its reports has failed.
    const reports = message.map((report) => ({ ...report, receipt: undefined as Receipted }));
    const sensors = await matchSensors(tx, reports);
    const deviceIds = [...reports.map(({ deviceId }) => deviceId), ...sensors.deviceIds];
    const rules = this.#rulesCache.reading(reports.at(-1)!.now);
    const positions = reports.reduce((sum, { points }) => sum + points.length, 0);
    const ids = await reserveLater(tx, positions);
    if (!this.#workplace.dialect.isEmbedded) await rules.ahead(tx, deviceIds);

    const { accepted, locked } = await this.#identify(tx, reports, deviceIds);
    if (accepted.length === 0) return { reports, devices: [], outgoing: [], staged: [] };
    const { now } = accepted.at(-1)!;
    const { here, staged } = await this.#store(tx, accepted, locked, { sensedBy: sensors.find, ids, now });
    const touched = new Set([...accepted.map(({ deviceId }) => deviceId), ...sensors.deviceIds]);
    const devices = here.filter(({ deviceId }) => touched.has(deviceId));
    const units = reports.some(isCut) ? Math.min(this.#options.units, HEAVY_UNITS) : this.#options.units;
    const evaluated = await evaluate(devices, { units, rulesFor: rules.of });
    await record(tx, evaluated, policy, now);
    const outgoing = await sendEvaluated(tx, evaluated, policy, now);
    return { reports, devices, outgoing, staged };
  }

  committed({ reports, devices, outgoing, staged }: Written): StoredBatch {
    const late: number[] = [];
    const proximity: ProximityInput[] = [];
    let stored = 0;
    for (const { stateRow, deviceId, points, readings } of devices) {
      this.#states.committed(stateRow);
      if (stateRow.lateFrom !== null) late.push(deviceId);
      if (this.#rulesCache.hasTrigger(deviceId, 'proximity')) proximity.push({ deviceId, points, readings });
      stored += points.length;
    }
    return { receipts: reports.map(({ receipt }) => receipt), late, points: stored, outgoing, proximity, staged };
  }

  async #identify(
    tx: Tx,
    reports: readonly NormalizedReport[],
    deviceIds: readonly number[],
  ): Promise<{ readonly accepted: readonly NormalizedReport[]; readonly locked: ReadonlyMap<number, DeviceBatch> }> {
    const rows = await lockReportingStates(tx, [...new Set(deviceIds)], this.#states);
    const locked = new Map([...rows].map(([deviceId, stateRow]) => [deviceId, emptyBatch(stateRow)]));
    return { accepted: reports.filter((report) => isAccepted(report, locked.get(report.deviceId))), locked };
  }

  /** Returns the devices of this server, and the gateways that have staged readings about devices of others. */
  async #store(
    tx: Tx,
    accepted: readonly NormalizedReport[],
    locked: ReadonlyMap<number, DeviceBatch>,
    { now, ...appending }: Pick<Parameters<typeof appendReports>[3], 'sensedBy' | 'ids'> & { readonly now: number },
  ): Promise<{ readonly here: readonly DeviceBatch[]; readonly staged: readonly number[] }> {
    const { windowMs, kept, groupOf } = this.#options;
    const newestBefore = new Map([...locked].map(([deviceId, { stateRow }]) => [deviceId, stateRow.newestAt]));
    await appendReports(tx, accepted, locked, { windowMs, kept, ...appending });
    // What is about devices of other servers is evaluated in transactions of their own.
    const home = groupOf?.(accepted[0]!.deviceId);
    const isElsewhere = (deviceId: number) => groupOf?.(deviceId) !== home;
    const here = new Map([...locked].filter(([deviceId]) => !isElsewhere(deviceId)));
    const noting = { now, tooOld: now - windowMs, newestBefore, isElsewhere };
    const places = await noteSightings(tx, here, noting);
    const isAllHere = here.size === locked.size && places.length === 0;
    const staged = isAllHere ? [] : await stageReadings(tx, [...here.values()], places, { isElsewhere, now });
    return { here: [...here.values()], staged };
  }
}

const isCut = ({ weight }: NormalizedReport) => weight >= HEAVY_WEIGHT;

/**
 * Whether the device exists, is still identified by the key or identity of the report, and is active. A report that was
 * released from quarantine is accepted for an inactive device too.
 */
function isAccepted(report: NormalizedReport, device: DeviceBatch | undefined): boolean {
  const { keyHash, identifier, isReleased } = report;
  if (device === undefined || (keyHash !== undefined && keyHash !== device.stateRow.keyHash)) return false;
  if (identifier !== undefined && !device.stateRow.identifiers.includes(identifier)) return false;
  if (device.stateRow.isActive || isReleased) return true;
  report.receipt = 'inactive';
  return false;
}

export const storeBatch = defineWork(
  import.meta.url,
  (workplace: Workplace<Tables>, options: StoreBatchOptions) => new StoreBatch(workplace, options),
);
