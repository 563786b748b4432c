import type { Report } from '../../../reports.ts';
import type { Store } from '../../schema/tables.ts';
import type { RuleShelf } from '../state/rules-cache.ts';
import { Groups } from './batches.ts';
import { type Delivery, type DeliveryReceipt, deliveryOf, type Quarantined } from './normalized-report.ts';
import type { Seen, TakeInOptions, TakenIn } from './store-batch.ts';

/**
 * The path of a fix. A report is normalized, taken in together with others in one durable transaction, and only then
 * acknowledged; what comes in order is judged in the same transaction, what comes late is judged again by a replay.
 */

export interface Receipt extends DeliveryReceipt {
  readonly quarantined: readonly Quarantined[];
}

/** What was committed, for whoever watches. */
export interface Committed {
  /** How many. */
  readonly points: number;
  /** Whether anything of it leaves the house. */
  readonly isOutgoing: boolean;
  /** Of devices that someone wants to know near another. */
  readonly seen: readonly Seen[];
}

export interface IngestOptions {
  readonly windowMs: number;
  readonly publish: (committed: Committed) => void;
  /** Told which devices have something to judge again. */
  readonly late: (deviceId: number) => void;
}

/** SQLite has one writer, but its next work is there when it is done with one; PostgreSQL works beside us anyway. */
const LANES = { sqlite: { lanes: 2, worthALane: 40 }, postgres: { lanes: 2 } };
const TAKE_IN = new URL('./store-batch.ts', import.meta.url).href;

export class Ingest {
  readonly #takeIn: (deliveries: readonly Delivery[]) => Promise<TakenIn>;
  readonly #options: IngestOptions;
  readonly #groups: Groups<Delivery>;

  constructor(store: Store, { house }: Pick<RuleShelf, 'house'>, options: IngestOptions) {
    this.#options = options;
    const { windowMs } = options;
    this.#takeIn = store.work(TAKE_IN, { windowMs, house } satisfies TakeInOptions);
    this.#groups = new Groups((deliveries) => this.#commit(deliveries), LANES[store.engine]);
  }

  /**
   * Resolves once everything the report says is durable; undefined where there is no such device any more.
   * @param keyHash of the key that the device came with: nothing is taken where it has another one by now
   */
  async take(deviceId: number, report: Report, now: number, keyHash?: string): Promise<Receipt | undefined> {
    const delivery = deliveryOf(deviceId, report, now, keyHash);
    await this.#groups.join(delivery);
    const { receipt } = delivery;
    if (receipt === undefined) return undefined;
    const quarantined = delivery.quarantined.map(({ list, index, reason }) => ({ list, index, reason }));
    return { ...receipt, quarantined };
  }

  /** Waits for what is under way. */
  stop(): Promise<void> {
    return this.#groups.stop();
  }

  async #commit(deliveries: readonly Delivery[]): Promise<void> {
    const { receipts, late, ...committed } = await this.#takeIn(deliveries);
    for (const [index, delivery] of deliveries.entries()) delivery.receipt = receipts[index];
    this.#options.publish(committed);
    for (const deviceId of late) this.#options.late(deviceId);
  }
}
