import type { Kysely } from 'kysely';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { send } from '../../sending/send.ts';
import { advance } from '../judge/advance.ts';
import { saveEffects } from '../state/apply-effects.ts';
import { motionEvents, notificationEvents } from '../state/live-events.ts';
import type { LockedState } from '../state/lock-state.ts';
import { saveOwnFences } from '../state/own-fences.ts';
import type { RecordedNotification } from '../state/record-notification.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { saveState } from '../state/save-state.ts';

/** Gives the clock as an input to a device whose state is locked, and writes down what follows. */
export async function passClock(
  tx: Kysely<Tables>,
  store: Store,
  rulesCache: RulesCache,
  stateRow: LockedState,
  now: number,
): Promise<readonly RecordedNotification[]> {
  const { deviceId, state: before } = stateRow;
  const rules = await rulesCache.rulesFor(deviceId, stateRow.rules, now);
  const { state, effects } = advance(before, { kind: 'clock', at: now }, rules);
  stateRow.state = state;
  const recording = { now, ...rulesCache.policy, mayBeTold: rules.mayBeTold };
  const recorded = await saveEffects(tx, store.storeKind, stateRow, { effects, checkpoints: [] }, recording);
  await saveState(tx, store.storeKind, stateRow);
  await saveOwnFences(tx, store, stateRow, rules);
  const outgoing = { deviceId, forwarders: rules.forwarders, notifications: recorded };
  if (recorded.length > 0) await send(tx, store, rulesCache.policy, [outgoing], now);
  const liveEvents = [...notificationEvents(recorded), ...motionEvents(deviceId, before, state)];
  await appendLiveEvents(tx, store.storeKind, liveEvents, now);
  return recorded;
}
