import type { Kysely } from 'kysely';
import type { Store, Tables } from '../schema/tables.ts';
import { takeLine } from './device-line.ts';
import { type DeviceState, STATE_FORM, stateText, UNHEARD } from './device-state.ts';

/**
 * A replay takes over what is marked, and leaves a mark that is later than everything: whatever comes while it judges sets
 * that mark back, so it knows in the end what of its work still holds. Should the process die, both marks are there.
 */
const NOTHING_CAME = Number.MAX_SAFE_INTEGER;

/** Where a replay starts. */
export interface Start {
  /** All that was judged before is right up to its place. */
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly sinceCheckpoint: number;
  readonly rules: number;
  readonly heardAt: number | null;
}

/** Undefined where nothing is to be judged again. */
export function takeInHand(store: Store, deviceId: number): Promise<Start | undefined> {
  return store.transaction(async (tx) => {
    const line = await takeLine(tx, store.engine, deviceId);
    if (line === undefined || line.dirtyFrom === null) return undefined;
    const { form, inHandFrom, heardAt } = await tx
      .selectFrom('deviceStates')
      .select(['form', 'inHandFrom', 'heardAt'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirstOrThrow();
    const from = Math.min(line.dirtyFrom, inHandFrom ?? NOTHING_CAME);
    await tx
      .updateTable('deviceStates')
      .set({
        inHandFrom: from,
        dirtyFrom: NOTHING_CAME,
        // A state of another form says nothing to those who speak meanwhile.
        ...(form !== STATE_FORM && { form: STATE_FORM, state: stateText(UNHEARD) }),
      })
      .where('deviceId', '=', deviceId)
      .execute();
    const { rules, state, checkpointAt, sinceCheckpoint } = line;
    // What was judged last still holds where all that came is later.
    if (state.at < from && state.at !== UNHEARD.at) return { state, checkpointAt, sinceCheckpoint, rules, heardAt };
    const before = await lastCheckpoint(tx, deviceId, from);
    return { state: before, checkpointAt: before.at, sinceCheckpoint: 0, rules, heardAt };
  });
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
export const cameMeanwhile = (dirtyFrom: number | null) => (dirtyFrom === NOTHING_CAME ? null : dirtyFrom);

/** What was in hand is judged. */
export async function letGo(tx: Kysely<Tables>, deviceId: number): Promise<void> {
  await tx.updateTable('deviceStates').set({ inHandFrom: null }).where('deviceId', '=', deviceId).execute();
}

/** A state of another form than ours is rebuilt from the inputs, though nothing new is heard of the device. */
export async function markOtherForms(store: Store): Promise<void> {
  await store.query
    .updateTable('deviceStates')
    .set({ dirtyFrom: 0 })
    .where('form', '!=', STATE_FORM)
    .where('newest', 'is not', null)
    .execute();
}

/** The devices that wait to be judged again, some at a time: those that come after one in the order of ids. */
export async function waitingDevices(store: Store, afterId: number, atMost: number): Promise<number[]> {
  const rows = await store.query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select('s.deviceId')
    .where('s.dirtyFrom', 'is not', null)
    .where('s.deviceId', '>', afterId)
    .where('d.deletedAt', 'is', null)
    .orderBy('s.deviceId')
    .limit(atMost)
    .execute();
  return rows.map(({ deviceId }) => deviceId);
}
