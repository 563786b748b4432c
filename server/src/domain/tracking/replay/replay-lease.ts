import { randomUUID } from 'node:crypto';
import type { Kysely } from 'kysely';
import {
  acquireLease,
  freeLeasesOfDead,
  isRenewalDue,
  type LeaseColumns,
  releaseLease,
  renewLease,
} from '../../../platform/storage/lease.ts';
import { runSql } from '../../../platform/storage/run-sql.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import { hasSlotOf, type SlotList } from '../../schema/owned-slots.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type DeviceState, STATE_FORM, stateText, UNHEARD } from '../judge/device-state.ts';
import { lockState } from '../state/lock-state.ts';

/**
 * A replay takes over the late mark and leaves one that is later than everything: whatever comes while it judges sets
 * that mark back, so that it knows in the end which of its results still hold. Both marks are stored, should the process
 * die.
 */
const NOTHING_LATE = Number.MAX_SAFE_INTEGER;

const LEASE_MS = 15_000;
/** Names this process to others. Within one process there is one replay of a device at a time. */
const PROCESS: string = randomUUID();

const REPLAY_LEASE: LeaseColumns = {
  table: 'deviceStates',
  key: 'deviceId',
  owner: 'replayBy',
  until: 'replayUntil',
};
const ACQUIRE = acquireLease(REPLAY_LEASE, { set: ['replayFrom', 'lateFrom'] });
/** A state of another form means nothing to reports that come meanwhile, so it is emptied. */
const ACQUIRE_OUTDATED = acquireLease(REPLAY_LEASE, { set: ['replayFrom', 'lateFrom', 'form', 'state'] });
const RENEW = renewLease(REPLAY_LEASE);
const RELEASE = releaseLease(REPLAY_LEASE, { set: ['replayFrom'] });

/** Where a replay starts. */
export interface ReplayStart {
  /** Who has the lease: the results hold only while it is theirs. */
  readonly owner: string;
  readonly leaseUntil: number;
  /** Everything that was judged up to this state is right. */
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly sinceCheckpoint: number;
  readonly rules: number;
  readonly heardAt: number | null;
  /** Nothing after this was judged before; undefined where that is not known. */
  readonly judgedUntil: number | undefined;
  /** Whether what was not judged before came in order, rather than late. */
  readonly hasRest: boolean;
}

/** Undefined where nothing is to be judged again, or another process is doing it. */
export function acquireReplay(
  store: Store,
  deviceId: number,
  now: number,
  owner = PROCESS,
): Promise<ReplayStart | undefined> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, store.storeKind, deviceId);
    if (stateRow === undefined || stateRow.lateFrom === null) return undefined;
    const row = await tx
      .selectFrom('deviceStates')
      .select(['form', 'replayFrom', 'heardAt', 'forgottenUntil', 'thinnedUntil'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirstOrThrow();
    const from = Math.min(stateRow.lateFrom, row.replayFrom ?? NOTHING_LATE);
    const leaseUntil = now + LEASE_MS;
    const isOutdated = row.form !== STATE_FORM;
    const acquired = await runSql(tx, store.storeKind, isOutdated ? ACQUIRE_OUTDATED : ACQUIRE, [
      owner,
      leaseUntil,
      from,
      NOTHING_LATE,
      ...(isOutdated ? [STATE_FORM, stateText(UNHEARD)] : []),
      deviceId,
      owner,
      now,
    ]);
    if (acquired.length === 0) return undefined;
    const { rules, state, checkpointAt, sinceCheckpoint } = stateRow;
    const judgedUntil = isOutdated || state.at === UNHEARD.at ? undefined : state.at;
    const { hasRest } = stateRow;
    const start = { owner, leaseUntil, rules, heardAt: row.heardAt, judgedUntil, hasRest };
    // The last state still holds where everything that came is later.
    if (state.at < from && state.at !== UNHEARD.at) return { ...start, state, checkpointAt, sinceCheckpoint };
    const before = await lastCheckpoint(tx, deviceId, from, Math.max(row.forgottenUntil ?? 0, row.thinnedUntil ?? 0));
    return { ...start, state: before, checkpointAt: before.at, sinceCheckpoint: 0 };
  });
}

/** Keeps the lease of a replay that takes long. Answers until when. */
export async function renewReplay(
  store: Store,
  deviceId: number,
  { owner, leaseUntil }: Pick<ReplayStart, 'owner' | 'leaseUntil'>,
  now: number,
): Promise<number> {
  if (!isRenewalDue(leaseUntil, LEASE_MS, now)) return leaseUntil;
  await runSql(store.query, store.storeKind, RENEW, [now + LEASE_MS, deviceId, owner]);
  return now + LEASE_MS;
}

/**
 * @param floor not all positions from before this are there any more: what followed from them stays as it is, and what
 * comes after it is judged by the state of then, or without one
 */
async function lastCheckpoint(
  tx: Kysely<Tables>,
  deviceId: number,
  before: number,
  floor: number,
): Promise<DeviceState> {
  const checkpoint = await tx
    .selectFrom('checkpoints')
    .select('state')
    .where('deviceId', '=', deviceId)
    .where('at', '<', Math.max(before, floor + 1))
    .where('at', '>=', floor)
    .where('form', '=', STATE_FORM)
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (checkpoint) return JSON.parse(checkpoint.state);
  return floor > 0 ? { ...UNHEARD, at: floor } : UNHEARD;
}

/** From when on what came while the replay judged must be judged again; null where nothing came. */
export const lateMeanwhile = (lateFrom: number | null) => (lateFrom === NOTHING_LATE ? null : lateFrom);

/**
 * Ends the lease, in the transaction that stores the results and after the state row is locked.
 * @param goesOnFrom from when on there is still something to judge
 * @returns false where another process took over meanwhile, so that nothing of the results may be stored
 */
export async function releaseReplay(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  deviceId: number,
  owner: string,
  goesOnFrom: number | null = null,
): Promise<boolean> {
  return (await runSql(tx, storeKind, RELEASE, [goesOnFrom, deviceId, owner])).length > 0;
}

/** Within a transaction that stores a part of the results, after the state row is locked: false where another took over. */
export async function holdReplay(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  deviceId: number,
  owner: string,
  now: number,
): Promise<boolean> {
  return (await runSql(tx, storeKind, RENEW, [now + LEASE_MS, deviceId, owner])).length > 0;
}

/** Before the first replay of a process. */
export const freeDeadReplays = (store: Store) => freeLeasesOfDead(store, REPLAY_LEASE);

/** A state of another form than ours is rebuilt from the inputs, though the device reports nothing new. */
export async function markOutdatedStates(store: Store): Promise<void> {
  await store.query
    .updateTable('deviceStates')
    .set({ lateFrom: 0 })
    .where('form', '!=', STATE_FORM)
    .where('newest', 'is not', null)
    .execute();
}

/** Devices with a late mark in the order of their ids, at most some after one of them. */
export async function lateDevices(
  store: Store,
  { slots, afterId, atMost }: { readonly slots?: SlotList; readonly afterId: number; readonly atMost: number },
): Promise<{ readonly deviceId: number; readonly writes: number }[]> {
  return store.query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select(['s.deviceId', 's.writes'])
    .where('s.lateFrom', 'is not', null)
    .where('s.deviceId', '>', afterId)
    .where(hasSlotOf(slots, 's'))
    .where('d.deletedAt', 'is', null)
    .orderBy('s.deviceId')
    .limit(atMost)
    .execute();
}
