import { timeNow } from '../../platform/clock.ts';
import type { Log } from '../../platform/log.ts';
import { failureLog } from '../../platform/storage/failure-log.ts';
import { StoreTrouble } from '../../platform/storage/trouble.ts';
import { renewPlans } from '../devices/plans/renewal.ts';
import type { ShapedFence } from '../geofences/versions.ts';
import type { KeptDays } from '../positions/kept-days.ts';
import { ALL_SLOTS, type OwnedSlots, type SlotList } from '../schema/owned-slots.ts';
import type { Store } from '../schema/tables.ts';
import type { SendingPolicy } from '../sending/sending-policy.ts';
import { ClockDoubt } from './intake/clock-doubt.ts';
import { watchClock } from './intake/clock-watch.ts';
import { type CommittedBatch, Intake } from './intake/intake.ts';
import { placeDueTags } from './places/place-due-tags.ts';
import type { PlacedTag } from './places/place-tag.ts';
import { endAbandonedImports, endImport } from './replay/end-import.ts';
import { judgeRest } from './replay/judge-rest.ts';
import { rebuild } from './replay/rebuild.ts';
import { type Correction, replay } from './replay/replay.ts';
import { freeDeadReplays, markOutdatedStates } from './replay/replay-lease.ts';
import { ReplayQueue } from './replay/replay-queue.ts';
import { sweeper } from './replay/sweep.ts';
import { TRANSACTION_UNITS } from './state/budget.ts';
import { RulesCache } from './state/rules-cache.ts';
import { decideDue } from './timers/due.ts';
import { judgeMaintenance } from './timers/maintenance.ts';
import { judgeSilence } from './timers/offline.ts';
import { positionPacker } from './timers/pack-positions.ts';
import { packer } from './timers/pack-trips.ts';
import { judgeExpiry } from './timers/plan-expiry.ts';
import { judgeProximity } from './timers/proximity.ts';
import { shapeQueue } from './timers/shape-queue.ts';
import { startUptime } from './timers/uptime.ts';

export interface EngineOptions {
  /** How old a fix may be and still be judged. */
  readonly windowMs: number;
  /** How old positions are when they are packed; never, where it is not said. */
  readonly packAfterMs?: number;
  /** For how many days what devices report is stored; forever, where it is not said. */
  readonly kept?: KeptDays;
  readonly log: Log;
  /** How much judging one transaction does, see `Budget`. */
  readonly units?: number;
  readonly policy?: SendingPolicy;
  /** The slots whose clocks this process keeps. */
  readonly owned?: OwnedSlots;
  /** Told of every commit that someone may want to see. */
  readonly committed?: (committed: Pick<CommittedBatch, 'points' | 'outgoing'>) => void;
  readonly corrected?: (corrected: Correction) => void;
  /** The time of the server, in milliseconds since 1970. */
  readonly now?: () => number;
  /** Milliseconds that pass evenly, whatever happens to the clock. */
  readonly monotonic?: () => number;
}

export interface Engine {
  readonly intake: Intake;
  /** By how many milliseconds the server's clock is behind most devices, negative where it is ahead; null without doubt. */
  clockOffsetMs(): number | null;
  readonly rulesCache: RulesCache;
  /** What was stored or changed from this time on must be judged again. */
  judgeAgain(deviceId: number): void;
  /** All of a history is there: it is judged now, in slices where it did not come in order. */
  endImport(deviceId: number): Promise<void>;
  /** Whoever stands in a fence that is new or has another shape is inside from then on. */
  fenceShaped(fence: ShapedFence): Promise<void>;
  /** How many devices are being judged again, or wait for it. */
  replaying(): number;
  /** Resolves once nothing waits to be judged. */
  idle(): Promise<void>;
  stop(): Promise<void>;
}

const TICK_MS = 1000;
const SILENCE_MS = 5_000;
const EXPIRY_MS = 3_600_000;
const MAINTENANCE_MS = 60_000;
/** How often it is stored that the server is still up: at most this much is unknown after a crash. */
const UPTIME_MS = 30_000;
/** How often devices are looked for that wait to be judged, since a replay failed or another process died. */
const SWEEP_MS = 15_000;
/** How often trips are looked for that are not packed yet. */
const PACK_MS = 10_000;
/** How often positions are looked for that are old enough to be packed. */
const PACK_POSITIONS_MS = 3_600_000;
/** What is put right by what was heard late reaches back a little further than the late window. */
const PACK_MARGIN_MS = 2 * 86_400_000;

const isAnyGained = (before: SlotList, now: SlotList) =>
  before !== undefined && (now === undefined || now.some((slot) => !before.includes(slot)));

/** Everything that makes the state of devices go on: reports, replays of what came late, and the clock. */
export async function startEngine(store: Store, options: EngineOptions): Promise<Engine> {
  const { log, windowMs, now = timeNow, units = TRANSACTION_UNITS, owned = ALL_SLOTS } = options;
  const packAfterMs =
    options.packAfterMs === undefined ? undefined : Math.max(options.packAfterMs, windowMs + PACK_MARGIN_MS);
  const notified = ({ deviceId }: { readonly deviceId: number }) =>
    options.committed?.({ points: 0, outgoing: [deviceId] });
  // Whoever gives the time alone gives one that nobody sets.
  const { monotonic = options.now ?? (() => performance.now()) } = options;
  const clockDoubt = new ClockDoubt({ monotonic });
  const rulesCache = new RulesCache(store, windowMs, options.policy);
  const replayFailed = failureLog(log);
  const packingFailed = failureLog(log);
  const replays = new ReplayQueue(async (deviceId) => {
    try {
      const rebuilt = await rebuild(store, rulesCache, deviceId, now);
      if (rebuilt !== undefined) return rebuilt === 'more' ? 'more' : true;
      const rest = await judgeRest(store, rulesCache, deviceId, { clock: now, units });
      if (rest !== undefined) {
        notified({ deviceId });
        return rest === 'more' ? 'more' : true;
      }
      const outcome = await replay(store, rulesCache, deviceId, now, undefined, units);
      if (outcome === undefined) return true;
      if (outcome === 'overtaken') return false;
      options.corrected?.(outcome);
      return !outcome.isOpen;
    } catch (error) {
      // It stays marked in the store, so that it is taken up again.
      if (error instanceof StoreTrouble) replayFailed(error, 'Replays failed');
      else log.error({ error, deviceId }, 'A replay failed');
      return true;
    }
  });
  const judgeAgain = (deviceId: number) => replays.add(deviceId);
  async function importEnds(deviceId: number): Promise<void> {
    if (await endImport(store, deviceId, now())) judgeAgain(deviceId);
  }

  let judging: Promise<void> = Promise.resolve();
  function publish(committed: CommittedBatch): void {
    options.committed?.(committed);
    for (const one of committed.proximity)
      judging = judging
        .then(async () => (await judgeProximity(store, rulesCache.policy, one, now())).forEach(notified))
        .catch((error) => log.error({ error }, 'Judging what is near failed'));
  }

  const intake = new Intake(store, rulesCache, {
    windowMs,
    kept: options.kept,
    units,
    packAfterMs,
    publish,
    late: judgeAgain,
    clockDoubt,
  });
  const clockWatch = watchClock(store, intake, clockDoubt, log);

  let isStopped = false;
  const goOn = () => !isStopped;
  const shapes = shapeQueue(store, rulesCache, { log, now, judgeAgain, goOn });
  const sweep = sweeper(store, replays, owned);
  let sweeping: Promise<void> | undefined;
  function startSweep(): void {
    sweeping ??= sweep(goOn)
      .catch((error) => log.error({ error }, 'Looking for what waits to be judged failed'))
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
  const placingFailed = failureLog(log);
  let placing: Promise<void> | undefined;
  function startPlacing(): void {
    const placed = (deviceId: number, tag: PlacedTag) => {
      publish(tag);
      if (tag.isLate) judgeAgain(deviceId);
    };
    placing ??= placeDueTags(store, rulesCache, { log, now, goOn, owned, placed, windowMs, units })
      .catch((error) => placingFailed(error, 'Placing tags failed'))
      .finally(() => {
        placing = undefined;
      });
  }
  await freeDeadReplays(store);
  await markOutdatedStates(store);
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
  let slots = owned.now();
  /** Whoever had a slot before may have died just before it looked: all is looked at again. */
  function noteGained(steady: number): void {
    const before = slots;
    slots = owned.now();
    if (slots === before || !isAnyGained(before, slots)) return;
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
      if (slots?.length !== 0) await keepClocks(at, steady);
      await clockWatch.look(at, steady);
    } catch (error) {
      tickFailed(error, 'The clock of the devices failed');
    }
  }
  /** What falls due for devices of the slots that are this process's. */
  async function keepClocks(at: number, steady: number): Promise<void> {
    startPlacing();
    await decideDue(store, rulesCache, at, { log, goOn, owned, fired: notified });
    if (steady >= nextSilence) {
      nextSilence = steady + SILENCE_MS;
      await renewPlans(store, at, owned);
      const upSince = (moment: number, until: number) => uptime.since(moment, until, steady);
      (await judgeSilence(store, rulesCache.policy, upSince, at, owned)).forEach(notified);
    }
    if (steady >= nextExpiry) {
      nextExpiry = steady + EXPIRY_MS;
      await endAbandonedImports(store, at, importEnds);
      (await judgeExpiry(store, rulesCache.policy, at, owned)).forEach(notified);
    }
    if (steady >= nextMaintenance) {
      nextMaintenance = steady + MAINTENANCE_MS;
      (await judgeMaintenance(store, rulesCache.policy, at, owned)).forEach(notified);
    }
    if (steady >= nextSweep) {
      nextSweep = steady + SWEEP_MS;
      startSweep();
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
    judgeAgain,
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
      await packing;
      await packingPositions;
      await judging;
      await uptime.note(now()).catch((error) => log.error({ error }, 'Storing how long the server was up failed'));
    },
  };
}
