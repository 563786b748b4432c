import type { Log } from '../../../platform/log.ts';
import { StoreTrouble } from '../../../platform/storage/trouble.ts';
import { ALL_DEVICES, isOwned, type OwnedDevices, type Ownership } from '../../schema/owned-devices.ts';
import type { Store } from '../../schema/tables.ts';
import { dueOf } from '../judge/advance.ts';
import { lockState, lockStates } from '../state/lock-state.ts';
import type { RecordedNotification } from '../state/record-notification.ts';
import type { RulesCache } from '../state/rules-cache.ts';
import { saveStates } from '../state/save-state.ts';
import { passClock } from './pass-clock.ts';

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
        log.error({ error, deviceId }, 'The clock of a device failed');
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
    .where(isOwned(ownership))
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
