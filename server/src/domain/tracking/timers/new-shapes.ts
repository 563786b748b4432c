import type { Log } from '../../../platform/log.ts';
import { readUserFences } from '../../geofences/user-fences.ts';
import type { ShapedFence } from '../../geofences/versions.ts';
import type { Store } from '../../schema/tables.ts';
import { advance, dueOf } from '../evaluate/advance.ts';
import { type DeviceState, NO_STATE } from '../evaluate/device-state.ts';
import { lockState } from '../state/lock-state.ts';
import { showFenceChecksOf } from '../state/own-fences.ts';
import { type RulesCache, rulesOf } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { passClock } from './due.ts';

/**
 * A fence was drawn or got another shape: devices within it are inside from then on, even if they do not report. The
 * step decides this, because it checks new shapes whenever time advances. Here time is advanced for the affected
 * devices. A device that is missed because a server stopped is evaluated with its next report.
 */

/** How many devices are looked at in one go. */
const SLICE = 200;
/** With more fences than this, naming them in a statement is no longer cheaper than reading all of the user's. */
const MAX_NAMED = 1000;

/** One fence, or several that got their shapes in a short time. */
interface NewShapes {
  readonly userId: number;
  readonly fenceIds: readonly number[];
  /** The only device they are for, if they are for one. */
  readonly deviceId: number | null;
  /** The times of the first and of the last shape. */
  readonly from: number;
  readonly until: number;
  /** Devices up to this id are done. */
  readonly after: number;
}

/** @returns what is left to do, undefined where every device was looked at */
async function evaluateNewShapes(
  store: Store,
  rulesCache: RulesCache,
  shapes: NewShapes,
  { now, evaluateAgain }: { readonly now: () => number; readonly evaluateAgain: (deviceId: number) => void },
): Promise<NewShapes | undefined> {
  const { from, until } = shapes;
  const rows = await statesOf(store, shapes);
  if (rows.length === 0) return undefined;
  // Only these fences are read: a user may have very many, and save one after the other.
  const only = shapes.fenceIds.length <= MAX_NAMED ? shapes.fenceIds : undefined;
  const fences = await readUserFences(store, shapes.userId, 0, until, only);
  for (const { deviceId, state } of rows) {
    const seen = JSON.parse(state) as DeviceState;
    const known = Object.fromEntries(
      shapes.fenceIds.flatMap((id) => (seen.fences[id] === undefined ? [] : [[id, seen.fences[id]]])),
    );
    const before = { ...seen, at: Math.min(seen.at, from - 1), fences: known };
    const after = advance(before, { kind: 'clock', at: until }, rulesOf(deviceId, [], [fences])).state;
    // Most devices are elsewhere: of them nothing is locked or written.
    if (after.fences === known) continue;
    if (await evaluateDevice(store, rulesCache, deviceId, shapes, now())) evaluateAgain(deviceId);
  }
  return rows.length < SLICE ? undefined : { ...shapes, after: rows.at(-1)!.deviceId };
}

/** Devices with a state that the user may see now. */
async function statesOf(store: Store, { userId, deviceId, after }: NewShapes) {
  return store.query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select(['s.deviceId', 's.state'])
    .where('d.deletedAt', 'is', null)
    .where((when) =>
      when.or([
        when('d.ownerId', '=', userId),
        when.exists(
          when
            .selectFrom('shares')
            .select('shares.id')
            .whereRef('shares.deviceId', '=', 'd.id')
            .where('shares.userId', '=', userId),
        ),
      ]),
    )
    .$if(deviceId !== null, (of) => of.where('d.id', '=', deviceId!))
    .where('s.state', '!=', NO_STATE)
    .where('s.deviceId', '>', after)
    .orderBy('s.deviceId')
    .limit(SLICE)
    .execute();
}

/** @returns whether a replay must evaluate it, since something later than the new shape was evaluated already */
function evaluateDevice(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  { from, until }: NewShapes,
  now: number,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, deviceId);
    // What waits for a replay is decided there.
    if (stateRow === undefined || stateRow.lateFrom !== null) return false;
    if (stateRow.state.at >= from) {
      stateRow.lateFrom = from;
      await saveState(tx, stateRow);
      return true;
    }
    // What is due the clock decides, once the device has settled, and with it the new shape.
    if ((dueOf(stateRow.state) ?? Number.POSITIVE_INFINITY) > now)
      await passClock(tx, rulesCache, stateRow, Math.max(now, until));
    return false;
  });
}

interface ShapeQueueOptions {
  readonly log: Log;
  readonly now: () => number;
  readonly evaluateAgain: (deviceId: number) => void;
  readonly goOn: () => boolean;
}

interface ShapeQueue {
  /** Resolves once the first of the user's devices are evaluated, which mostly are all; the others follow. */
  add(fence: ShapedFence): Promise<void>;
  idle(): Promise<void>;
}

/**
 * Sees to it that new shapes of fences are evaluated. A user with many devices who saves many fences has their devices looked
 * at once for all fences that came in the meantime, not once for each.
 */
export function shapeQueue(store: Store, rulesCache: RulesCache, options: ShapeQueueOptions): ShapeQueue {
  const { log, goOn } = options;
  const waiting = new Map<string, NewShapes>();
  let working: Promise<void> = Promise.resolve();
  const failed = (error: unknown) => log.error({ error }, 'Evaluating a new geofence failed');

  function enqueue(shapes: NewShapes): void {
    const key = `${shapes.userId} ${shapes.deviceId}`;
    const same = waiting.get(key);
    const from = Math.min(shapes.from, same?.from ?? shapes.from);
    const until = Math.max(shapes.until, same?.until ?? shapes.until);
    const after = Math.min(shapes.after, same?.after ?? shapes.after);
    const fenceIds = [...new Set([...shapes.fenceIds, ...(same?.fenceIds ?? [])])];
    waiting.set(key, { ...shapes, fenceIds, from, until, after });
    if (same === undefined) working = working.then(() => work(key)).catch(failed);
  }

  async function work(key: string): Promise<void> {
    let remaining: NewShapes | undefined = waiting.get(key);
    waiting.delete(key);
    while (remaining !== undefined && goOn())
      remaining = await evaluateNewShapes(store, rulesCache, remaining, options);
  }

  return {
    async add({ fenceId, userId, deviceId, shapedAt }) {
      const shapes = { userId, fenceIds: [fenceId], deviceId, from: shapedAt, until: shapedAt, after: 0 };
      try {
        const remaining = await evaluateNewShapes(store, rulesCache, shapes, options);
        if (deviceId !== null) await showFenceChecksOf(store, deviceId);
        if (remaining) enqueue(remaining);
      } catch (error) {
        // The fence is saved anyway; devices within it are evaluated with their next report.
        failed(error);
      }
    },
    idle: () => working,
  };
}
