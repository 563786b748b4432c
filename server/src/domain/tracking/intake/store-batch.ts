import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { defineWork, type Work, type Workplace } from '../../../platform/storage/work.ts';
import type { KeptDays } from '../../positions/kept-days.ts';
import { reserveLater } from '../../positions/reserve-ids.ts';
import { isCarrying } from '../../positions/write.ts';
import type { Tables } from '../../schema/tables.ts';
import type { SendingPolicy } from '../../sending/sending-policy.ts';
import { HEAVY_UNITS } from '../state/budget.ts';
import { lockReportingStates } from '../state/lock-state.ts';
import type { ProximityInput } from '../state/proximity-input.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { StateCache } from '../state/state-cache.ts';
import { appendReports } from './append-reports.ts';
import { HEAVY_WEIGHT } from './batches.ts';
import type { DeviceBatch } from './device-batch.ts';
import { judgeBatch } from './judge-batch.ts';
import { matchSensors } from './match-sensors.ts';
import { type HandedReceipt, type HandedReport, handBack, takeOver } from './normalized/handed-report.ts';
import type { NormalizedReport } from './normalized/normalized-report.ts';
import { noteHearings } from './note-hearings.ts';

type Tx = Kysely<Tables>;

interface StoreBatchOptions {
  readonly windowMs: number;
  /** For how many days items are stored. */
  readonly kept: KeptDays;
  /** How much judging one transaction does, see `Budget`. */
  readonly units: number;
  readonly policy: SendingPolicy;
  /** How old imported positions are that are packed at once; undefined where none are. */
  readonly packAfterMs: number | undefined;
}

export interface StoredBatch {
  /** One per report. */
  readonly receipts: readonly HandedReceipt[];
  /** The devices that have a late mark. */
  readonly late: readonly number[];
  /** The number of positions stored. */
  readonly points: number;
  /** The devices of which anything must be sent. */
  readonly outgoing: readonly number[];
  readonly proximity: readonly ProximityInput[];
}

interface Written {
  readonly reports: readonly NormalizedReport[];
  readonly devices: readonly DeviceBatch[];
  readonly outgoing: readonly number[];
}

/** Stores a batch of reports in one transaction: append, judge what comes in order, write all that follows. */
class StoreBatch implements Work<Tables, readonly HandedReport[], Written, StoredBatch> {
  readonly #storeKind: StoreKind;
  readonly #workplace: Workplace<Tables>;
  readonly #rulesCache: RulesCache;
  readonly #windowMs: number;
  readonly #kept: KeptDays;
  readonly #units: number;
  readonly #packAfterMs: number | undefined;
  /** Whether positions of an earlier version may still have to be carried over. */
  #mayCarry = true;
  readonly #states = new StateCache();

  constructor(workplace: Workplace<Tables>, { windowMs, kept, units, policy, packAfterMs }: StoreBatchOptions) {
    this.#storeKind = workplace.storeKind;
    this.#workplace = workplace;
    this.#rulesCache = new RulesCache(workplace, windowMs, policy);
    this.#windowMs = windowMs;
    this.#kept = kept;
    this.#units = units;
    this.#packAfterMs = packAfterMs;
  }

  async run(tx: Tx, handed: readonly HandedReport[]): Promise<Written> {
    const reports = handed.map(takeOver);
    const storeKind = this.#storeKind;
    const sensors = await matchSensors(tx, reports);
    const deviceIds = [...reports.map(({ deviceId }) => deviceId), ...sensors.deviceIds];
    const rules = this.#rulesCache.reading(reports.at(-1)!.now);
    const ids = await idsOnTheWay(tx, storeKind, reports);
    if (storeKind === 'postgres') rules.ahead(deviceIds);
    const locked = await this.#lock(tx, deviceIds);
    const accepted = reports.filter((report) => isAccepted(report, locked.get(report.deviceId)));
    if (accepted.length === 0) return { reports, devices: [], outgoing: [] };
    const newestBefore = new Map([...locked].map(([deviceId, { stateRow }]) => [deviceId, stateRow.newest]));
    const packAfterMs = accepted.some(({ isImported }) => isImported) ? await this.#packing(tx) : undefined;
    const appending = { windowMs: this.#windowMs, kept: this.#kept, sensedBy: sensors.find, packAfterMs, ids };
    await appendReports(tx, storeKind, accepted, locked, appending);
    const { now } = accepted.at(-1)!;
    await noteHearings(tx, storeKind, locked, { now, tooOld: now - this.#windowMs, newestBefore });
    const touched = new Set([...accepted.map(({ deviceId }) => deviceId), ...sensors.deviceIds]);
    const devices = [...locked.values()].filter(({ deviceId }) => touched.has(deviceId));
    const outgoing = await judgeBatch(tx, this.#workplace, this.#rulesCache, devices, {
      now,
      units: reports.some(isCut) ? Math.min(this.#units, HEAVY_UNITS) : this.#units,
      rulesFor: rules.of,
    });
    return { reports, devices, outgoing };
  }

  /** Nothing is packed before what an earlier version stored is carried over. */
  async #packing(tx: Tx): Promise<number | undefined> {
    if (this.#packAfterMs !== undefined && this.#mayCarry) this.#mayCarry = await isCarrying(tx);
    return this.#mayCarry ? undefined : this.#packAfterMs;
  }

  committed({ reports, devices, outgoing }: Written): StoredBatch {
    const late: number[] = [];
    const proximity: ProximityInput[] = [];
    let stored = 0;
    for (const { stateRow, deviceId, points, imported, readings } of devices) {
      this.#states.committed(stateRow);
      if (stateRow.lateFrom !== null) late.push(deviceId);
      if (this.#rulesCache.hasTrigger(deviceId, 'proximity'))
        // It goes to another thread, so it takes along no more than is needed there.
        proximity.push({ deviceId, points: points.map(({ cells: _, ...point }) => point), readings });
      stored += points.length + imported.length;
    }
    return { receipts: reports.map(({ receipt }) => handBack(receipt)), late, points: stored, outgoing, proximity };
  }

  async #lock(tx: Tx, deviceIds: readonly number[]): Promise<Map<number, DeviceBatch>> {
    const rows = await lockReportingStates(tx, this.#storeKind, [...new Set(deviceIds)], this.#states);
    const devices = new Map<number, DeviceBatch>();
    for (const [deviceId, stateRow] of rows)
      devices.set(deviceId, {
        stateRow,
        deviceId,
        hasReported: false,
        inputs: [],
        points: [],
        imported: [],
        toPack: [],
        readings: [],
        messages: [],
      });
    return devices;
  }
}

/** As many ids as there may be new positions; imports, which are mostly packed, take their own. */
const idsOnTheWay = (tx: Tx, storeKind: StoreKind, reports: readonly NormalizedReport[]) =>
  reports.some(({ isImported }) => isImported)
    ? undefined
    : reserveLater(
        tx,
        storeKind,
        reports.reduce((sum, { points }) => sum + points.length, 0),
      );

/** What is imported is judged in one go with what stores it: to read it again would take longer. */
const isCut = ({ weight, isImported }: NormalizedReport) => weight >= HEAVY_WEIGHT && !isImported;

/** Whether the device exists, still has the key it used, and is active; what was quarantined is no report of it now. */
function isAccepted(report: NormalizedReport, device: DeviceBatch | undefined): boolean {
  const { keyHash, isReleased, isImported } = report;
  if (device === undefined || (keyHash !== undefined && keyHash !== device.stateRow.keyHash)) return false;
  if (device.stateRow.isActive || isReleased || isImported) return true;
  report.receipt = 'inactive';
  return false;
}

export const storeBatch = defineWork(
  import.meta.url,
  (workplace: Workplace<Tables>, options: StoreBatchOptions) => new StoreBatch(workplace, options),
);
