import type { Kysely } from 'kysely';
import { runLater } from '../../../platform/storage/later.ts';
import { defineWork, type Work, type Workplace } from '../../../platform/storage/work.ts';
import type { ImportPart } from '../../../reports.ts';
import type { SendingPolicy } from '../../delivery/sending-policy.ts';
import { encodeOf } from '../../positions/encode.ts';
import { newestRows, newestWith, staysRowFrom } from '../../positions/newest-rows.ts';
import { type KeptDays, startOfDay } from '../../positions/segments.ts';
import { storePacked } from '../../positions/store-packed.ts';
import { insertEncoded, reserveIds } from '../../positions/write.ts';
import type { Tables } from '../../schema/tables.ts';
import { fixInputs } from '../evaluate/inputs.ts';
import { withoutExpired } from '../intake/append-reports.ts';
import { freshPositions } from '../intake/append-rows.ts';
import type { ReportReceipt } from '../report/normalize.ts';
import type { AppendedPosition, Position } from '../report/position.ts';
import { advanceState, hasEffects, saveEffects, timelinessOf } from '../state/apply-effects.ts';
import { budgetOf } from '../state/budget.ts';
import { type LockedReportingState, lockReportingStates, StateCache } from '../state/lock-state.ts';
import { hasOwnFences, saveOwnFences } from '../state/own-fences.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { stateUpdates } from '../state/save-state.ts';
import { countImported } from './import-row.ts';

type Tx = Kysely<Tables>;

/** Positions of a device from a file: history, which is evaluated at any age and sends no notifications. */
export interface ImportedPositions {
  readonly deviceId: number;
  readonly now: number;
  readonly positions: readonly Position[];
  /** The import that they are part of. */
  readonly part: ImportPart | undefined;
}

interface StoreImportOptions {
  readonly windowMs: number;
  /** For how many days items are stored. */
  readonly kept: KeptDays;
  /** How much one transaction evaluates, see `Budget`. */
  readonly units: number;
  readonly policy: SendingPolicy;
  /** How old positions are that are packed at once; undefined where none are. */
  readonly packAfterMs: number | undefined;
}

export interface StoredImport {
  /** Undefined where the device is gone. */
  readonly receipt: ReportReceipt | undefined;
  readonly stored: number;
  /** Whether the device has a late mark. */
  readonly isLate: boolean;
}

const NOTHING: StoredImport = { receipt: undefined, stored: 0, isLate: false };

/**
 * Stores a part of a history in one transaction. What comes in order is evaluated at once, the rest when the import ends.
 * Days that are old enough are packed after evaluating, and never become rows.
 */
class StoreImport implements Work<Tables, ImportedPositions, StoredImport, StoredImport> {
  readonly #options: StoreImportOptions;
  readonly #rulesCache: RulesCache;

  constructor(workplace: Workplace<Tables>, options: StoreImportOptions) {
    this.#options = options;
    this.#rulesCache = new RulesCache(workplace, options.windowMs, options.policy);
  }

  async run(tx: Tx, { deviceId, now, positions, part }: ImportedPositions): Promise<StoredImport> {
    const { kept, packAfterMs, policy } = this.#options;
    const stateRow = (await lockReportingStates(tx, [deviceId], new StateCache())).get(deviceId);
    if (stateRow === undefined) return NOTHING;
    const { report, expired } = withoutExpired(
      { now, points: positions, readings: [], gatewayReadings: [] },
      stateRow,
      kept,
    );
    const items = report.points;
    const [fresh] = await freshPositions(tx, [{ deviceId, newest: stateRow.newestAt, now, items }]);
    const packing = packAfterMs === undefined ? NEVER : await packingOf(tx, deviceId, fresh!, now - packAfterMs);
    const isRow = ({ timestamp }: Position) => timestamp >= packing.rowsBefore;
    const rows = fresh!.filter(isRow);
    const rowIds = await insertEncoded(
      tx,
      rows.map((position) => encodeOf(position, deviceId, now, null)),
    );
    const packedIds = await reserveIds(tx, fresh!.length - rows.length);
    const [nextRow, nextPacked] = [rowIds.values(), packedIds.values()];
    const stored = fresh!.map((position) => ({
      ...position,
      id: (isRow(position) ? nextRow : nextPacked).next().value!,
      judged: null,
    }));
    noteImport(stateRow, stored);
    const inputs = fixInputs(stored.toSorted((a, b) => a.timestamp - b.timestamp));
    const rules = await this.#rulesCache.rulesFor(deviceId, stateRow.rulesVersion, now, stateRow.state.at);
    const [first] = inputs;
    // What does not come in order is evaluated once all of it is there.
    const isLate = first !== undefined && timelinessOf(stateRow, first) === 'late';
    if (isLate) stateRow.importFrom = Math.min(stateRow.importFrom!, first.at);
    let outcome = advanceState(stateRow, isLate ? [] : inputs, rules, budgetOf(this.#options.units));
    if (packedIds.length > 0) {
      const isPacked = (position: Position) => !isRow(position);
      const marked = new Set(outcome.effects.implausible);
      const packed = stored.filter(isPacked).map((position) => ({
        ...position,
        created: now,
        judged: marked.has(position.id) ? ('implausible' as const) : null,
        locatingGateways: null,
        isLocatedByGateways: 0,
        reportedHash: null,
      }));
      await storePacked(tx, deviceId, { positions: packed, ...packing });
      for (const { id } of packed) marked.delete(id);
      outcome = { ...outcome, effects: { ...outcome.effects, implausible: [...marked] } };
    }
    if (hasEffects(outcome))
      await saveEffects(tx, stateRow, outcome, { now, ...policy, mayBeNotified: rules.mayBeNotified });
    if (hasOwnFences(stateRow, rules)) await saveOwnFences(tx, stateRow, rules);
    await runLater(tx, stateUpdates([{ stateRow, reportedAt: null }]));
    const duplicates = items.length - stored.length;
    if (part)
      await countImported(tx, part, { deviceId, times: items.map(({ timestamp }) => timestamp), duplicates, now });
    const { hasPending } = stateRow;
    const receipt = { accepted: stored.length, duplicates, ...(expired > 0 && { expired }), hasPending };
    return { receipt, stored: stored.length, isLate: stateRow.lateFrom !== null };
  }

  committed(done: StoredImport): StoredImport {
    return done;
  }
}

interface Packing {
  /** Positions before this time are packed, from it on they are rows. */
  readonly rowsBefore: number;
  /** The time of a row that was the newest of the device before. */
  readonly besides?: number;
}

const NEVER: Packing = { rowsBefore: Number.NEGATIVE_INFINITY };

async function packingOf(tx: Tx, deviceId: number, positions: readonly Position[], before: number): Promise<Packing> {
  const packBefore = startOfDay(before);
  if (!positions.some(({ timestamp }) => timestamp < packBefore)) return NEVER;
  const rows = await newestRows(tx, deviceId);
  const rowsBefore = Math.min(packBefore, staysRowFrom(newestWith(rows, positions)));
  const newestBefore = staysRowFrom(rows);
  return { rowsBefore, ...(newestBefore < rowsBefore && { besides: newestBefore }) };
}

/** Until the import ends, the timers of the device wait. Imported data sends no notifications. */
function noteImport(stateRow: LockedReportingState, stored: readonly AppendedPosition[]): void {
  stateRow.importFrom ??= Number.MAX_SAFE_INTEGER;
  for (const { timestamp } of stored) {
    stateRow.silentUntil = Math.max(stateRow.silentUntil, timestamp);
    stateRow.newestAt = Math.max(stateRow.newestAt, timestamp);
  }
}

export const storeImport = defineWork(
  import.meta.url,
  (workplace: Workplace<Tables>, options: StoreImportOptions) => new StoreImport(workplace, options),
);
