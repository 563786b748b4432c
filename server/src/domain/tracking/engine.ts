import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { failureLog, StoreTrouble } from '../../platform/storage/trouble.ts';
import type { SendingPolicy } from '../delivery/sending-policy.ts';
import { renewPlans } from '../devices/activity.ts';
import type { ShapedFence } from '../geofences/versions.ts';
import type { KeptDays } from '../positions/segments.ts';
import { ALL_DEVICES, gainsAny, type OwnedDevices, type Ownership, owns } from '../schema/owned-devices.ts';
import type { Store } from '../schema/tables.ts';
import { endAbandonedImports, endImport } from './history/import-row.ts';
import { rebuild } from './history/rebuild.ts';
import { type CommittedBatch, Pipeline } from './pipeline.ts';
import { type PlacedTag, placeDueTags } from './places/place-tag.ts';
import { relayLeftReadings, relayReadings } from './relay-readings.ts';
import { watchClock } from './release.ts';
import { evaluateBacklog } from './replay/evaluate-backlog.ts';
import { type Correction, replay } from './replay/replay.ts';
import { freeDeadReplays, lateDevices } from './replay/replay-lease.ts';
import { ReplayQueue } from './replay/replay-queue.ts';
import { TRANSACTION_UNITS } from './state/budget.ts';
import { RulesCache } from './state/rules-cache.ts';
import { ClockDoubt } from './timers/clock-doubt.ts';
import { decideDue } from './timers/due.ts';
import { evaluateMaintenance } from './timers/maintenance.ts';
import { shapeQueue } from './timers/new-shapes.ts';
import { evaluateSilence } from './timers/offline.ts';
import { positionPacker } from './timers/pack-positions.ts';
import { packer } from './timers/pack-trips.ts';
import { evaluateExpiry } from './timers/plan-expiry.ts';
import { evaluateProximity } from './timers/proximity.ts';
import { startUptime } from './timers/uptime.ts';

interface EngineOptions {
  /** How old a fix may be and still be evaluated. */
  readonly windowMs: number;
  /** How old positions are when they are packed; never, where it is not said. */
  readonly packAfterMs?: number;
  /** For how many days what devices report is stored; forever, where it is not said. */
  readonly kept?: KeptDays;
  /** How long a commit waits for more reports while many come, in milliseconds. */
  readonly commitWaitMs?: number;
  readonly log: Log;
  /** How much one transaction evaluates, see `Budget`. */
  readonly units?: number;
  readonly policy?: SendingPolicy;
  /** The devices whose timers this process runs. */
  readonly owned?: OwnedDevices;
  /** Told of every commit that someone may want to see. */
  readonly committed?: (committed: Pick<CommittedBatch, 'points' | 'outgoing'>) => void;
  readonly corrected?: (corrected: Correction) => void;
  /** The time of the server, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds that pass evenly, whatever happens to the clock. */
  readonly monotonic?: () => number;
}

export interface Engine {
  readonly intake: Pipeline;
  /** By how many milliseconds the server's clock is behind most devices, negative where it is ahead; null without doubt. */
  clockOffsetMs(): number | null;
  readonly rulesCache: RulesCache;
  /** What was stored or changed from this time on must be evaluated again. */
  evaluateAgain(deviceId: number): void;
  /** All of a history is there: it is evaluated now, in slices where it did not come in order. */
  endImport(deviceId: number): Promise<void>;
  /** A device within a new or changed fence is inside from then on. */
  fenceShaped(fence: ShapedFence): Promise<void>;
  /** How many devices are being evaluated again, or wait for it. */
  replaying(): number;
  /** Resolves once nothing waits to be evaluated. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const TICK_MS = 1000;
const SILENCE_MS = 5_000;
const EXPIRY_MS = 3_600_000;
const MAINTENANCE_MS = 60_000;
/** How often it is stored that the server is still up: at most this much is unknown after a crash. */
const UPTIME_MS = 30_000;
/** How often devices are looked for that wait to be evaluated, since a replay failed or another process died. */
const SWEEP_MS = 15_000;
const RELAY_FAILED = 'Evaluating gateway readings failed';
/** How often trips are looked for that are not packed yet. */
const PACK_MS = 10_000;
/** How often positions are looked for that are old enough to be packed. */
const PACK_POSITIONS_MS = 3_600_000;
/** Corrections by late sightings reach back slightly further than the late window. */
const PACK_MARGIN_MS = 2 * 86_400_000;

/** Everything that makes the state of devices go on: reports, replays of what came late, and the clock. */
export async function startEngine(store: Store, options: EngineOptions): Promise<Engine> {
  const { log, windowMs, now = timeNow, units = TRANSACTION_UNITS, owned = ALL_DEVICES } = options;
  const packAfterMs =
    options.packAfterMs === undefined ? undefined : Math.max(options.packAfterMs, windowMs + PACK_MARGIN_MS);
  const notified = ({ deviceId }: { readonly deviceId: number }) =>
    options.committed?.({ points: 0, outgoing: [deviceId] });
  // If only the time is given, it is also used as the monotonic clock.
  const { monotonic = options.now ?? (() => performance.now()) } = options;
  const clockDoubt = new ClockDoubt({ monotonic });
  const rulesCache = new RulesCache(store, windowMs, options.policy);
  const replayFailed = failureLog(log);
  const packingFailed = failureLog(log);
  const relayFailed = failureLog(log);
  const replays = new ReplayQueue(async (deviceId) => {
    try {
      const rebuilt = await rebuild(store, rulesCache, deviceId, now);
      if (rebuilt !== undefined) return rebuilt === 'more' ? 'more' : true;
      const backlog = await evaluateBacklog(store, rulesCache, deviceId, { clock: now, units });
      if (backlog !== undefined) {
        notified({ deviceId });
        return backlog === 'more' ? 'more' : true;
      }
      const outcome = await replay(store, rulesCache, deviceId, now, undefined, units);
      if (outcome === undefined) return true;
      if (outcome === 'overtaken') return false;
      options.corrected?.(outcome);
      return !outcome.isOpen;
    } catch (error) {
      // It stays marked in the store, so that it is taken up again.
      if (error instanceof StoreTrouble) replayFailed(error, 'Replays failed');
      else log.error({ error, deviceId }, 'Re-evaluating a device failed');
      return true;
    }
  });
  const evaluateAgain = (deviceId: number) => replays.add(deviceId);
  async function importEnds(deviceId: number): Promise<void> {
    if (await endImport(store, deviceId, now())) evaluateAgain(deviceId);
  }

  let evaluating: Promise<void> = Promise.resolve();
  function publish(committed: CommittedBatch): void {
    options.committed?.(committed);
    for (const one of committed.proximity)
      evaluating = evaluating
        .then(async () => (await evaluateProximity(store, rulesCache.policy, one, now())).forEach(notified))
        .catch((error) => log.error({ error }, 'Evaluating proximity failed'));
  }

  const evaluated = ({ late, outgoing }: Pick<CommittedBatch, 'outgoing'> & { readonly late: readonly number[] }) => {
    publish({ points: 0, outgoing, proximity: [] });
    late.forEach(evaluateAgain);
  };
  const intake = new Pipeline(store, rulesCache, {
    windowMs,
    kept: options.kept,
    units,
    packAfterMs,
    commitWaitMs: options.commitWaitMs,
    publish,
    lateDataOf: evaluateAgain,
    // What fails stays staged: `relayLeftReadings` evaluates it.
    relay: (gatewayIds) =>
      relayReadings(store, rulesCache, gatewayIds, { windowMs, units, evaluated }).catch((error) =>
        relayFailed(error, RELAY_FAILED),
      ),
    clockDoubt,
  });
  const clockWatch = watchClock(store, intake, clockDoubt, log);

  let isStopped = false;
  const goOn = () => !isStopped;
  const shapes = shapeQueue(store, rulesCache, { log, now, evaluateAgain, goOn });
  const sweep = sweeper(store, replays, owned);
  let sweeping: Promise<void> | undefined;
  function startSweep(): void {
    sweeping ??= sweep(goOn)
      .catch((error) => log.error({ error }, 'Searching for devices to re-evaluate failed'))
      .finally(() => {
        sweeping = undefined;
      });
  }
  const packTrips = packer(store, owned);
  let packing: Promise<void> | undefined;
  function startPacking(): void {
    packing ??= packTrips(goOn)
      .catch((error) => packingFailed(error, 'Packing trips failed'))
      .finally(() => {
        packing = undefined;
      });
  }
  const packPositions = positionPacker(store, owned);
  let packingPositions: Promise<unknown> | undefined;
  function startPackingPositions(at: number): void {
    if (packAfterMs === undefined) return;
    packingPositions ??= packPositions(at - packAfterMs, goOn)
      .catch((error) => packingFailed(error, 'Packing positions failed'))
      .finally(() => {
        packingPositions = undefined;
      });
  }
  let relaying: Promise<void> | undefined;
  function startRelaying(at: number): void {
    relaying ??= relayLeftReadings(store, rulesCache, owned, { windowMs, units, evaluated, now: at })
      .catch((error) => relayFailed(error, RELAY_FAILED))
      .finally(() => {
        relaying = undefined;
      });
  }
  const placingFailed = failureLog(log);
  let placing: Promise<void> | undefined;
  function startPlacing(): void {
    const placed = (deviceId: number, tag: PlacedTag) => {
      publish(tag);
      if (tag.isLate) evaluateAgain(deviceId);
    };
    placing ??= placeDueTags(store, rulesCache, { log, now, goOn, owned, placed, windowMs, units })
      .catch((error) => placingFailed(error, 'Locating tags failed'))
      .finally(() => {
        placing = undefined;
      });
  }
  await freeDeadReplays(store);
  startSweep();

  const startedAt = now();
  const uptime = await startUptime(store, startedAt, monotonic);
  // By the monotonic clock: one that is set back must not stop them.
  const began = monotonic();
  let nextUptime = began + UPTIME_MS;
  let nextSilence = began;
  let nextExpiry = began;
  let nextMaintenance = began;
  let nextSweep = began + SWEEP_MS;
  let nextPacking = began;
  let nextPackingPositions = began;
  let ownership = owned.now();
  /** The previous owner of a device may have died before its check, so everything is checked again. */
  function noteGained(steady: number): void {
    const before = ownership;
    ownership = owned.now();
    if (ownership === before || !gainsAny(before, ownership)) return;
    nextSilence = steady;
    nextExpiry = steady;
    nextMaintenance = steady;
    nextSweep = steady;
    nextPacking = steady;
    nextPackingPositions = steady;
  }
  let ticking: Promise<void> | undefined;
  const tickFailed = failureLog(log);
  async function tick(): Promise<void> {
    try {
      const at = now();
      const steady = monotonic();
      if (steady >= nextUptime) {
        nextUptime = steady + UPTIME_MS;
        await uptime.note(at, steady);
      }
      noteGained(steady);
      if (ownership?.length !== 0) await keepClocks(at, steady);
      await clockWatch.look(at, steady);
    } catch (error) {
      tickFailed(error, 'Running the timers of devices failed');
    }
  }
  /** What falls due for devices that this process owns. */
  async function keepClocks(at: number, steady: number): Promise<void> {
    startPlacing();
    await decideDue(store, rulesCache, at, { log, goOn, owned, fired: notified });
    if (steady >= nextSilence) {
      nextSilence = steady + SILENCE_MS;
      await renewPlans(store, at, owned);
      const upSince = (moment: number, until: number) => uptime.since(moment, until, steady);
      (await evaluateSilence(store, rulesCache.policy, upSince, at, owned)).forEach(notified);
    }
    if (steady >= nextExpiry) {
      nextExpiry = steady + EXPIRY_MS;
      await endAbandonedImports(store, at, importEnds);
      (await evaluateExpiry(store, rulesCache.policy, at, owned)).forEach(notified);
    }
    if (steady >= nextMaintenance) {
      nextMaintenance = steady + MAINTENANCE_MS;
      (await evaluateMaintenance(store, rulesCache.policy, at, owned)).forEach(notified);
    }
    if (steady >= nextSweep) {
      nextSweep = steady + SWEEP_MS;
      startSweep();
      startRelaying(at);
    }
    if (steady >= nextPacking) {
      nextPacking = steady + PACK_MS;
      startPacking();
    }
    if (steady >= nextPackingPositions) {
      nextPackingPositions = steady + PACK_POSITIONS_MS;
      startPackingPositions(at);
    }
  }
  const clock = setInterval(() => {
    ticking ??= tick().finally(() => {
      ticking = undefined;
    });
  }, TICK_MS).unref();

  return {
    intake,
    clockOffsetMs: () => clockDoubt.offsetMs(),
    rulesCache,
    evaluateAgain,
    replaying: () => replays.size,
    endImport: importEnds,
    fenceShaped: shapes.add,
    async idle() {
      await shapes.idle();
      await sweeping;
      await replays.idle();
    },
    async stop() {
      clearInterval(clock);
      isStopped = true;
      await intake.stop();
      await shapes.idle();
      await replays.stop();
      await sweeping;
      await ticking;
      await placing;
      await relaying;
      await packing;
      await packingPositions;
      await evaluating;
      await uptime.note(now()).catch((error) => log.error({ error }, 'Storing the uptime of the server failed'));
    },
  };
}

/** At most this many devices are looked up at a time. */
const AT_ONCE = 100;

/**
 * Queues the devices with a late mark that was not replayed: their process died, or the replay failed.
 *
 * Where several processes share the database, the one that received what was late replays it at once: it has the state
 * at hand, and its lease of the device keeps it the only one. The sweep is the net under it, and belongs to the owner
 * of the device. The owner leaves a device to the process that works on it. It takes the device if its row was not
 * written since the last sweep, or if the device is new to this process.
 */
export function sweeper(
  store: Store,
  replays: ReplayQueue,
  owned: OwnedDevices = ALL_DEVICES,
): (goOn: () => boolean) => Promise<void> {
  /** Of the last sweep: the ownership, and how often the row of each marked device had been written. */
  let before: { readonly ownership: Ownership; readonly versions: ReadonlyMap<number, number> } = {
    ownership: [],
    versions: new Map(),
  };
  return async (goOn) => {
    const ownership = owned.now();
    const versions = new Map<number, number>();
    for (let lastId = 0; goOn(); ) {
      const found = await lateDevices(store, { ownership, afterId: lastId, atMost: AT_ONCE });
      let queued: number | undefined;
      for (const device of found) {
        if (ownership !== undefined) versions.set(device.deviceId, device.version);
        const isLeft = before.versions.get(device.deviceId) === device.version;
        if (ownership !== undefined && !isLeft && owns(before.ownership, device.deviceId)) continue;
        replays.add(device.deviceId);
        queued = device.deviceId;
      }
      if (found.length < AT_ONCE) break;
      lastId = found.at(-1)!.deviceId;
      if (queued !== undefined) await replays.turnOf(queued);
    }
    before = { ownership, versions };
  };
}
