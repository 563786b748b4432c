import type { Caller, LiveStreams } from '../../calls.ts';
import { timeNow } from '../../platform/clock.ts';
import { Refusal } from '../../platform/errors.ts';
import { Hub } from '../../platform/live/hub.ts';
import { positionOf } from '../../platform/live/position-text.ts';
import type { Log } from '../../platform/log.ts';
import { modelNotFound } from '../../refusals.ts';
import { ADMINS_AS_THEY_ARE, type AdminPolicy, adminRights } from '../admin-rights.ts';
import type { Store } from '../schema/tables.ts';
import { Audiences, rightIn, type Who } from './audience.ts';
import { type Entry, liveLog } from './log.ts';
import { liveSource } from './source.ts';

export interface LiveOptions {
  readonly log: Log;
  readonly admins?: AdminPolicy;
  readonly perUser?: number;
  readonly inAll?: number;
  readonly pollMs?: number;
  readonly beatMs?: number;
  readonly patienceMs?: number;
  /** Interval in which tokens are checked. */
  readonly checkMs?: number;
}

export interface Live extends LiveStreams {
  /** Call this after a commit, so that streams need not wait for the next poll. */
  wake(): void;
  /** Number of open streams. */
  count(): number;
  stop(): Promise<void>;
}

const PER_USER = 20;
const IN_ALL = 2000;
const CHECK_MS = 1000;
/** The longest time that cached rights are used, however they were changed. */
const REMEMBERED_MS = 15_000;

export function startLive(store: Store, options: LiveOptions): Live {
  const { log, perUser = PER_USER, inAll = IN_ALL, checkMs = CHECK_MS, admins: policy = ADMINS_AS_THEY_ARE } = options;
  const audiences = new Audiences(store);
  const stored = liveLog(store);
  const hub = new Hub<Entry, Who>(liveSource(store, stored, audiences), options);
  store.onNews?.(() => hub.wake());

  function refuseTooMany({ userId }: Caller): void {
    const own = [...hub.readers].filter(({ who }) => who.caller.userId === userId).length;
    if (own < perUser && hub.readers.size < inAll) return;
    const whose = own < perUser ? 'the server' : 'you';
    throw new Refusal(429, `Too many live streams: ${whose} cannot open more at once`, {
      headers: { 'retry-after': '10' },
    });
  }

  async function requireVisible(caller: Caller, devices: readonly number[]): Promise<void> {
    const audienceOf = await new Audiences(store).of(devices);
    for (const id of devices) {
      const audience = audienceOf(id);
      const isReached = caller.scope?.deviceIds?.includes(id) ?? true;
      if (!isReached || audience?.isDeleted || rightIn(audience, caller) === undefined)
        throw modelNotFound('device', id);
    }
  }

  /** Ends the streams of expired and revoked tokens, and of users whose admin status changed. */
  async function endTheUnknown(): Promise<void> {
    const readers = [...hub.readers];
    if (readers.length === 0) return;
    store.wantNews?.();
    const ids = [...new Set(readers.map(({ who }) => who.caller.tokenId))];
    const rows = await store.query
      .selectFrom('tokens')
      .innerJoin('users', 'users.id', 'tokens.userId')
      .select(['tokens.id', 'tokens.deviceIds', 'users.admin', 'users.hasSecondFactor', 'users.kind as userKind'])
      .where('tokens.id', 'in', ids)
      .where('tokens.expiresAt', '>', timeNow())
      .execute();
    // The token of some devices has no admin rights.
    const admins = new Map(rows.map((row) => [row.id, adminRights(row, policy).admin && row.deviceIds === null]));
    for (const { who, outlet } of readers) {
      if (admins.get(who.caller.tokenId) !== who.caller.admin) outlet.end('token');
    }
  }

  let checking = Promise.resolve();
  const timers = [
    setInterval(() => {
      checking = checking.then(endTheUnknown).catch((error) => log.error({ error }, 'Tokens could not be looked at'));
    }, checkMs).unref(),
    setInterval(() => audiences.forget(), REMEMBERED_MS).unref(),
  ];

  return {
    wake: () => hub.wake(),
    count: () => hub.readers.size,

    async admit(caller, devices) {
      refuseTooMany(caller);
      if (devices) await requireVisible(caller, devices);
    },

    open(caller, { devices, after, staysOpen }, sink) {
      const place = after === undefined ? undefined : (positionOf(after, stored.lanes) ?? null);
      // Whoever asks for all devices with a limited token gets those of the token.
      const wanted = devices ?? caller.scope?.deviceIds;
      const own = wanted && new Set(wanted);
      store.wantNews?.();
      const outlet = hub.join({ caller, devices: own, staysOpen }, place, sink);
      return {
        drained: () => outlet.drained(),
        end: () => outlet.end(),
        add: (deviceId) => void own?.add(deviceId),
        remove: (deviceId) => void own?.delete(deviceId),
      };
    },

    async stop() {
      for (const timer of timers) clearInterval(timer);
      await hub.stop();
      await checking;
    },
  };
}
