import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { eventTexts, positionOf, textOf, textOfLanes } from './log-position.ts';

const LANES = 64;
const ids = fc.oneof(
  fc.nat(40),
  fc.nat(100_000),
  fc.maxSafeNat().map((id) => Math.floor(id / 64)),
);
const lanesOf = (count: number) => fc.array(ids, { minLength: count, maxLength: count });

test('a place is read as it was written, with one lane and with many', () => {
  for (const count of [1, LANES])
    fc.assert(
      fc.property(lanesOf(count), fc.nat(count - 1), fc.nat(500), (lanes, lane, index) => {
        // A place of one number has no more than 15 digits.
        fc.pre(count > 1 || lanes[0]! < 1e15);
        assert.deepEqual(positionOf(textOfLanes(lanes), count), { lanes });
        const entry = lanes[lane]! + 1;
        const text = eventTexts(lanes, [])(lane, entry, index);
        const place = { lanes, part: { lane, entry, index } };
        assert.deepEqual(positionOf(text, count), place);
        assert.equal(textOf(place), text);
      }),
    );
});

test('the place of an event has the lanes before it done, and those after it not begun', () => {
  const lanes = [5, 5, 9, 5];
  const ranges = [
    { lane: 0, after: 5, upTo: 7 },
    { lane: 1, after: 5, upTo: 8 },
    { lane: 3, after: 5, upTo: 6 },
  ];
  assert.deepEqual(positionOf(eventTexts(lanes, ranges)(1, 7, 2), 4), {
    lanes: [7, 6, 9, 5],
    part: { lane: 1, entry: 7, index: 2 },
  });
});

test('a place is short where little has happened, and fits into a header where much has', () => {
  assert.ok(textOfLanes(new Array(LANES).fill(123_456)).length < 80);
  const busy = Array.from({ length: LANES }, (_, lane) => 1_000_000_000 + lane * 1_000_003);
  assert.ok(textOfLanes(busy).length < 450, textOfLanes(busy));
});

test('one number is the same place in every lane', () => {
  assert.deepEqual(positionOf('12', 3), { lanes: [12, 12, 12], isOfOneLane: true });
  const partly = { lanes: [11, 11, 11], part: { lane: undefined, entry: 12, index: 3 }, isOfOneLane: true };
  assert.deepEqual(positionOf('12.3', 3), partly);
  assert.equal(textOf(partly), '12.3');
});

test('what is no place is none', () => {
  for (const text of [
    '',
    'v',
    'v0-',
    'v0-AA',
    'v0-AAAA',
    'v0-AAg',
    'v0-AAA.3.0',
    'v0-AAA.0',
    'w0-AAA',
    '1e3',
    '-1',
    '1.2.3',
  ])
    assert.equal(positionOf(text, 3), undefined, text);
  assert.equal(positionOf('v0-A', 1), undefined);
});
