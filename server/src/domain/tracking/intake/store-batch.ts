import type { Kysely } from 'kysely';
import type { Engine } from '../../../platform/storage/database.ts';
import type { OpenWork, Work } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';
import type { House } from '../../sending/sending-policy.ts';
import type { StoredPoint, StoredReading } from '../judge/to-fix.ts';
import { takeSpeaking } from '../state/device-state-row.ts';
import { RuleShelf } from '../state/rules-cache.ts';
import { KnownStates } from '../state/state-cache.ts';
import { appendReports } from './append-reports.ts';
import type { DeviceWork } from './device-batch.ts';
import { judgeReports } from './judge-batch.ts';
import { findSensed } from './match-sensors.ts';
import type { Delivery, DeliveryReceipt } from './normalized-report.ts';

/** Takes in a group of reports: appended, judged where they come in order, and all that follows, in one transaction. */

type Tx = Kysely<Tables>;

export interface TakeInOptions {
  readonly windowMs: number;
  readonly house: House;
}

/** What a device brought that someone wants to know near another. */
export interface Seen {
  readonly deviceId: number;
  readonly points: readonly StoredPoint[];
  readonly readings: readonly (StoredReading & { readonly deviceId: number | null })[];
}

export interface TakenIn {
  /** Of each delivery; undefined where it is refused. */
  readonly receipts: readonly (DeliveryReceipt | undefined)[];
  /** The devices that have something to judge again. */
  readonly late: readonly number[];
  /** How many were stored. */
  readonly points: number;
  /** Whether anything of it leaves the house. */
  readonly isOutgoing: boolean;
  readonly seen: readonly Seen[];
}

interface Written {
  readonly deliveries: readonly Delivery[];
  readonly works: readonly DeviceWork[];
  readonly isOutgoing: boolean;
}

export const open: OpenWork<Tables, TakeInOptions, readonly Delivery[], Written, TakenIn> = (workplace, options) =>
  new TakeIn(workplace.engine, new RuleShelf(workplace, options.windowMs, options.house), options.windowMs);

class TakeIn implements Work<Tables, readonly Delivery[], Written, TakenIn> {
  readonly #engine: Engine;
  readonly #shelf: RuleShelf;
  readonly #windowMs: number;
  readonly #states = new KnownStates();

  constructor(engine: Engine, shelf: RuleShelf, windowMs: number) {
    this.#engine = engine;
    this.#shelf = shelf;
    this.#windowMs = windowMs;
  }

  async run(tx: Tx, deliveries: readonly Delivery[]): Promise<Written> {
    // It may be tried once more, after another of the group has failed.
    for (const delivery of deliveries) delivery.receipt = undefined;
    const engine = this.#engine;
    const sensed = await findSensed(tx, deliveries);
    const all = await this.#take(tx, [...deliveries.map(({ deviceId }) => deviceId), ...sensed.deviceIds]);
    const known = deliveries.filter((delivery) => isKnown(delivery, all.get(delivery.deviceId)));
    if (known.length === 0) return { deliveries, works: [], isOutgoing: false };
    await appendReports(tx, engine, known, all, { windowMs: this.#windowMs, sensedBy: sensed.find });
    const works = [...all.values()].filter(({ deviceId, isHeard }) => isHeard || sensed.deviceIds.includes(deviceId));
    return { deliveries, works, isOutgoing: await judgeReports(tx, engine, this.#shelf, works, known.at(-1)!.now) };
  }

  committed({ deliveries, works, isOutgoing }: Written): TakenIn {
    const late: number[] = [];
    const seen: Seen[] = [];
    let stored = 0;
    for (const { line, deviceId, points, readings } of works) {
      this.#states.committed(line);
      if (line.dirtyFrom !== null) late.push(deviceId);
      if (this.#shelf.hasTrigger(deviceId, 'proximity')) seen.push({ deviceId, points, readings });
      stored += points.length;
    }
    return { receipts: deliveries.map(({ receipt }) => receipt), late, points: stored, isOutgoing, seen };
  }

  async #take(tx: Tx, deviceIds: readonly number[]): Promise<Map<number, DeviceWork>> {
    const works = new Map<number, DeviceWork>();
    for (const [deviceId, line] of await takeSpeaking(tx, this.#engine, [...new Set(deviceIds)], this.#states))
      works.set(deviceId, { line, deviceId, isHeard: false, inputs: [], points: [], readings: [], messages: [] });
    return works;
  }
}

/** Whether the device is there, and still has the key that it came with. */
const isKnown = ({ keyHash }: Delivery, work: DeviceWork | undefined) =>
  work !== undefined && (keyHash === undefined || keyHash === work.line.keyHash);
