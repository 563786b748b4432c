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
import { isOwned, type Ownership } from '../../schema/owned-devices.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { type DeviceState, INITIAL_STATE } from '../evaluate/device-state.ts';
import { lockState } from '../state/lock-state.ts';

/**
 * A replay takes the late mark and sets it to this value, which is later than any time. Late data that arrives during the
 * replay lowers it again, so that the replay can tell which of its results are still valid. Both marks are stored, in case
 * the process ends.
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
const RENEW = renewLease(REPLAY_LEASE);
const RELEASE = releaseLease(REPLAY_LEASE, { set: ['replayFrom'] });

/** Where a replay starts. */
export interface ReplayStart {
  /** Who has the lease: the results hold only while it is theirs. */
  readonly owner: string;
  readonly leaseUntil: number;
  /** Everything that was evaluated up to this state is right. */
  readonly state: DeviceState;
  readonly checkpointAt: number;
  readonly inputsSinceCheckpoint: number;
  readonly rulesVersion: number;
  readonly reportedAt: number | null;
  /** Nothing after this was evaluated before; undefined where that is not known. */
  readonly evaluatedUntil: number | undefined;
  /** Whether what was not evaluated before came in order, rather than late. */
  readonly hasBacklog: boolean;
}

/** Undefined if nothing must be evaluated again, or another process is doing it. */
export function acquireReplay(
  store: Store,
  deviceId: number,
  now: number,
  owner = PROCESS,
): Promise<ReplayStart | undefined> {
  return store.transaction(async (tx) => {
    const stateRow = await lockState(tx, deviceId);
    if (stateRow === undefined || stateRow.lateFrom === null) return undefined;
    const row = await tx
      .selectFrom('deviceStates')
      .select(['replayFrom', 'reportedAt', 'forgottenUntil', 'thinnedUntil'])
      .where('deviceId', '=', deviceId)
      .executeTakeFirstOrThrow();
    const from = Math.min(stateRow.lateFrom, row.replayFrom ?? NOTHING_LATE);
    const leaseUntil = now + LEASE_MS;
    const acquired = await runSql(tx, ACQUIRE, [owner, leaseUntil, from, NOTHING_LATE, deviceId, owner, now]);
    if (acquired.length === 0) return undefined;
    const { rulesVersion, state, checkpointAt, inputsSinceCheckpoint } = stateRow;
    const evaluatedUntil = state.at === INITIAL_STATE.at ? undefined : state.at;
    const { hasBacklog } = stateRow;
    const start = { owner, leaseUntil, rulesVersion, reportedAt: row.reportedAt, evaluatedUntil, hasBacklog };
    // The last state still holds where everything that came is later.
    if (state.at < from && state.at !== INITIAL_STATE.at)
      return { ...start, state, checkpointAt, inputsSinceCheckpoint };
    const before = await lastCheckpoint(tx, deviceId, from, Math.max(row.forgottenUntil ?? 0, row.thinnedUntil ?? 0));
    return { ...start, state: before, checkpointAt: before.at, inputsSinceCheckpoint: 0 };
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
  await runSql(store.query, RENEW, [now + LEASE_MS, deviceId, owner]);
  return now + LEASE_MS;
}

/**
 * @param floor not all positions from before this are there any more: what followed from them stays unchanged, and what
 * comes after it is evaluated by the state of then, or without one
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
    .orderBy('at', 'desc')
    .limit(1)
    .executeTakeFirst();
  if (checkpoint) return JSON.parse(checkpoint.state);
  return floor > 0 ? { ...INITIAL_STATE, at: floor } : INITIAL_STATE;
}

/** From when on what came while the replay evaluated must be evaluated again; null where nothing came. */
export const lateMeanwhile = (lateFrom: number | null) => (lateFrom === NOTHING_LATE ? null : lateFrom);

/**
 * Ends the lease, in the transaction that stores the results and after the state row is locked.
 * @param goesOnFrom from when on there is still something to evaluate
 * @returns false where another process took over meanwhile, so that nothing of the results may be stored
 */
export async function releaseReplay(
  tx: Kysely<Tables>,
  deviceId: number,
  owner: string,
  goesOnFrom: number | null = null,
): Promise<boolean> {
  return (await runSql(tx, RELEASE, [goesOnFrom, deviceId, owner])).length > 0;
}

/** Within a transaction that stores a part of the results, after the state row is locked: false where another took over. */
export async function holdReplay(tx: Kysely<Tables>, deviceId: number, owner: string, now: number): Promise<boolean> {
  return (await runSql(tx, RENEW, [now + LEASE_MS, deviceId, owner])).length > 0;
}

/** Before the first replay of a process. */
export const freeDeadReplays = (store: Store) => freeLeasesOfDead(store, REPLAY_LEASE);

/** Devices with a late mark in the order of their ids, at most some after one of them. */
export async function lateDevices(
  store: Store,
  { ownership, afterId, atMost }: { readonly ownership?: Ownership; readonly afterId: number; readonly atMost: number },
): Promise<{ readonly deviceId: number; readonly version: number }[]> {
  return store.query
    .selectFrom('deviceStates as s')
    .innerJoin('devices as d', 'd.id', 's.deviceId')
    .select(['s.deviceId', 's.version'])
    .where('s.lateFrom', 'is not', null)
    .where('s.deviceId', '>', afterId)
    .where(isOwned('s.deviceId', ownership))
    .where('d.deletedAt', 'is', null)
    .orderBy('s.deviceId')
    .limit(atMost)
    .execute();
}
