import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import type { Store, Tables } from '../../schema/tables.ts';
import { type DeviceState, STATE_FORM, stateText, UNHEARD } from '../judge/device-state.ts';
import { lockState } from '../state/device-state-row.ts';

/**
 * A replay takes over what is marked, and leaves a mark that is later than everything: whatever comes while it judges sets
 * that mark back, so it knows in the end what of its work still holds. Should the process die, both marks are there.
 */
const NOTHING_LATE = Number.MAX_SAFE_INTEGER;

/** Where several processes share the work, nobody else begins while this lasts, unless it is not renewed. */
const LEASE_MS = 15_000;
/** Who we are, to other processes. In one process there is one replay of a device at a time. */
const PROCESS: string = randomUUID();

/** Where a replay starts. */
export interface ReplayStart {
  /** Names this replay: what it found holds only while the device is in its hand. */
  readonly by: string;
  readonly leaseEnds: number;
  /** All that was judged before is right up to its place. */
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly sinceCheckpoint: number;
  readonly rules: number;
  readonly heardAt: number | null;
}

/** Undefined where nothing is to be judged again, or another process is doing it. */
export function acquireReplay(
  store: Store,
  deviceId: number,
  now: number,
  holder = PROCESS,
): Promise<ReplayStart | undefined> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, store.storeKind, deviceId);
    if (stateRow === undefined || stateRow.lateFrom === null) return undefined;
    const row = await tx
      .selectFrom('deviceStates')
      .select(['form', 'replayFrom', 'replayBy', 'replayUntil', 'heardAt'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirstOrThrow();
    // On SQLite there is one server, so whoever had it is dead.
    const isTaken = store.storeKind === 'postgres' && row.replayBy !== null && (row.replayUntil ?? 0) > now;
    if (isTaken && !row.replayBy!.startsWith(holder)) return undefined;
    const from = Math.min(stateRow.lateFrom, row.replayFrom ?? NOTHING_LATE);
    const hold = { by: `${holder} ${randomUUID()}`, leaseEnds: now + LEASE_MS };
    await tx
      .updateTable('deviceStates')
      .set({
        replayFrom: from,
        replayBy: hold.by,
        replayUntil: hold.leaseEnds,
        lateFrom: NOTHING_LATE,
        // A state of another form says nothing to those who speak meanwhile.
        ...(row.form !== STATE_FORM && { form: STATE_FORM, state: stateText(UNHEARD) }),
      })
      .where('deviceId', '=', deviceId)
      .execute();
    const { rules, state, checkpointAt, sinceCheckpoint } = stateRow;
    const start = { ...hold, rules, heardAt: row.heardAt };
    // What was judged last still holds where all that came is later.
    if (state.at < from && state.at !== UNHEARD.at) return { ...start, state, checkpointAt, sinceCheckpoint };
    const before = await lastCheckpoint(tx, deviceId, from);
    return { ...start, state: before, checkpointAt: before.at, sinceCheckpoint: 0 };
  });
}

/** A replay that takes long keeps what it has in hand. Answers until when. */
export async function renewReplay(
  store: Store,
  deviceId: number,
  { by, leaseEnds }: Pick<ReplayStart, 'by' | 'leaseEnds'>,
  now: number,
): Promise<number> {
  if (leaseEnds - now > LEASE_MS / 2) return leaseEnds;
  await store.query
    .updateTable('deviceStates')
    .set({ replayUntil: now + LEASE_MS })
    .where('deviceId', '=', deviceId)
    .where('replayBy', '=', by)
    .execute();
  return now + LEASE_MS;
}

async function lastCheckpoint(tx: Kysely<Tables>, deviceId: number, before: number): Promise<DeviceState> {
  const checkpoint = await tx
    .selectFrom('checkpoints')
    .select('state')
    .where('deviceId', '=', deviceId)
    .where('at', '<', before)
    .where('form', '=', STATE_FORM)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  return checkpoint ? JSON.parse(checkpoint.state) : UNHEARD;
}

/** From when on what came while the replay judged must be judged again; null where nothing came. */
export const lateMeanwhile = (lateFrom: number | null) => (lateFrom === NOTHING_LATE ? null : lateFrom);

/**
 * What was in hand is judged. Within the transaction that keeps what was found, after the line is taken.
 * @returns false where somebody else took it over meanwhile, so that nothing that was found may be kept
 */
export async function releaseReplay(tx: Kysely<Tables>, deviceId: number, by: string): Promise<boolean> {
  const { numUpdatedRows } = await tx
    .updateTable('deviceStates')
    .set({ replayFrom: null, replayBy: null, replayUntil: null })
    .where('deviceId', '=', deviceId)
    .where('replayBy', '=', by)
    .executeTakeFirst();
  return numUpdatedRows > 0n;
}

/** A state of another form than ours is rebuilt from the inputs, though nothing new is heard of the device. */
export async function markOutdatedStates(store: Store): Promise<void> {
  await store.query
    .updateTable('deviceStates')
    .set({ lateFrom: 0 })
    .where('form', '!=', STATE_FORM)
    .where('newest', 'is not', null)
    .execute();
}

/** The devices that wait to be judged again, some at a time: those that come after one in the order of ids. */
export async function lateDevices(store: Store, afterId: number, atMost: number): Promise<number[]> {
  const rows = await store.query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select('s.deviceId')
    .where('s.lateFrom', 'is not', null)
    .where('s.deviceId', '>', afterId)
    .where('d.deletedAt', 'is', null)
    .orderBy('s.deviceId')
    .limit(atMost)
    .execute();
  return rows.map(({ deviceId }) => deviceId);
}
