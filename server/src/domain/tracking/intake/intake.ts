import { deviceInactive } from '../../../refusals.ts';
import type { Report } from '../../../reports.ts';
import { FOREVER, type KeptDays } from '../../positions/kept-days.ts';
import { slotOf } from '../../schema/slot.ts';
import type { Store } from '../../schema/tables.ts';
import { TRANSACTION_UNITS } from '../state/budget.ts';
import type { ProximityInput } from '../state/proximity-input.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { Batches } from './batches.ts';
import type { ClockDoubt } from './clock-doubt.ts';
import { type HandedReport, handOver, receiptFrom } from './normalized/handed-report.ts';
import { isLarge, normalItems } from './normalized/normalize-in-steps.ts';
import {
  type NormalizedReport,
  normalizeReport,
  type QuarantinedItem,
  type ReportReceipt,
  type ReportReception,
} from './normalized/normalized-report.ts';
import { receiptOf, slicesOf } from './slices.ts';
import { type StoredBatch, storeBatch } from './store-batch.ts';

/**
 * The path of a report: it is normalized, stored together with others in one durable transaction, and only then
 * acknowledged. What comes in order is judged in the same transaction, what comes late by a replay.
 */

export interface Receipt extends ReportReceipt {
  readonly quarantined: readonly QuarantinedItem[];
}

/** What was committed, for whoever watches. */
export interface CommittedBatch {
  /** The number of positions. */
  readonly points: number;
  /** The devices of which anything must be sent. */
  readonly outgoing: readonly number[];
  /** Of devices with a `proximity` trigger. */
  readonly proximity: readonly ProximityInput[];
}

export interface IntakeOptions {
  readonly windowMs: number;
  /** For how many days items are stored: forever, where it is not said. */
  readonly kept?: KeptDays;
  /** How much judging one transaction does, see `Budget`. */
  readonly units?: number;
  /** How old imported positions are that are packed at once; none are, where it is not said. */
  readonly packAfterMs?: number;
  readonly publish: (committed: CommittedBatch) => void;
  /** Called with each device that has a late mark. */
  readonly late: (deviceId: number) => void;
  /** Compares the clock of the server with those of devices. */
  readonly clockDoubt?: ClockDoubt;
}

/** SQLite has one writer, but the next batch is there when it has done one. PostgreSQL works in another process anyway. */
const COMMITS = {
  sqlite: { maxParallelCommits: 2, minWeightForAnother: 40 },
  postgres: { maxParallelCommits: 2 },
};

/** Where rows are spread over servers, commits of different groups of slots have nothing to wait for in common. */
const SPREAD_COMMITS = { maxParallelCommits: 4, minWeightForAnother: 40 };

export class Intake {
  readonly #storeBatch: (reports: readonly HandedReport[]) => Promise<StoredBatch>;
  readonly #options: IntakeOptions;
  readonly #batches: Batches<NormalizedReport>;
  /** The large reports that are being normalized, by their devices: what the same device sends next waits for them. */
  readonly #normalizing = new Map<number, Promise<unknown>>();

  constructor(store: Store, { policy }: Pick<RulesCache, 'policy'>, options: IntakeOptions) {
    this.#options = options;
    this.#storeBatch = store.work(storeBatch, {
      windowMs: options.windowMs,
      kept: options.kept ?? FOREVER,
      units: options.units ?? TRANSACTION_UNITS,
      policy,
      packAfterMs: options.packAfterMs,
    });
    const { groupOfSlot } = store;
    this.#batches = new Batches((reports) => this.#commit(reports), {
      ...(groupOfSlot ? SPREAD_COMMITS : COMMITS[store.storeKind]),
      groupOf: groupOfSlot && ((deviceId) => groupOfSlot(slotOf(deviceId))),
    });
  }

  /**
   * Resolves once everything in the report is durable; undefined where the device is gone. Refuses an inactive device.
   * @param keyHash of the key the device used: nothing is stored where the device has another one by now
   */
  async store(deviceId: number, report: Report, now: number, keyHash?: string): Promise<Receipt | undefined> {
    const { clockDoubt } = this.#options;
    if (!report.isReleased && !report.isImported) clockDoubt?.observe(deviceId, report, now);
    const isClockInDoubt = (clockDoubt?.offsetMs() ?? null) !== null;
    const normalized = await this.#normalized(deviceId, report, { now, keyHash, isClockInDoubt });
    const slices = slicesOf(normalized);
    await this.#batches.joinAll(slices);
    const receipt = receiptOf(slices);
    if (receipt === undefined) return undefined;
    if (receipt === 'inactive') throw deviceInactive();
    const quarantined = normalized.quarantined.map(({ list, index, reason }) => ({ list, index, reason }));
    return { ...receipt, quarantined };
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

  /** In the order in which a device sent its reports. */
  #normalized(
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

  async #commit(reports: readonly NormalizedReport[]): Promise<void> {
    const { receipts, late, ...committed } = await this.#storeBatch(reports.map(handOver));
    for (const [index, report] of reports.entries()) report.receipt = receiptFrom(receipts[index]);
    this.#options.publish(committed);
    for (const deviceId of late) this.#options.late(deviceId);
  }
}
