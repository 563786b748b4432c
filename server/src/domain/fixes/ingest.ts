import type { Kysely } from 'kysely';
import type { Report } from '../../reports.ts';
import { type Telling, tell } from '../live/tell.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { appendPoints, appendReadings, type ReadingPlace } from './append.ts';
import { advanceLine, keepEffects, noteZones } from './commit.ts';
import { type DeviceLine, keepLine, takeLine } from './device-line.ts';
import { fixInputs, readingInput, type StoredPoint, type StoredReading } from './fix-of.ts';
import { Groups } from './groups.ts';
import type { Input } from './inputs.ts';
import { type NormalPoint, type NormalReading, normalizePoint, normalizeReading } from './normalize.ts';
import type { Recorded } from './record.ts';
import type { RuleShelf } from './rule-shelf.ts';
import { findSensed } from './sensed.ts';
import { messageTelling, notificationTellings, reportTellings } from './tellings.ts';

/**
 * The path of a fix. A report is normalized, appended together with others in one durable transaction, and only then
 * acknowledged; what comes in order is judged in the same transaction, what comes late is judged again by a replay.
 */

export interface Quarantined {
  readonly list: 'points' | 'readings' | 'gatewayReadings' | 'messages';
  readonly index: number;
  readonly reason: string;
}

export interface Receipt {
  readonly accepted: number;
  readonly duplicates: number;
  readonly quarantined: readonly Quarantined[];
}

/** What was committed, for whoever watches. */
export interface Committed {
  readonly deviceId: number;
  readonly points: readonly StoredPoint[];
  readonly readings: readonly StoredReading[];
  readonly notifications: readonly Recorded[];
}

export interface IngestOptions {
  readonly windowMs: number;
  readonly publish: (committed: Committed) => void;
  /** Told which devices have something to judge again. */
  readonly late: (deviceId: number) => void;
}

interface Delivery {
  readonly deviceId: number;
  readonly now: number;
  readonly points: readonly NormalPoint[];
  readonly readings: readonly NormalReading[];
  readonly gatewayReadings: readonly NormalReading[];
  readonly messages: readonly { message: string | null; config: string | null }[];
  readonly quarantined: readonly (Quarantined & { report: unknown })[];
  readonly receipt: { accepted: number; duplicates: number };
}

export class DeviceGone extends Error {}

export class Ingest {
  readonly #store: Store;
  readonly #shelf: RuleShelf;
  readonly #options: IngestOptions;
  readonly #groups: Groups<Delivery>;

  constructor(store: Store, shelf: RuleShelf, options: IngestOptions) {
    this.#store = store;
    this.#shelf = shelf;
    this.#options = options;
    this.#groups = new Groups((deliveries) => this.#commit(deliveries));
  }

  /** Resolves once everything the report says is durable. */
  async take(deviceId: number, report: Report, now: number): Promise<Receipt> {
    const delivery = normalize(deviceId, report, now);
    await this.#groups.join(delivery);
    const quarantined = delivery.quarantined.map(({ list, index, reason }) => ({ list, index, reason }));
    return { ...delivery.receipt, quarantined };
  }

  /** Waits for what is under way. */
  stop(): Promise<void> {
    return this.#groups.stop();
  }

  async #commit(deliveries: readonly Delivery[]): Promise<void> {
    const { committed, late } = await this.#store.transaction((tx) => this.#write(tx, deliveries));
    for (const each of committed) this.#options.publish(each);
    for (const deviceId of late) this.#options.late(deviceId);
  }

  async #write(
    tx: Kysely<Tables>,
    deliveries: readonly Delivery[],
  ): Promise<{ committed: Committed[]; late: number[] }> {
    const sensed = await findSensed(tx, deliveries);
    const ids = [...new Set([...deliveries.map(({ deviceId }) => deviceId), ...sensed.deviceIds])].sort(
      (a, b) => a - b,
    );
    const lines = new Map<number, Work>();
    for (const deviceId of ids) {
      const line = await takeLine(tx, this.#store.engine, deviceId);
      if (line) lines.set(deviceId, { line, inputs: [], points: [], readings: [], messages: [] });
    }
    for (const delivery of deliveries) {
      const work = lines.get(delivery.deviceId);
      if (work === undefined) throw new DeviceGone();
      await this.#append(tx, delivery, work, lines, sensed.find);
    }
    const committed: Committed[] = [];
    const late: number[] = [];
    const tellings: Telling[] = [];
    const { now } = deliveries.at(-1)!;
    for (const work of lines.values()) {
      const { line, inputs, points, readings } = work;
      const rules = await this.#shelf.rulesFor(line.deviceId, line.rules, now);
      const notifications = await keepEffects(tx, line, advanceLine(line, inputs, rules), now);
      line.appends++;
      await keepLine(tx, line, work.heard ? now : undefined);
      await noteZones(tx, line, rules);
      if (work.heard) await this.#noteHeard(tx, line.deviceId, points, now);
      if (line.dirtyFrom !== null) late.push(line.deviceId);
      committed.push({ deviceId: line.deviceId, points, readings, notifications });
      if (work.heard) tellings.push(...reportTellings(line.deviceId, work, line.state, now));
      tellings.push(...work.messages, ...notificationTellings(notifications));
    }
    await tell(tx, this.#store.engine, tellings, now);
    return { committed, late };
  }

  async #append(
    tx: Kysely<Tables>,
    delivery: Delivery,
    work: Work,
    lines: ReadonlyMap<number, Work>,
    sensedBy: (gatewayId: number, sensor: string | null) => number | null,
  ): Promise<void> {
    const { deviceId, now, receipt } = delivery;
    const { engine } = this.#store;
    const { line } = work;
    const newest = line.newest;
    const tooOld = now - this.#options.windowMs;
    const points = await appendPoints(tx, engine, deviceId, delivery.points, { newest, tooOld, now });
    const own = await appendReadings(
      tx,
      engine,
      { column: 'deviceId', id: deviceId },
      delivery.readings,
      () => ({ gatewayId: null, deviceId, datapointId: null }),
      { newest, now },
    );
    const recent = lastFix(points.stored) ?? (await this.#recentFix(tx, deviceId, now));
    const heard = await appendReadings(
      tx,
      engine,
      { column: 'gatewayId', id: deviceId },
      delivery.gatewayReadings,
      ({ sensorDeviceId, timestamp }) => ({
        gatewayId: deviceId,
        deviceId: sensedBy(deviceId, sensorDeviceId),
        datapointId: recent && Math.abs(timestamp - recent.timestamp) <= RECENT_MS ? recent.id : null,
      }),
      { newest, now },
    );
    for (const { message, config } of delivery.messages) {
      const row = { message, config, mobileTerminated: 0, created: now, sent: null, deviceId, userId: null };
      const { id } = await tx.insertInto('messages').values(row).returning('id').executeTakeFirstOrThrow();
      work.inputs.push({ kind: 'message', at: now, id });
      work.messages.push(messageTelling(deviceId, { id, ...row }));
    }
    for (const { list, reason, report } of delivery.quarantined) {
      await tx
        .insertInto('quarantine')
        .values({ deviceId, list, reason, report: kept(report), created: now })
        .execute();
    }
    for (const stored of [...points.stored, ...own.stored, ...heard.stored])
      line.newest = Math.max(line.newest, stored.timestamp);
    work.heard = true;
    work.points.push(...points.stored);
    work.readings.push(...own.stored, ...heard.stored);
    const judged = points.stored.filter((point) => point.judged === null).toSorted((a, b) => a.timestamp - b.timestamp);
    work.inputs.push(...fixInputs(judged));
    for (const reading of [...own.stored, ...heard.stored]) {
      if (reading.timestamp < tooOld) continue;
      const about = lines.get(reading.deviceId ?? deviceId) ?? work;
      about.inputs.push(readingInput(reading));
    }
    receipt.accepted = points.stored.length + own.stored.length + heard.stored.length + delivery.messages.length;
    receipt.duplicates = points.duplicates + own.duplicates + heard.duplicates;
  }

  async #recentFix(
    tx: Kysely<Tables>,
    deviceId: number,
    now: number,
  ): Promise<{ id: number; timestamp: number } | undefined> {
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

  async #noteHeard(
    tx: Kysely<Tables>,
    deviceId: number,
    points: readonly (StoredPoint & { batteryVoltage?: number | null })[],
    now: number,
  ): Promise<void> {
    const last = points.toSorted((a, b) => a.timestamp - b.timestamp).at(-1);
    await tx
      .updateTable('devices')
      .set((of) => ({
        firstSeen: of.fn.coalesce(of.case().when('lastConnection', 'is', null).then(now).end(), 'firstSeen') as never,
        lastConnection: now,
        ...(last && last.batteryPct !== null && { batteryPct: last.batteryPct }),
        ...(last?.batteryVoltage != null && { batteryVoltage: last.batteryVoltage }),
        ...(last && last.mode !== null && { currentMode: last.mode }),
      }))
      .where('id', '=', deviceId)
      .execute();
  }
}

/** What one transaction does for one device. */
interface Work {
  readonly line: DeviceLine;
  readonly inputs: Input[];
  readonly points: (StoredPoint & { judged: string | null; batteryVoltage: number | null })[];
  readonly readings: (StoredReading & ReadingPlace)[];
  readonly messages: Telling[];
  /** Whether the device itself spoke, or others spoke of it. */
  heard?: boolean;
}

const RECENT_MS = 600_000;
const MAX_REPORT = 10_000;

const kept = (report: unknown) => {
  const text = JSON.stringify(report) ?? 'null';
  return text.length <= MAX_REPORT && text.isWellFormed() && !text.includes('\\u0000')
    ? text
    : JSON.stringify({ cut: text.slice(0, 1000).toWellFormed().replaceAll('\\u0000', '') });
};

function lastFix(points: readonly StoredPoint[]): { id: number; timestamp: number } | undefined {
  return points
    .filter(({ locationLat }) => locationLat !== null)
    .toSorted((a, b) => a.timestamp - b.timestamp)
    .at(-1);
}

function normalize(deviceId: number, report: Report, now: number): Delivery {
  const quarantined: (Quarantined & { report: unknown })[] = [];
  const sound = <In, Out extends object>(
    list: Quarantined['list'],
    items: readonly In[],
    normal: (item: In, now: number) => Out | string,
  ): Out[] =>
    items.flatMap((item, index) => {
      const one = normal(item, now);
      if (typeof one !== 'string') return [one];
      quarantined.push({ list, index, reason: one, report: item });
      return [];
    });
  return {
    deviceId,
    now,
    points: sound('points', report.points, normalizePoint),
    readings: sound('readings', report.readings, normalizeReading),
    gatewayReadings: sound('gatewayReadings', report.gatewayReadings, normalizeReading),
    messages: sound('messages', report.messages, ({ message, config }) =>
      message || config ? { message: message ?? null, config: config ?? null } : 'type or value is missing',
    ),
    quarantined,
    receipt: { accepted: 0, duplicates: 0 },
  };
}
