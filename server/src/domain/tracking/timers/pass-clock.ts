import type { Kysely } from 'kysely';
import { send } from '../../delivery/send.ts';
import { appendLiveEvents } from '../../live/append-live-events.ts';
import type { Tables } from '../../schema/tables.ts';
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
