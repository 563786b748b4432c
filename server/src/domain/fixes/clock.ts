import { postOutgoing } from '../forwarding/outgoing.ts';
import { tell } from '../live/tell.ts';
import type { Store } from '../schema/tables.ts';
import { advance, dueOf } from './advance.ts';
import { keepEffects, noteZones } from './commit.ts';
import { keepLine, keepLines, takeLine, takeLines } from './device-line.ts';
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
  const happened: { deviceId: number; notifications: Recorded[] }[] = [];
  for (const deviceId of await dueDevices(store, now)) {
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

/** Reports leave standing what is due too early, since it moves with each of them: here it is put right. */
async function dueDevices(store: Store, now: number): Promise<number[]> {
  const noted = await store.query
    .selectFrom('deviceStates')
    .select('deviceId')
    .where('dueAt', '<=', now)
    .orderBy('dueAt')
    .limit(AT_ONCE)
    .execute();
  const ids = noted.map(({ deviceId }) => deviceId);
  if (ids.length === 0) return [];
  return store.transaction(async (tx) => {
    const lines = await takeLines(tx, store.engine, ids);
    const early = [...lines.values()].filter(
      ({ dirtyFrom, state }) => dirtyFrom === null && (dueOf(state) ?? Number.POSITIVE_INFINITY) > now,
    );
    await keepLines(tx, store.engine, early);
    return ids.filter((id) => !early.some(({ deviceId }) => deviceId === id));
  });
}
