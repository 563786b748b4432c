import type { Log } from '../../../platform/log.ts';
import { tell } from '../../live/tell.ts';
import type { Store } from '../../schema/tables.ts';
import { postOutgoing } from '../../sending/send.ts';
import { advance, dueOf } from '../judge/advance.ts';
import { STATE_FORM } from '../judge/device-state.ts';
import { keepEffects, noteZones } from '../state/apply-effects.ts';
import { keepLine, keepLines, takeLine, takeLines } from '../state/device-state-row.ts';
import { motionTellings, notificationTellings } from '../state/live-events.ts';
import type { Recorded } from '../state/record-notification.ts';
import type { RuleShelf } from '../state/rules-cache.ts';

const AT_ONCE = 200;

export interface Passing {
  readonly log: Log;
  readonly goOn: () => boolean;
  readonly fired: (fired: { readonly deviceId: number; readonly notifications: readonly Recorded[] }) => void;
}

/**
 * Lets the clock decide what is due and nothing contradicted: dwell times, silences, waits of triggers. After a time in
 * which no server ran that may be very many devices: they are seen to some at a time, each for itself.
 */
export async function letTimePass(
  store: Store,
  shelf: RuleShelf,
  now: number,
  { log, goOn, fired }: Passing,
): Promise<void> {
  let last: Noted = { deviceId: 0, dueAt: Number.MIN_SAFE_INTEGER };
  for (;;) {
    const noted = await notedDevices(store, last, now);
    for (const deviceId of await dueAmong(store, noted, now)) {
      if (!goOn()) return;
      try {
        const notifications = await decide(store, shelf, deviceId, now);
        if (notifications.length > 0) fired({ deviceId, notifications });
      } catch (error) {
        // It stays due; the others must not wait for it.
        log.error({ error, deviceId }, 'The clock of a device failed');
      }
    }
    if (noted.length < AT_ONCE) return;
    last = noted.at(-1)!;
  }
}

function decide(store: Store, shelf: RuleShelf, deviceId: number, now: number): Promise<readonly Recorded[]> {
  return store.transaction(async (tx) => {
    const line = await takeLine(tx, store.engine, deviceId);
    // What waits for a replay is decided there; and it may have been heard just now.
    if (line === undefined || line.dirtyFrom !== null || (line.stored.dueAt ?? now + 1) > now) return [];
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
}

interface Noted {
  readonly deviceId: number;
  readonly dueAt: number;
}

/** In the order of what is due, those after the last one. */
async function notedDevices(store: Store, last: Noted, now: number): Promise<Noted[]> {
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
    .where('dirtyFrom', 'is', null)
    .where('form', '=', STATE_FORM)
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
    const lines = await takeLines(tx, store.engine, ids);
    const early = [...lines.values()].filter(
      ({ dirtyFrom, state, stored }) =>
        dirtyFrom === null && (stored.dueAt ?? now + 1) <= now && (dueOf(state) ?? Number.POSITIVE_INFINITY) > now,
    );
    await keepLines(tx, store.engine, early);
    return ids.filter((id) => lines.has(id) && !early.some(({ deviceId }) => deviceId === id));
  });
}
