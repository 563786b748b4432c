import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { SendOutcome } from './channel.ts';
import type { Claimed, Leased } from './ledger.ts';
import { DestinationSession } from './session.ts';
import { DOWN, REFUSED, ScriptedChannel, SENT } from './testing/scripted-channel.ts';

const NOW = Date.parse('2026-06-01T12:00:00.000Z');
const GONE: SendOutcome = { kind: 'gone', reason: 'answered 410' };

const leased: Leased = {
  id: 1,
  kind: 'sqs',
  target: 'queue.fifo',
  isShared: false,
  secrets: [],
  health: {
    state: 'up',
    failures: 0,
    nextTryAt: null,
    downSince: null,
    lastSuccess: null,
    lastError: null,
    lastErrorDetails: null,
    lastErrorAt: null,
  },
};

const row = (id: number, deviceId: number): Claimed => ({
  id,
  messageId: `message-${id}`,
  userId: 1,
  deviceId,
  address: null,
  content: '{}',
  attempts: 0,
  attemptLog: [],
  expires: NOW + 1000,
  created: NOW,
  claimedAt: NOW,
});

function sessionWith(isOrdered: boolean, rows: readonly Claimed[]): DestinationSession {
  const session = new DestinationSession(
    leased,
    new ScriptedChannel({ batch: 10, isOrdered }),
    NOW + 15_000,
    () => 0.5,
  );
  session.take(rows, NOW);
  return session;
}

const idsOf = (session: DestinationSession) => session.next()?.rows.map(({ id }) => id);

test('what is claimed while one before it fails does not overtake it', () => {
  const session = sessionWith(true, [row(1, 7), row(2, 8)]);
  const batch = session.next()!;
  // A round begins: it writes down what is known by now, which is nothing, and claims more.
  session.news();
  session.ended(batch, [REFUSED, SENT], NOW);
  session.take([row(3, 7), row(4, 8)], NOW);
  assert.deepEqual(idsOf(session), [4]);
  assert.deepEqual(session.news().returned, [3]);
});

test('what is claimed behind one whose failure is written down may go', () => {
  const session = sessionWith(true, [row(1, 7)]);
  session.ended(session.next()!, [REFUSED], NOW);
  session.news();
  session.take([row(1, 7), row(3, 7)], NOW);
  assert.deepEqual(idsOf(session), [1]);
});

for (const [name, outcome] of [
  ['falls', DOWN],
  ['says that it is gone', GONE],
] as const) {
  test(`what is claimed while the destination ${name} waits with the others`, () => {
    const session = sessionWith(false, [row(1, 7)]);
    const batch = session.next()!;
    session.news();
    session.ended(batch, [outcome], NOW);
    session.take([row(2, 8), row(3, 9)], NOW);
    assert.equal(session.next(), undefined);
    assert.deepEqual(session.news().returned, [2, 3]);
  });
}

test('what has ended is its own until it is written down, so that nobody claims it anew', () => {
  const session = sessionWith(false, [row(1, 7)]);
  const batch = session.next()!;
  assert.ok(session.has(1));
  session.ended(batch, [SENT], NOW);
  assert.ok(session.has(1));
  session.news();
  assert.ok(!session.has(1));
});
