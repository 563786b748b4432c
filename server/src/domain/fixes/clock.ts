import { postOutgoing } from '../forwarding/outgoing.ts';
import { tell } from '../live/tell.ts';
import type { Store } from '../schema/tables.ts';
import { advance } from './advance.ts';
import { keepEffects, noteZones } from './commit.ts';
import { keepLine, takeLine } from './device-line.ts';
import type { Recorded } from './record.ts';
import type { RuleShelf } from './rule-shelf.ts';
import { motionTellings, notificationTellings } from './tellings.ts';

const AT_ONCE = 200;

/** Lets the clock decide what is due and nothing contradicted: dwell times, silences, waits of triggers. */
export async function letTimePass(
  store: Store,
  shelf: RuleShelf,
  now: number,
): Promise<{ deviceId: number; notifications: Recorded[] }[]> {
  const due = await store.query
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(AT_ONCE)
    .execute();
  const happened: { deviceId: number; notifications: Recorded[] }[] = [];
  for (const { deviceId } of due) {
    const notifications = await store.transaction(async (tx) => {
      const line = await takeLine(tx, store.engine, deviceId);
      // What waits for a replay is decided there.
      if (line === undefined || line.dirtyFrom !== null) return [];
      const rules = await shelf.rulesFor(deviceId, line.rules, now);
      const { state, effects } = advance(line.state, { kind: 'clock', at: now }, rules);
      const before = line.state;
      line.state = state;
      const recorded = await keepEffects(tx, line, { effects, checkpoints: [] }, { now, ...shelf.house });
      await keepLine(tx, store.engine, line);
      await noteZones(tx, line, rules);
      const outgoing = { deviceId, forwarders: rules.forwarders, notifications: recorded };
      if (recorded.length > 0) await postOutgoing(tx, store.engine, shelf.house, [outgoing], now);
      const tellings = [...notificationTellings(recorded), ...motionTellings(deviceId, before, state)];
      await tell(tx, store.engine, tellings, now);
      return recorded;
    });
    happened.push({ deviceId, notifications });
  }
  return happened;
}
