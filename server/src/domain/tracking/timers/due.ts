import type { Kysely } from 'kysely';
import type { Log } from '../../../platform/log.ts';
import { StoreTrouble } from '../../../platform/storage/trouble.ts';
import { send } from '../../delivery/send.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices, type Ownership } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { advance, dueOf } from '../evaluate/advance.ts';
import { saveEffects } from '../state/apply-effects.ts';
import { motionEvents, notificationEvents } from '../state/live-events.ts';
import { type LockedState, lockState, lockStates } from '../state/lock-state.ts';
import { saveOwnFences } from '../state/own-fences.ts';
import type { RecordedNotification } from '../state/record-notification.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { saveState, saveStates } from '../state/save-state.ts';

const AT_ONCE = 200;

interface DueOptions {
  readonly log: Log;
  readonly goOn: () => boolean;
  /** The devices whose timers this process runs. */
  readonly owned?: OwnedDevices;
  readonly fired: (fired: {
    readonly deviceId: number;
    readonly notifications: readonly RecordedNotification[];
  }) => void;
}

/**
 * Lets the clock decide what is due and nothing contradicted: dwell times, silences, waits of triggers. After a
 * downtime of all servers these may be very many devices: they are processed in batches, each device on its own.
 */
export async function decideDue(
  store: Store,
  rulesCache: RulesCache,
  now: number,
  { log, goOn, fired, owned = ALL_DEVICES }: DueOptions,
): Promise<void> {
  let last: Noted = { deviceId: 0, dueAt: Number.MIN_SAFE_INTEGER };
  for (;;) {
    const noted = await notedDevices(store, last, now, owned.now());
    for (const deviceId of await dueAmong(store, noted, now)) {
      if (!goOn()) return;
      // Another process owns the device since.
      if (!owned.has(deviceId)) continue;
      try {
        const notifications = await decide(store, rulesCache, deviceId, now);
        if (notifications.length > 0) fired({ deviceId, notifications });
      } catch (error) {
        // Where the store itself is in trouble, the others fail too.
        if (error instanceof StoreTrouble) throw error;
        // It stays due; the others must not wait for it.
        log.error({ error, deviceId }, 'Running the timers of a device failed');
      }
    }
    if (noted.length < AT_ONCE) return;
    last = noted.at(-1)!;
  }
}

function decide(
  store: Store,
  rulesCache: RulesCache,
  deviceId: number,
  now: number,
): Promise<readonly RecordedNotification[]> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, deviceId);
    // A pending replay decides this device. It may also have reported just now.
    if (stateRow === undefined || stateRow.lateFrom !== null || (stateRow.stored.dueAt ?? now + 1) > now) return [];
    return passClock(tx, rulesCache, stateRow, now);
  });
}

interface Noted {
  readonly deviceId: number;
  readonly dueAt: number;
}

/** In the order of what is due, those after the last one. */
async function notedDevices(store: Store, last: Noted, now: number, ownership: Ownership): Promise<Noted[]> {
  const rows = await store.query
    .selectFrom('deviceStates')
    .select(['deviceId', 'dueAt'])
    .where('dueAt', '<=', now)
    .where((when) =>
      when.or([
        when('dueAt', '>', last.dueAt),
        when.and([when('dueAt', '=', last.dueAt), when('deviceId', '>', last.deviceId)]),
      ]),
    )
    .where('lateFrom', 'is', null)
    .where(isOwned('deviceId', ownership))
    .orderBy('dueAt')
    .orderBy('deviceId')
    .limit(AT_ONCE)
    .execute();
  return rows.map(({ deviceId, dueAt }) => ({ deviceId, dueAt: dueAt! }));
}

/** Reports leave standing what is due too early, since it moves with each of them: here it is put right. */
async function dueAmong(store: Store, noted: readonly Noted[], now: number): Promise<number[]> {
  if (noted.length === 0) return [];
  const ids = noted.map(({ deviceId }) => deviceId);
  return store.transaction(async (tx) => {
    const stateRows = await lockStates(tx, ids);
    const early = [...stateRows.values()].filter(
      ({ lateFrom, state, stored }) =>
        lateFrom === null && (stored.dueAt ?? now + 1) <= now && (dueOf(state) ?? Number.POSITIVE_INFINITY) > now,
    );
    await saveStates(tx, early);
    return ids.filter((id) => stateRows.has(id) && !early.some(({ deviceId }) => deviceId === id));
  });
}

/** Gives the clock as an input to a device whose state is locked, and writes down what follows. */
export async function passClock(
  tx: Kysely<Tables>,
  rulesCache: RulesCache,
  stateRow: LockedState,
  now: number,
): Promise<readonly RecordedNotification[]> {
  const { deviceId, state: before } = stateRow;
  const rules = await rulesCache.rulesFor(deviceId, stateRow.rulesVersion, now, before.at);
  const { state, effects } = advance(before, { kind: 'clock', at: now }, rules);
  stateRow.state = state;
  const recording = { now, ...rulesCache.policy, mayBeNotified: rules.mayBeNotified };
  const recorded = await saveEffects(tx, stateRow, { effects, checkpoints: [] }, recording);
  await saveState(tx, stateRow);
  await saveOwnFences(tx, stateRow, rules);
  const outgoing = { deviceId, forwarders: rules.forwarders, notifications: recorded };
  if (recorded.length > 0) await send(tx, rulesCache.policy, [outgoing], now);
  const liveEvents = [...notificationEvents(recorded), ...motionEvents(deviceId, before, state)];
  await appendLiveEvents(tx, liveEvents, now);
  return recorded;
}
