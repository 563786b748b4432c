import type { Kysely } from 'kysely';
import type { Log } from '../../../platform/log.ts';
import { StoreTrouble } from '../../../platform/storage/trouble.ts';
import { send } from '../../delivery/send.ts';
import { appendLiveEvents, type LiveEvent } from '../../live/append-live-events.ts';
import { isMoving } from '../../motion/motion.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices, type Ownership } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { fixInputs, type ProximityInput } from '../evaluate/inputs.ts';
import { advanceState, hasEffects, saveEffects } from '../state/apply-effects.ts';
import { budgetOf } from '../state/budget.ts';
import { notificationEvents } from '../state/live-events.ts';
import { type LockedState, lockState } from '../state/lock-state.ts';
import { saveOwnFences } from '../state/own-fences.ts';
import { MINUTE_MS } from '../state/place-due.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';
import { noPoints, type PlacedPoints, placeMinute, type TouchedMinute } from './place-points.ts';

type Tx = Kysely<Tables>;

/** Minutes that one transaction looks at. */
const AT_ONCE = 20;

interface PlacingOptions {
  readonly now: number;
  /** How old a position may be and still be evaluated. */
  readonly windowMs: number;
  /** How much one transaction evaluates, see `Budget`. */
  readonly units: number;
}

export interface PlacedTag {
  /** The number of positions stored. */
  readonly points: number;
  /** The tag, where anything of it must be sent. */
  readonly outgoing: readonly number[];
  /** Whether what was evaluated before must be evaluated again. */
  readonly isLate: boolean;
  readonly proximity: readonly ProximityInput[];
}

/**
 * Stores the positions of a tag by the gateways that received it, and evaluates them like reported positions. The recorded
 * minutes are deleted in the same transaction, so that only one server does this.
 * @returns undefined where nothing is noted for it
 */
function placeTag(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  options: PlacingOptions,
): Promise<PlacedTag | undefined> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, deviceId);
    // First, so that all data of the transaction that recorded a minute is visible.
    const minutes = await takeMinutes(tx, deviceId);
    if (minutes.length === 0) return undefined;
    if (stateRow === undefined || !(await isActive(tx, deviceId))) return NOTHING;
    const { now, windowMs } = options;
    const from = Math.max(now - windowMs, await forgottenUntil(tx, deviceId));
    const { motion } = stateRow.state;
    const placing = { deviceId, now, isMoving: motion !== undefined && isMoving(motion), seen: new Set<number>() };
    const placed = noPoints();
    for (const minute of minutes) if (minute.minute * MINUTE_MS >= from) await placeMinute(tx, minute, placing, placed);
    return evaluate(tx, rulesCache, stateRow, placed, options);
  });
}

const NOTHING: PlacedTag = { points: 0, outgoing: [], isLate: false, proximity: [] };

async function takeMinutes(tx: Tx, deviceId: number): Promise<TouchedMinute[]> {
  const noted = tx.selectFrom('placeQueue').select('minute').where('deviceId', '=', deviceId);
  const minutes = (await noted.orderBy('minute').limit(AT_ONCE).execute()).map(({ minute }) => minute);
  if (minutes.length === 0) return [];
  const taken = await tx
    .deleteFrom('placeQueue')
    .where('deviceId', '=', deviceId)
    .where('minute', 'in', minutes)
    .returning(['minute', 'changesFrom'])
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

/** What came in order is evaluated here; for what was put right, and what came late, the device is evaluated again. */
async function evaluate(
  tx: Tx,
  rulesCache: RulesCache,
  stateRow: LockedState,
  placed: PlacedPoints,
  { now, units }: PlacingOptions,
): Promise<PlacedTag> {
  const { deviceId } = stateRow;
  const { inserted, corrected, lateFrom } = placed;
  inserted.sort((a, b) => a.timestamp - b.timestamp);
  await notePlaced(tx, deviceId, placed);
  if (lateFrom !== null) stateRow.lateFrom = Math.min(stateRow.lateFrom ?? Number.POSITIVE_INFINITY, lateFrom);
  for (const { timestamp } of inserted) stateRow.newestAt = Math.max(stateRow.newestAt, timestamp);
  const rules = await rulesCache.rulesFor(deviceId, stateRow.rulesVersion, now, stateRow.state.at);
  const outcome = advanceState(stateRow, fixInputs(inserted), rules, budgetOf(units));
  const recording = { now, ...rulesCache.policy, mayBeNotified: rules.mayBeNotified };
  const notifications = hasEffects(outcome) ? await saveEffects(tx, stateRow, outcome, recording) : [];
  const isChanged = inserted.length > 0 || lateFrom !== null;
  if (isChanged) {
    await saveOwnFences(tx, stateRow, rules);
    await saveState(tx, stateRow);
  }
  const outgoing = { deviceId, forwarders: rules.forwarders, points: inserted, notifications };
  if (inserted.length > 0) await send(tx, rulesCache.policy, [outgoing], now);
  const liveEvents = [...placedEvents(stateRow, placed), ...notificationEvents(notifications)];
  await appendLiveEvents(tx, liveEvents, now);
  const isNear = inserted.length > 0 && rulesCache.hasTrigger(deviceId, 'proximity');
  const isOutgoing = notifications.length > 0 || (inserted.length > 0 && rules.forwarders.length > 0);
  return {
    points: inserted.length + corrected.length,
    outgoing: isOutgoing ? [deviceId] : [],
    isLate: stateRow.lateFrom !== null,
    proximity: isNear ? [{ deviceId, points: inserted, readings: [] }] : [],
  };
}

/** A sighting counts as a connection of the tag, although the tag reported nothing itself. */
async function notePlaced(tx: Tx, deviceId: number, { until, lastSightingAt }: PlacedPoints): Promise<void> {
  if (Number.isFinite(until))
    await tx
      .updateTable('deviceStates')
      .set({ placedUntil: until })
      .where('deviceId', '=', deviceId)
      .where((when) => when.or([when('placedUntil', 'is', null), when('placedUntil', '<', until)]))
      .execute();
  if (!Number.isFinite(lastSightingAt)) return;
  await tx
    .updateTable('devices')
    .set({ firstSeen: lastSightingAt })
    .where('id', '=', deviceId)
    .where('lastConnection', 'is', null)
    .execute();
  await tx
    .updateTable('devices')
    .set({ lastConnection: lastSightingAt })
    .where('id', '=', deviceId)
    .where((when) => when.or([when('lastConnection', 'is', null), when('lastConnection', '<', lastSightingAt)]))
    .execute();
}

function placedEvents(
  { deviceId, state }: LockedState,
  { inserted, corrected, lastSightingAt }: PlacedPoints,
): LiveEvent[] {
  if (!Number.isFinite(lastSightingAt) && corrected.length === 0) return [];
  const points = [...corrected, ...inserted.map(({ id }) => id)];
  const moving = state.motion === undefined ? null : isMoving(state.motion);
  const device = { moving, ...(Number.isFinite(lastSightingAt) && { lastConnection: lastSightingAt }) };
  return [{ kind: 'report', deviceId, event: { points, device } }];
}

const TAGS_AT_ONCE = 200;
/** Where a tag fails, the others go on; it is tried again after this. */
const AGAIN_MS = 60_000;

interface Placing extends Omit<PlacingOptions, 'now'> {
  readonly log: Log;
  readonly now: () => number;
  readonly goOn: () => boolean;
  readonly owned?: OwnedDevices;
  readonly placed: (deviceId: number, tag: PlacedTag) => void;
}

/** Places all tags that are due, some at a time, each for itself. */
export async function placeDueTags(
  store: Store,
  rulesCache: RulesCache,
  { log, now, goOn, owned = ALL_DEVICES, placed, windowMs, units }: Placing,
): Promise<void> {
  for (;;) {
    const due = await dueTags(store, now(), owned.now());
    for (const deviceId of due) {
      if (!goOn()) return;
      if (!owned.has(deviceId)) continue;
      try {
        const tag = await placeTag(store, rulesCache, deviceId, { now: now(), windowMs, units });
        if (tag) placed(deviceId, tag);
      } catch (error) {
        // Where the store itself is in trouble, the others fail too.
        if (error instanceof StoreTrouble) throw error;
        log.error({ error, deviceId }, 'Locating a tag failed');
        await postpone(store, deviceId, now() + AGAIN_MS);
      }
    }
    if (due.length < TAGS_AT_ONCE) return;
  }
}

async function dueTags(store: Store, now: number, ownership: Ownership): Promise<number[]> {
  const rows = await store.query
    .selectFrom('placeQueue')
    .select('deviceId')
    .distinct()
    .where('dueAt', '<=', now)
    .where(isOwned('deviceId', ownership))
    .limit(TAGS_AT_ONCE)
    .execute();
  return rows.map(({ deviceId }) => deviceId);
}

const postpone = (store: Store, deviceId: number, dueAt: number) =>
  store.query.updateTable('placeQueue').set({ dueAt }).where('deviceId', '=', deviceId).execute();
