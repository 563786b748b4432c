import { setTimeout as pause } from 'node:timers/promises';
import type { Log } from '../../platform/log.ts';
import { startOfDay } from '../positions/segments.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices } from '../schema/owned-devices.ts';
import type { Store } from '../schema/tables.ts';
import { dropOutlived, outlivedUntil } from './drop-months.ts';
import { forgetSlice } from './forget-device.ts';
import {
  cutsOf,
  FORGOTTEN_KINDS,
  type ForgottenCounts,
  type ForgottenKind,
  isAnyForgotten,
  type KeptHistory,
} from './kept-history.ts';

/** Number of devices read together. */
const AT_ONCE = 200;
/** The pause between slices is this many times as long as a slice. */
const PATIENCE = 4;
/** Maximum number of remembered devices that waited for evaluation and are checked again. */
const MOST_BUSY = 10_000;
/** Packed months that could not be dropped for this long are deleted row by row. */
const DROP_MS = 12 * 3_600_000;

interface ForgettingOptions {
  readonly kept: KeptHistory;
  readonly log: Pick<Log, 'info'>;
  /** The devices of this process. */
  readonly owned?: OwnedDevices;
}

/** The progress of a round over all devices, and the removed data since the start. */
export interface ForgettingProgress {
  readonly isRunning: boolean;
  /** Devices processed in the round. */
  readonly devices: number;
  readonly removed: ForgottenCounts;
}

interface Forgetter {
  /** Checks all devices once a day, and busy ones also in between. */
  run(now: number, goOn: () => boolean): Promise<void>;
  progress(): ForgettingProgress;
}

const nothing = (): Record<ForgottenKind, number> =>
  Object.fromEntries(FORGOTTEN_KINDS.map((kind) => [kind, 0])) as Record<ForgottenKind, number>;

/**
 * Deletes expired history: device by device, in small transactions, by the process that owns the device. If a process
 * ends, the next round continues. Expired packed months are dropped at the end.
 */
export function historyForgetter(store: Store, { kept, log, owned = ALL_DEVICES }: ForgettingOptions): Forgetter {
  const forget = store.work(forgetSlice, {});
  const removed = nothing();
  let devices = 0;
  let isRunning = false;
  /** The day and ownership of the last complete round. */
  let done: { readonly day: number; readonly ownership: unknown } | undefined;
  const busy = new Set<number>();
  /** The end of packed months to drop, and when the drop was first tried. */
  let dropping: { readonly until: number; readonly since: number } | undefined;

  async function findOutlived(now: number): Promise<void> {
    const until = await outlivedUntil(store, kept.positions, now);
    if (until === undefined) dropping = undefined;
    else if (dropping?.until !== until) dropping = { until, since: now };
  }

  async function forgetDevice(deviceId: number, keepDays: number | null, now: number, goOn: () => boolean) {
    const cuts = cutsOf(kept, keepDays, now);
    const droppedUntil = dropping !== undefined && now - dropping.since < DROP_MS ? dropping.until : undefined;
    busy.delete(deviceId);
    while (isAnyForgotten(cuts) && goOn()) {
      const startedAt = performance.now();
      const slice = await forget({ deviceId, cuts, droppedUntil });
      for (const kind of FORGOTTEN_KINDS) removed[kind] += slice.removed[kind] ?? 0;
      if (slice.next === 'busy' && busy.size < MOST_BUSY) busy.add(deviceId);
      if (slice.next !== 'more') return;
      // It keeps the process alive: a stopping server waits for it before it closes the store.
      await pause((performance.now() - startedAt) * PATIENCE);
    }
  }

  async function round(now: number, goOn: () => boolean): Promise<void> {
    const before = { ...removed };
    const ownership = owned.now();
    const isAll = done?.day !== startOfDay(now) || done.ownership !== ownership;
    devices = 0;
    await findOutlived(now);
    for (let after = 0; goOn(); ) {
      const some = await devicesToForget(store, { after, now, ownership });
      if (some.length === 0) {
        done = { day: startOfDay(now), ownership };
        break;
      }
      for (const { deviceId, keepDays } of some) {
        after = deviceId;
        devices += 1;
        if (isAll || busy.has(deviceId)) await forgetDevice(deviceId, keepDays, now, goOn);
      }
    }
    // Other nodes may not have recorded yet that their devices no longer need them: then it is done an hour later.
    if (dropping !== undefined && goOn()) await dropOutlived(store, dropping.until, { log, goOn });
    const changed = FORGOTTEN_KINDS.filter((kind) => removed[kind] > before[kind]);
    const counts = Object.fromEntries(changed.map((kind) => [kind, removed[kind] - before[kind]]));
    if (changed.length > 0) log.info({ devices, ...counts }, 'Old history was deleted');
  }

  return {
    async run(now, goOn) {
      isRunning = true;
      try {
        await round(now, goOn);
      } finally {
        isRunning = false;
      }
    },
    progress: () => ({ isRunning, devices, removed: { ...removed } }),
  };
}

interface KeptDevice {
  readonly deviceId: number;
  /** The shorter of the retention of the device and of its plan. */
  readonly keepDays: number | null;
}

/** The next devices ordered by id, with their retention, which is stored for intake. */
async function devicesToForget(
  { query }: Store,
  {
    after,
    now,
    ownership,
  }: { readonly after: number; readonly now: number; readonly ownership: ReturnType<OwnedDevices['now']> },
): Promise<KeptDevice[]> {
  const rows = await query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select(['s.deviceId', 's.keepDays as noted', 'd.keepDays'])
    .where('s.deviceId', '>', after)
    .where('d.deletedAt', 'is', null)
    .where(isOwned('s.deviceId', ownership))
    .orderBy('s.deviceId')
    .limit(AT_ONCE)
    .execute();
  if (rows.length === 0) return [];
  const plans = await query
    .selectFrom('subscriptions as s')
    .innerJoin('plans as p', 'p.id', 's.planId')
    .select(['s.deviceId', 'p.keepDays'])
    .where(
      's.deviceId',
      'in',
      rows.map(({ deviceId }) => deviceId),
    )
    .where('s.end', '>', now)
    .orderBy('s.id')
    .execute();
  const ofPlan = new Map(plans.map(({ deviceId, keepDays }) => [deviceId, keepDays]));
  const devices: KeptDevice[] = [];
  for (const { deviceId, noted, keepDays: own } of rows) {
    const said = [own, ofPlan.get(deviceId) ?? null].filter((days) => days !== null);
    const keepDays = said.length === 0 ? null : Math.min(...said);
    if (keepDays !== noted)
      await query.updateTable('deviceStates').set({ keepDays }).where('deviceId', '=', deviceId).execute();
    devices.push({ deviceId, keepDays });
  }
  return devices;
}
