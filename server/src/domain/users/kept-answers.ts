import { SECRET_FIELD } from '@trackway/contract/operation.ts';
import type { KeptAnswers, KeyedAnswer, KeyedCall } from '../../calls.ts';
import { Refusal } from '../../platform/errors.ts';
import { type KeyedRequest, keyedRequest, runKeyed } from '../../platform/keyed-request.ts';
import { idempotencyKeyInUse, idempotencyKeyReused } from '../../refusals.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { Store, Tx } from '../schema/tables.ts';

/**
 * The answers of requests that bear an `Idempotency-Key`. The key is recorded in the transaction of the effect, so there
 * is never one without the other; the answer follows once it is known.
 */

const KEPT_MS = 24 * 3_600_000;
/** Of one user; beyond, the oldest are forgotten. Looked at once in so many requests. */
const MAX_PER_USER = 10_000;
const LOOK_EVERY = 500;
/** No create answers more than this. */
const MAX_ANSWER = 262_144;
/** The status of a request whose effect is there, but whose answer is not known yet. */
const UNANSWERED = 0;

/** Another request with the same key was first: nothing of this one may stay. */
class KeyTaken extends Error {}

/** The same store for handlers: the first transaction of a keyed request records its key. */
export function recordingKeys(store: Store): Store {
  // Not a copy, because properties of the store change.
  return Object.assign(Object.create(store) as Store, {
    async transaction<T>(work: (tx: Tx) => Promise<T>): Promise<T> {
      const request = keyedRequest();
      if (request === undefined || request.isRecorded) return store.transaction(work);
      const done = await store.transaction(async (tx) => {
        const done = await work(tx);
        await record(tx, request, UNANSWERED, request.created ?? null);
        return done;
      });
      request.isRecorded = true;
      return done;
    },
  });
}

async function record(tx: Tx, request: KeyedRequest, status: number, answer: string | null): Promise<void> {
  const { userId, request: fingerprint, body, now } = request;
  const values = { userId, requestHash: fingerprint, bodyHash: body, status, response: answer, created: now };
  const recorded = await tx
    .insertInto('idempotencyKeys')
    .values(values)
    // One that is too old to be repeated makes room.
    .onConflict((on) =>
      on
        .columns(['userId', 'requestHash'])
        .doUpdateSet({ bodyHash: body, status, response: answer, created: now })
        .where('idempotencyKeys.created', '<=', now - KEPT_MS),
    )
    .returning('id')
    .executeTakeFirst();
  if (recorded === undefined) throw new KeyTaken();
}

export function keptAnswers(store: Store): KeptAnswers {
  const running = new Set<string>();
  const counts = new Map<number, number>();

  async function replayed({ userId, request, body, now }: KeyedCall): Promise<KeyedAnswer | undefined> {
    const known = await store.query
      .selectFrom('idempotencyKeys')
      .select(['bodyHash', 'status', 'response'])
      .where('userId', '=', userId)
      .where('requestHash', '=', request)
      .where('created', '>', now - KEPT_MS)
      .executeTakeFirst();
    if (known === undefined) return undefined;
    if (known.bodyHash !== body) throw idempotencyKeyReused();
    if (known.status !== UNANSWERED) return { status: known.status, text: known.response, isReplayed: true };
    if (known.response !== null) return { status: 200, text: known.response, isReplayed: true };
    throw new Refusal(409, 'This request was processed, but its response was lost: read what it changed', {
      code: 'IDEMPOTENCY_ANSWER_LOST',
    });
  }

  async function keep(request: KeyedRequest, { status, text }: Omit<KeyedAnswer, 'isReplayed'>): Promise<void> {
    const answer = text === null ? null : withoutSecrets(text);
    if (!request.isRecorded) return store.transaction((tx) => record(tx, request, status, answer));
    await store.query
      .updateTable('idempotencyKeys')
      .set({ status, response: answer })
      .where('userId', '=', request.userId)
      .where('requestHash', '=', request.request)
      .execute();
  }

  const forget = ({ userId, request }: KeyedRequest) =>
    store.query.deleteFrom('idempotencyKeys').where('userId', '=', userId).where('requestHash', '=', request).execute();

  async function forgetBeyondMost(userId: number): Promise<void> {
    const count = (counts.get(userId) ?? 0) + 1;
    if (counts.size > 10_000) counts.clear();
    counts.set(userId, count % LOOK_EVERY);
    if (count < LOOK_EVERY) return;
    const oldest = await store.query
      .selectFrom('idempotencyKeys')
      .select('id')
      .where('userId', '=', userId)
      .orderBy('id', 'desc')
      .offset(MAX_PER_USER)
      .limit(1)
      .executeTakeFirst();
    if (oldest === undefined) return;
    await store.query.deleteFrom('idempotencyKeys').where('userId', '=', userId).where('id', '<=', oldest.id).execute();
  }

  async function runOnce(call: KeyedCall, run: () => Promise<Omit<KeyedAnswer, 'isReplayed'>>): Promise<KeyedAnswer> {
    const known = await replayed(call);
    if (known !== undefined) return known;
    const request: KeyedRequest = { ...call, isRecorded: false };
    try {
      const answer = await runKeyed(request, run);
      if ((answer.text?.length ?? 0) > MAX_ANSWER) await forget(request);
      else await keep(request, answer);
      await forgetBeyondMost(call.userId);
      return { ...answer, isReplayed: false };
    } catch (error) {
      if (error instanceof KeyTaken) {
        const first = await replayed(call);
        if (first !== undefined) return first;
        throw idempotencyKeyInUse();
      }
      // A refusal is not kept: it may be different next time. What failed after its effect stays recorded.
      if (request.isRecorded && error instanceof Refusal && error.statusCode < 500) await forget(request);
      throw error;
    }
  }

  return {
    async once(call, run) {
      const id = `${call.userId} ${call.request}`;
      if (running.has(id)) throw idempotencyKeyInUse();
      running.add(id);
      try {
        return await runOnce(call, run);
      } finally {
        running.delete(id);
      }
    },
  };
}

/** An answer shows a secret once: what is stored for a repeat has null in its place. */
export function withoutSecrets(text: string): string {
  return JSON.stringify(JSON.parse(text), (name, value) => {
    const isText = typeof value === 'string' || (Array.isArray(value) && value.some((one) => typeof one === 'string'));
    return isText && SECRET_FIELD.test(name) ? null : value;
  });
}

export const forgetOldAnswers = (store: Store, now: number) =>
  forgetOld(store, 'idempotencyKeys', 'created', now - KEPT_MS);
