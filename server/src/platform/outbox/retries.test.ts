import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import type { SendOutcome } from './channel.ts';
import { PATIENCE_MS } from './post.ts';
import { changeAfter, type Health, healthAfter, isAliveBy, type RowChange, type TriedRow } from './retries.ts';

const NOW = Date.parse('2026-06-01T12:00:00.000Z');
const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const middle = () => 0.5;

const fresh: TriedRow = { attempts: 0, attemptLog: [], expires: NOW + PATIENCE_MS };
const sent: SendOutcome = { kind: 'sent' };
const down: SendOutcome = { kind: 'down', reason: 'no connection' };
const refused: SendOutcome = { kind: 'refused', reason: 'answered 400' };
const later: SendOutcome = { kind: 'later', reason: 'answered 450' };
const gone: SendOutcome = { kind: 'gone', reason: 'answered 410' };
const unconfigured: SendOutcome = { kind: 'unconfigured', reason: 'set it up first' };

const tried = (row: TriedRow, { attempts, attemptLog }: RowChange): TriedRow => ({ ...row, attempts, attemptLog });

/** outcome, whether the destination is alive, how long after → state, wait until it may go again, reason */
const FATES: [SendOutcome, boolean, number, RowChange['state'], number, string | null][] = [
  [sent, true, 0, 'sent', 0, null],
  [down, false, 0, 'queued', 0, 'no connection'],
  [down, true, 0, 'queued', 5 * SECOND_MS, 'no connection'],
  [later, true, 0, 'queued', 5 * SECOND_MS, 'answered 450'],
  [refused, true, 0, 'queued', 10 * SECOND_MS, 'answered 400'],
  [gone, false, 0, 'queued', 0, 'answered 410'],
  [unconfigured, false, 0, 'dead', 0, 'set it up first'],
  [sent, true, PATIENCE_MS, 'sent', 0, null],
  [down, false, PATIENCE_MS - 1, 'queued', 0, 'no connection'],
  [down, false, PATIENCE_MS, 'dead', 0, 'It could not be delivered within three days. Last attempt: no connection'],
  [later, true, PATIENCE_MS, 'dead', 0, 'It could not be delivered within three days. Last attempt: answered 450'],
  [gone, false, PATIENCE_MS, 'dead', 0, 'It could not be delivered within three days. Last attempt: answered 410'],
];

for (const [outcome, isAlive, afterMs, state, waitMs, reason] of FATES) {
  test(`a row: ${outcome.kind}, ${isAlive ? 'alive' : 'not alive'}, after ${afterMs} ms → ${state}`, () => {
    const now = NOW + afterMs;
    const change = changeAfter(fresh, outcome, isAlive, now);
    assert.deepEqual(
      [change.state, change.nextAt - now, change.reason, change.attempts, change.ended],
      [state, waitMs, reason, 1, state === 'queued' ? null : now],
    );
  });
}

test('a row that is refused is tried three times within a minute, then dead, with every reason', () => {
  let row = fresh;
  let now = NOW;
  const states: string[] = [];
  for (let i = 0; i < 3; i++) {
    const change = changeAfter(row, { kind: 'refused', reason: `no ${i}` }, true, now);
    states.push(change.state);
    row = tried(row, change);
    now = change.nextAt;
  }
  assert.deepEqual(states, ['queued', 'queued', 'dead']);
  assert.ok(now - NOW < MINUTE_MS);
  assert.deepEqual(
    row.attemptLog.map(({ reason }) => reason),
    ['no 0', 'no 1', 'no 2'],
  );
});

test('attempts at a destination that was down are no refusals', () => {
  let row = fresh;
  for (const outcome of [down, down, down, down, refused, down, refused]) {
    const change = changeAfter(row, outcome, outcome === refused, NOW);
    assert.equal(change.state, 'queued');
    row = tried(row, change);
  }
  assert.equal(changeAfter(row, refused, true, NOW).state, 'dead');
});

test('what was sent afresh has three tries again', () => {
  let row = fresh;
  for (let i = 0; i < 3; i++) row = tried(row, changeAfter(row, refused, true, NOW));
  assert.equal(changeAfter({ ...row, attempts: 0 }, refused, true, NOW).state, 'queued');
});

test('the log of attempts is bounded, keeps the first and says where a parcel may have arrived', () => {
  let row = fresh;
  for (let i = 0; i < 1000; i++) {
    row = tried(row, changeAfter(row, { kind: 'down', reason: `${i}`, isUnclear: true }, false, NOW + i));
  }
  assert.equal(row.attempts, 1000);
  assert.equal(row.attemptLog.length, 20);
  assert.equal(row.attemptLog[0]!.reason, '0 (it may have arrived)');
  assert.equal(row.attemptLog.at(-1)!.reason, '999 (it may have arrived)');
});

const well: Health = {
  state: 'up',
  failures: 0,
  nextTryAt: null,
  downSince: null,
  lastSuccess: null,
  lastError: null,
  lastErrorDetails: null,
  lastErrorAt: null,
};
const fallen: Health = { ...well, state: 'down', failures: 2, nextTryAt: NOW, downSince: NOW - MINUTE_MS };
const asking = (ms: number): SendOutcome => ({ kind: 'down', reason: 'busy', retryAfterMs: ms });

/** before, outcomes of one send, stale → state, failures, rest until the next try */
const HEALTHS: [string, Health, SendOutcome[], boolean, Health['state'], number, number | null][] = [
  ['a success', well, [sent], false, 'up', 0, null],
  ['the first failure', well, [down], false, 'down', 1, 5 * SECOND_MS],
  ['a whole batch that failed is one failure', well, [down, down, down], false, 'down', 1, 5 * SECOND_MS],
  ['a batch that was taken in part', well, [down, sent, down], false, 'up', 0, null],
  ['a refusal shows that it is there', fallen, [refused], false, 'up', 0, null],
  ['one that must wait shows that it is there', fallen, [later], false, 'up', 0, null],
  ['the first success', fallen, [sent], false, 'up', 0, null],
  ['the third failure', fallen, [down], false, 'down', 3, MINUTE_MS],
  ['the fourth', { ...fallen, failures: 3 }, [down], false, 'down', 4, 2 * MINUTE_MS],
  ['the fifth', { ...fallen, failures: 4 }, [down], false, 'down', 5, 5 * MINUTE_MS],
  ['the hundredth', { ...fallen, failures: 99 }, [down], false, 'down', 100, 5 * MINUTE_MS],
  ['it asks for time', well, [asking(90_000)], false, 'down', 1, 99_000],
  ['it asks for a day', well, [asking(86_400_000)], false, 'down', 1, 66 * MINUTE_MS],
  ['it asks for nothing', well, [asking(1)], false, 'down', 1, 1100],
  ['it is gone', well, [gone], false, 'off', 0, null],
  ['it is gone, says a send of before', fallen, [gone], true, 'off', 2, null],
  ['a failure of before it fell', fallen, [down], true, 'down', 2, 0],
  ['a success of before it fell', fallen, [sent], true, 'down', 2, 0],
  ['a failure of before it fell that asks for time', fallen, [asking(10_000)], true, 'down', 2, 11_000],
  ['a failure of before it came back', well, [down], true, 'up', 0, null],
  ['off stays off', { ...well, state: 'off', downSince: NOW }, [sent], false, 'off', 0, null],
  ['not set up is no matter of health', well, [unconfigured], false, 'up', 0, null],
];

for (const [name, before, outcomes, isStale, state, failures, backoffMs] of HEALTHS) {
  test(`a destination: ${name} → ${state}`, () => {
    const after = healthAfter(before, outcomes, isStale, NOW, middle);
    assert.deepEqual(
      [after.state, after.failures, after.nextTryAt === null ? null : after.nextTryAt - NOW],
      [state, failures, backoffMs],
    );
    const failed = outcomes.some(({ kind }) => kind !== 'sent');
    assert.equal(after.lastErrorAt, failed ? NOW : null);
    assert.equal(after.lastSuccess, outcomes.includes(sent) ? NOW : null);
    assert.equal(after.downSince === null, state === 'up');
  });
}

test('rests are spread by a fifth either way', () => {
  const backoffOf = (random: number) => healthAfter(well, [down], false, NOW, () => random).nextTryAt! - NOW;
  assert.deepEqual([backoffOf(0), backoffOf(1)], [4000, 6000]);
});

const anyOutcome: fc.Arbitrary<SendOutcome> = fc.oneof(
  fc.constant(sent),
  fc.record({ kind: fc.constant('down' as const), reason: fc.string(), isUnclear: fc.boolean() }),
  fc.record({
    kind: fc.constant('down' as const),
    reason: fc.string(),
    retryAfterMs: fc.double({ min: 0, max: 1e9, noNaN: true }),
  }),
  fc.constant(later),
  fc.constant(refused),
  fc.constant(gone),
  fc.constant(unconfigured),
);

test('no sequence of outcomes loses a row: it waits, or it ended for a reason that can be read', () => {
  fc.assert(
    fc.property(fc.array(fc.tuple(anyOutcome, fc.nat(6 * 3_600_000))), (sequence) => {
      let row = fresh;
      let health = well;
      let now = NOW;
      for (const [outcome, passedMs] of sequence) {
        now += passedMs;
        health = healthAfter(health, [outcome], false, now, Math.random);
        const change = changeAfter(row, outcome, isAliveBy([outcome]), now);
        assert.equal(change.attempts, row.attempts + 1);
        assert.ok(change.attemptLog.length <= 20);
        assert.equal(change.state === 'sent', outcome.kind === 'sent', 'sent if and only if the channel says so');
        if (change.state !== 'queued') {
          assert.equal(change.ended, now);
          assert.ok(change.state === 'sent' || change.reason !== null);
          return;
        }
        assert.equal(change.ended, null);
        assert.ok(change.nextAt - now <= 6 * MINUTE_MS, 'and its turn comes again');
        if (health.state === 'down') assert.ok(health.nextTryAt !== null && health.nextTryAt - now <= 72 * MINUTE_MS);
        else assert.equal(health.nextTryAt, null);
        row = tried(row, change);
      }
    }),
    { numRuns: 2000 },
  );
});
