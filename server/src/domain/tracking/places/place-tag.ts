import type { Kysely } from 'kysely';
import { appendLiveEvents, type LiveEvent } from '../../live/append-live-events.ts';
import { isMoving } from '../../motion/motion.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { send } from '../../sending/send.ts';
import { fixInputs } from '../judge/to-fix.ts';
import { advanceState, hasEffects, saveEffects } from '../state/apply-effects.ts';
import { budgetOf } from '../state/budget.ts';
import { notificationEvents } from '../state/live-events.ts';
import { type LockedState, lockState } from '../state/lock-state.ts';
import { saveOwnFences } from '../state/own-fences.ts';
import { MINUTE_MS } from '../state/place-due.ts';
import type { ProximityInput } from '../state/proximity-input.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { noPoints, type PlacedPoints, placeMinute, type TouchedMinute } from './place-points.ts';

type Tx = Kysely<Tables>;

/** Minutes that one transaction looks at. */
const AT_ONCE = 20;

export interface PlacingOptions {
  readonly now: number;
  /** How old a position may be and still be judged. */
  readonly windowMs: number;
  /** How much judging one transaction does, see `Budget`. */
  readonly units: number;
}

export interface PlacedTag {
  /** The number of positions stored. */
  readonly points: number;
  /** The tag, where anything of it must be sent. */
  readonly outgoing: readonly number[];
  /** Whether what was judged before must be judged again. */
  readonly isLate: boolean;
  readonly proximity: readonly ProximityInput[];
}

/**
 * Gives a tag its positions by the gateways that heard it, and judges them like those that a device reports. What is noted
 * for it is taken away in the same transaction, so that it is done once, by whichever server.
 * @returns undefined where nothing is noted for it
 */
export function placeTag(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  options: PlacingOptions,
): Promise<PlacedTag | undefined> {
  const { storeKind } = store;
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, storeKind, deviceId);
    // First, so that all is seen of whoever noted a minute.
    const minutes = await takeMinutes(tx, deviceId);
    if (minutes.length === 0) return undefined;
    if (stateRow === undefined || !(await isActive(tx, deviceId))) return NOTHING;
    const { now, windowMs } = options;
    const from = Math.max(now - windowMs, await forgottenUntil(tx, deviceId));
    const { motion } = stateRow.state;
    const placing = { deviceId, now, isMoving: motion !== undefined && isMoving(motion), seen: new Set<number>() };
    const placed = noPoints();
    for (const minute of minutes)
      if (minute.minute * MINUTE_MS >= from) await placeMinute(tx, storeKind, minute, placing, placed);
    return judge(tx, store, rulesCache, stateRow, placed, options);
  });
}

const NOTHING: PlacedTag = { points: 0, outgoing: [], isLate: false, proximity: [] };

async function takeMinutes(tx: Tx, deviceId: number): Promise<TouchedMinute[]> {
  const noted = tx.selectFrom('placesDue').select('minute').where('deviceId', '=', deviceId);
  const minutes = (await noted.orderBy('minute').limit(AT_ONCE).execute()).map(({ minute }) => minute);
  if (minutes.length === 0) return [];
  const taken = await tx
    .deleteFrom('placesDue')
    .where('deviceId', '=', deviceId)
    .where('minute', 'in', minutes)
    .returning(['minute', 'since'])
    .execute();
  return taken.sort((a, b) => a.minute - b.minute);
}

async function isActive(tx: Tx, deviceId: number): Promise<boolean> {
  const device = await tx.selectFrom('devices').select('active').where('id', '=', deviceId).executeTakeFirst();
  return device !== undefined && device.active !== 0;
}

/** What was forgotten is not found out again. */
async function forgottenUntil(tx: Tx, deviceId: number): Promise<number> {
  const asked = tx.selectFrom('deviceStates').select('forgottenUntil').where('deviceId', '=', deviceId);
  return (await asked.executeTakeFirst())?.forgottenUntil ?? 0;
}

/** What came in order is judged here; for what was put right, and what came late, the device is judged again. */
async function judge(
  tx: Tx,
  store: Store,
  rulesCache: RulesCache,
  stateRow: LockedState,
  placed: PlacedPoints,
  { now, units }: PlacingOptions,
): Promise<PlacedTag> {
  const { storeKind } = store;
  const { deviceId } = stateRow;
  const { inserted, corrected, lateFrom } = placed;
  inserted.sort((a, b) => a.timestamp - b.timestamp);
  await notePlaced(tx, deviceId, placed);
  if (lateFrom !== null) stateRow.lateFrom = Math.min(stateRow.lateFrom ?? Number.POSITIVE_INFINITY, lateFrom);
  for (const { timestamp } of inserted) stateRow.newest = Math.max(stateRow.newest, timestamp);
  const rules = await rulesCache.rulesFor(deviceId, stateRow.rules, now);
  const outcome = advanceState(stateRow, fixInputs(inserted), rules, budgetOf(units));
  const recording = { now, ...rulesCache.policy, mayBeTold: rules.mayBeTold };
  const notifications = hasEffects(outcome) ? await saveEffects(tx, storeKind, stateRow, outcome, recording) : [];
  const isChanged = inserted.length > 0 || lateFrom !== null;
  if (isChanged) {
    await saveOwnFences(tx, store, stateRow, rules);
    await saveState(tx, storeKind, stateRow);
  }
  const outgoing = { deviceId, forwarders: rules.forwarders, points: inserted, notifications };
  if (inserted.length > 0) await send(tx, store, rulesCache.policy, [outgoing], now);
  const liveEvents = [...placedEvents(stateRow, placed), ...notificationEvents(notifications)];
  await appendLiveEvents(tx, storeKind, liveEvents, now);
  const isNear = inserted.length > 0 && rulesCache.hasTrigger(deviceId, 'proximity');
  const isOutgoing = notifications.length > 0 || (inserted.length > 0 && rules.forwarders.length > 0);
  return {
    points: inserted.length + corrected.length,
    outgoing: isOutgoing ? [deviceId] : [],
    isLate: stateRow.lateFrom !== null,
    proximity: isNear ? [{ deviceId, points: inserted, readings: [] }] : [],
  };
}

/** A tag that a gateway heard was heard, though it reported nothing itself. */
async function notePlaced(tx: Tx, deviceId: number, { until, heardAt }: PlacedPoints): Promise<void> {
  if (Number.isFinite(until))
    await tx
      .updateTable('deviceStates')
      .set({ placedUntil: until })
      .where('deviceId', '=', deviceId)
      .where((when) => when.or([when('placedUntil', 'is', null), when('placedUntil', '<', until)]))
      .execute();
  if (!Number.isFinite(heardAt)) return;
  await tx
    .updateTable('devices')
    .set({ firstSeen: heardAt })
    .where('id', '=', deviceId)
    .where('lastConnection', 'is', null)
    .execute();
  await tx
    .updateTable('devices')
    .set({ lastConnection: heardAt })
    .where('id', '=', deviceId)
    .where((when) => when.or([when('lastConnection', 'is', null), when('lastConnection', '<', heardAt)]))
    .execute();
}

function placedEvents({ deviceId, state }: LockedState, { inserted, corrected, heardAt }: PlacedPoints): LiveEvent[] {
  if (!Number.isFinite(heardAt) && corrected.length === 0) return [];
  const points = [...corrected, ...inserted.map(({ id }) => id)];
  const moving = state.motion === undefined ? null : isMoving(state.motion);
  const device = { moving, ...(Number.isFinite(heardAt) && { lastConnection: heardAt }) };
  return [{ kind: 'heard', deviceId, event: { points, device } }];
}
