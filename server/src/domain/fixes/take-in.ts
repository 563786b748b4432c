import type { Kysely } from 'kysely';
import type { Engine } from '../../platform/storage/database.ts';
import { runAll } from '../../platform/storage/each-row.ts';
import type { OpenWork, Work as StoreWork } from '../../platform/storage/work.ts';
import type { House } from '../forwarding/house.ts';
import { isOutgoing, type Outgoing, postOutgoing } from '../forwarding/outgoing.ts';
import { type Telling, tell } from '../live/tell.ts';
import type { Tables } from '../schema/tables.ts';
import { type Appended, type AppendedPoint, appendPoints, appendReadings, type ReadingPlace } from './append.ts';
import { advanceLine, hasEffects, hasOwnZones, keepEffects, noteZones } from './commit.ts';
import { type Delivery, type DeliveryReceipt, keptReport } from './delivery.ts';
import { type SpeakingLine, speakingRows, takeSpeaking } from './device-line.ts';
import { fixInputs, readingInput, type StoredPoint, type StoredReading } from './fix-of.ts';
import { heardRows, latest } from './heard.ts';
import type { Input } from './inputs.ts';
import { KnownStates } from './known-states.ts';
import { RuleShelf } from './rule-shelf.ts';
import { findSensed } from './sensed.ts';
import { messageTelling, notificationTellings, reportTellings } from './tellings.ts';

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
  readonly works: readonly Work[];
  readonly isOutgoing: boolean;
}

export const open: OpenWork<Tables, TakeInOptions, readonly Delivery[], Written, TakenIn> = (workplace, options) =>
  new TakeIn(workplace.engine, new RuleShelf(workplace, options.windowMs, options.house), options.windowMs);

class TakeIn implements StoreWork<Tables, readonly Delivery[], Written, TakenIn> {
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
    const sensed = await findSensed(tx, deliveries);
    const all = await this.#take(tx, [...deliveries.map(({ deviceId }) => deviceId), ...sensed.deviceIds]);
    const known = deliveries.filter((delivery) => isKnown(delivery, all.get(delivery.deviceId)));
    if (known.length === 0) return { deliveries, works: [], isOutgoing: false };
    await this.#append(tx, known, all, sensed.find);
    const works = [...all.values()].filter(({ deviceId, isHeard }) => isHeard || sensed.deviceIds.includes(deviceId));
    return { deliveries, works, isOutgoing: await this.#judge(tx, works, known.at(-1)!.now) };
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

  async #take(tx: Tx, deviceIds: readonly number[]): Promise<Map<number, Work>> {
    const works = new Map<number, Work>();
    for (const [deviceId, line] of await takeSpeaking(tx, this.#engine, [...new Set(deviceIds)], this.#states))
      works.set(deviceId, { line, deviceId, isHeard: false, inputs: [], points: [], readings: [], messages: [] });
    return works;
  }

  async #append(
    tx: Tx,
    deliveries: readonly Delivery[],
    works: ReadonlyMap<number, Work>,
    sensedBy: (gatewayId: number, sensor: string | null) => number | null,
  ): Promise<void> {
    const engine = this.#engine;
    const from = ({ deviceId, now }: Delivery) => ({ deviceId, now, newest: works.get(deviceId)!.line.newest });
    const tooOldFor = ({ now }: Delivery) => now - this.#windowMs;
    const points = await appendPoints(
      tx,
      engine,
      deliveries.map((delivery) => ({ ...from(delivery), said: delivery.points, tooOld: tooOldFor(delivery) })),
    );
    const own = await appendReadings(
      tx,
      engine,
      'deviceId',
      deliveries.map((delivery) => ({
        ...from(delivery),
        said: delivery.readings,
        placeOf: () => ({ gatewayId: null, deviceId: delivery.deviceId, datapointId: null }),
      })),
    );
    const recent = await this.#recentFixes(tx, deliveries, points);
    const heard = await appendReadings(
      tx,
      engine,
      'gatewayId',
      deliveries.map((delivery, index) => ({
        ...from(delivery),
        said: delivery.gatewayReadings,
        placeOf: ({ sensorDeviceId, timestamp }) => ({
          gatewayId: delivery.deviceId,
          deviceId: sensedBy(delivery.deviceId, sensorDeviceId),
          datapointId: isNear(recent[index], timestamp) ? recent[index]!.id : null,
        }),
      })),
    );
    for (const [index, delivery] of deliveries.entries()) {
      const work = works.get(delivery.deviceId)!;
      const stored = points[index]!.stored;
      const readings = [...own[index]!.stored, ...heard[index]!.stored];
      if (delivery.messages.length + delivery.quarantined.length > 0) await this.#appendRest(tx, delivery, work);
      work.isHeard = true;
      for (const point of stored) {
        work.points.push(point);
        work.line.newest = Math.max(work.line.newest, point.timestamp);
      }
      for (const reading of readings) {
        work.readings.push(reading);
        work.line.newest = Math.max(work.line.newest, reading.timestamp);
        if (reading.timestamp < tooOldFor(delivery)) continue;
        const about = works.get(reading.deviceId ?? delivery.deviceId) ?? work;
        about.inputs.push(readingInput(reading));
      }
      delivery.receipt = {
        accepted: stored.length + readings.length + delivery.messages.length,
        duplicates: points[index]!.duplicates + own[index]!.duplicates + heard[index]!.duplicates,
        hasWaiting: work.line.hasWaiting,
      };
    }
  }

  async #appendRest(tx: Tx, { deviceId, now, messages, quarantined }: Delivery, work: Work): Promise<void> {
    for (const { message, config } of messages) {
      const row = { message, config, mobileTerminated: 0, created: now, sent: null, deviceId, userId: null };
      const { id } = await tx.insertInto('messages').values(row).returning('id').executeTakeFirstOrThrow();
      work.inputs.push({ kind: 'message', at: now, id });
      work.messages.push(messageTelling(deviceId, { id, ...row }));
    }
    for (const { list, reason, report } of quarantined) {
      await tx
        .insertInto('quarantine')
        .values({ deviceId, list, reason, report: keptReport(report), created: now })
        .execute();
    }
  }

  /** Whether anything of it leaves the house. */
  async #judge(tx: Tx, works: readonly Work[], now: number): Promise<boolean> {
    const engine = this.#engine;
    const tellings: Telling[] = [];
    const leaving: Outgoing[] = [];
    const rulesFor = this.#shelf.reading(now);
    for (const work of works) {
      const { line, deviceId, points, messages } = work;
      // One fix for each instant, however many reports speak of it.
      const judged = points.filter((point) => point.judged === null).sort((a, b) => a.timestamp - b.timestamp);
      const inputs = [...fixInputs(judged), ...work.inputs];
      const rules = await rulesFor(deviceId, line.rules);
      const outcome = advanceLine(line, inputs, rules);
      const notifications = hasEffects(outcome)
        ? await keepEffects(tx, line, outcome, { now, ...this.#shelf.house })
        : [];
      if (hasOwnZones(line, rules)) await noteZones(tx, line, rules);
      const rest = { forwarders: rules.forwarders, notifications };
      if (isOutgoing(rest)) leaving.push(outgoingOf(work, works, rest));
      if (work.isHeard) tellings.push(...reportTellings(deviceId, work, line.state, now));
      tellings.push(...messages, ...notificationTellings(notifications));
    }
    const heard = works.filter(({ isHeard }) => isHeard);
    const spoken = works.map(({ line, isHeard }) => ({ line, heardAt: isHeard ? now : null }));
    await runAll(tx, engine, [...speakingRows(spoken), heardRows(heard, now)]);
    await postOutgoing(tx, engine, this.#shelf.house, leaving, now);
    await tell(tx, engine, tellings, now);
    return leaving.length > 0;
  }

  /** For each delivery with gateway readings the place they were heard at: its own newest fix, or the device's. */
  async #recentFixes(
    tx: Tx,
    deliveries: readonly Delivery[],
    points: readonly Appended<AppendedPoint>[],
  ): Promise<(RecentFix | undefined)[]> {
    const found: (RecentFix | undefined)[] = [];
    for (const [index, { deviceId, now, gatewayReadings }] of deliveries.entries()) {
      if (gatewayReadings.length === 0) continue;
      const own = latest(points[index]!.stored.filter(({ locationLat }) => locationLat !== null));
      found[index] = own ?? (await this.#recentFix(tx, deviceId, now));
    }
    return found;
  }

  #recentFix(tx: Tx, deviceId: number, now: number): Promise<RecentFix | undefined> {
    return tx
      .selectFrom('points')
      .select(['id', 'timestamp'])
      .where('deviceId', '=', deviceId)
      .where('timestamp', '>', now - RECENT_MS)
      .where('locationLat', 'is not', null)
      .orderBy('timestamp', 'desc')
      .limit(1)
      .executeTakeFirst();
  }
}
/** What one transaction does for one device. */
interface Work {
  readonly line: SpeakingLine;
  readonly deviceId: number;
  /** Whether the device itself spoke, or others spoke of it. */
  isHeard: boolean;
  /** All but the fixes, which follow from the points. */
  readonly inputs: Input[];
  readonly points: AppendedPoint[];
  readonly readings: (StoredReading & ReadingPlace)[];
  readonly messages: Telling[];
}

/** Whether the device is there, and still has the key that it came with. */
const isKnown = ({ keyHash }: Delivery, work: Work | undefined) =>
  work !== undefined && (keyHash === undefined || keyHash === work.line.keyHash);

/** What of a device's work may leave the house; what others heard of it is its own too. */
function outgoingOf(
  work: Work,
  works: readonly Work[],
  rest: Pick<Outgoing, 'forwarders' | 'notifications'>,
): Outgoing {
  const { deviceId, points, messages } = work;
  const readings = [...work.readings];
  for (const other of works)
    if (other !== work && other.readings.length > 0)
      readings.push(...other.readings.filter((reading) => reading.deviceId === deviceId));
  return { deviceId, points, readings, messages: messages.map(({ event }) => event as object), ...rest };
}

interface RecentFix {
  readonly id: number;
  readonly timestamp: number;
}

const RECENT_MS = 600_000;

const isNear = (fix: RecentFix | undefined, at: number) =>
  fix !== undefined && Math.abs(at - fix.timestamp) <= RECENT_MS;
