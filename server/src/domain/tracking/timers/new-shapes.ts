import { readUserFences } from '../../geofences/index/user-fences.ts';
import type { Store } from '../../schema/tables.ts';
import { advance, dueOf } from '../judge/advance.ts';
import { type DeviceState, STATE_FORM } from '../judge/device-state.ts';
import { lockState } from '../state/lock-state.ts';
import { type RulesCache, rulesOf } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { passClock } from './pass-clock.ts';

/**
 * A fence was drawn or got another shape: whoever stands in it is inside from then on, though nothing is heard of them.
 * That is a matter of the step, which looks at new shapes whenever time passes; here time passes for the devices that it
 * makes a difference to. A device that is left out, since a server stopped, is judged with its next report.
 */

/** How many devices are looked at in one go. */
const SLICE = 200;
/** With more fences than this, naming them in a statement is no longer cheaper than reading all of the user's. */
const MAX_NAMED = 1000;

/** One fence, or several that got their shapes in a short time. */
export interface NewShapes {
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
export async function judgeNewShapes(
  store: Store,
  rulesCache: RulesCache,
  shapes: NewShapes,
  { now, judgeAgain }: { readonly now: () => number; readonly judgeAgain: (deviceId: number) => void },
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
    if (await judgeDevice(store, rulesCache, deviceId, shapes, now())) judgeAgain(deviceId);
  }
  return rows.length < SLICE ? undefined : { ...shapes, after: rows.at(-1)!.deviceId };
}

/** Those that the user sees now, and whose state is known. */
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
    .where('s.form', '=', STATE_FORM)
    .where('s.deviceId', '>', after)
    .orderBy('s.deviceId')
    .limit(SLICE)
    .execute();
}

/** @returns whether a replay must judge it, since something later than the new shape was judged already */
function judgeDevice(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  { from, until }: NewShapes,
  now: number,
): Promise<boolean> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, store.storeKind, deviceId);
    // What waits for a replay is decided there.
    if (stateRow === undefined || stateRow.lateFrom !== null) return false;
    if (stateRow.state.at >= from) {
      stateRow.lateFrom = from;
      await saveState(tx, store.storeKind, stateRow);
      return true;
    }
    // What is due the clock decides, once the device has settled, and with it the new shape.
    if ((dueOf(stateRow.state) ?? Number.POSITIVE_INFINITY) > now)
      await passClock(tx, store, rulesCache, stateRow, Math.max(now, until));
    return false;
  });
}
