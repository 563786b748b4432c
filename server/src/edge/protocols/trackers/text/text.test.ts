import assert from 'node:assert/strict';
import { test } from 'node:test';
import { cellReadings } from '../record/networks.ts';
import { cut, isOn, outputOf, safeText, secondsOf } from './cut.ts';
import {
  countOf,
  decimalOf,
  degreesOf,
  digitsOf,
  epochOfDigits,
  hexOf,
  isBitSet,
  percentOf,
  placeOf,
} from './numbers.ts';

test('minutes are the two digits before the dot', () => {
  assert.equal(degreesOf('5230.0000', 'N'), 52.5);
  assert.equal(degreesOf('01315.0000', 'W'), -13.25);
  assert.equal(degreesOf('15.0000', 'W'), -0.25);
  assert.equal(degreesOf('6.0', 'S'), -0.1);
  for (const text of ['', 'x', '52', '12345678.0', '-5230.0', undefined]) assert.equal(degreesOf(text, 'N'), undefined);
});

test('what is not on the globe is no place, nor is 0, 0', () => {
  assert.deepEqual(placeOf(1, 2, true), { location: { lat: 1, lng: 2 }, isValid: true });
  assert.deepEqual(placeOf(-0, 0, true), { isValid: false });
  assert.deepEqual(placeOf(91, 0, true), { isValid: false });
  assert.deepEqual(placeOf(1, -180.1, true), { isValid: false });
  assert.deepEqual(placeOf(Number.NaN, 1, true), { isValid: false });
  assert.deepEqual(placeOf(undefined, 1, true), { isValid: false });
});

test('a date is read in its order, a fraction of a second is kept', () => {
  const at = Date.parse('2021-07-13T10:40:05.250Z');
  assert.equal(epochOfDigits('130721', 'dmy', '104005.25'), at);
  assert.equal(epochOfDigits('210713', 'ymd', '104005.2504'), at);
  assert.equal(epochOfDigits('210713', 'ymd', '124005.25', '+02:00'), at);
  assert.equal(digitsOf(at), '20210713104005');
  for (const [date, time] of [
    ['000007', '104005'],
    ['130721', ''],
    ['', '104005'],
    ['130721', '104061'],
  ] as const)
    assert.equal(epochOfDigits(date, 'dmy', time), undefined);
});

test('numbers are numbers or nothing', () => {
  assert.deepEqual(['4', ' -4.5 ', '+.5', '', 'NA', '1e9', '4.4.4'].map(decimalOf), [
    4,
    -4.5,
    0.5,
    undefined,
    undefined,
    undefined,
    undefined,
  ]);
  assert.deepEqual(['4', '-4', '9'.repeat(30)].map(countOf), [4, undefined, undefined]);
  assert.deepEqual(['ff', 'fg'].map(hexOf), [255, undefined]);
  assert.deepEqual(['51.5%', '101', '-1'].map(percentOf), [51.5, undefined, undefined]);
  assert.deepEqual([isBitSet(0x80000000, 31), isBitSet(1, 1)], [true, false]);
});

test('what is longer than a frame may be is skipped', () => {
  const lengthAt = (stream: Buffer, at: number) => {
    const end = stream.indexOf(0x3b, at);
    return end < 0 ? undefined : end - at + 1;
  };
  const { frames, remaining, skipped } = cut(Buffer.from('abcdefgh;x'), 5, lengthAt);
  assert.deepEqual([frames.map(String), remaining.toString(), skipped], [['efgh;'], 'x', 4]);
});

test('a cell of number 0 is none', () => {
  assert.deepEqual(cellReadings([{ lac: 0, cid: 0 }]), []);
  assert.deepEqual(
    cellReadings([
      { mcc: 262, lac: 1, cid: 2, rssi: -60 },
      { lac: 3, cid: 4 },
    ]),
    [
      { type: 'cell', value: { mcc: 262, lac: 1, cid: 2 }, meta: { rssi: -60 } },
      {
        type: 'cells',
        value: [
          { mcc: 262, lac: 1, cid: 2, rssi: -60 },
          { lac: 3, cid: 4 },
        ],
      },
    ],
  );
});

test('parameters of commands are in their range or refused', () => {
  assert.deepEqual([secondsOf({ seconds: 60 }, 1, 99), secondsOf({ seconds: '60' }, 1, 99)], [60, 60]);
  for (const seconds of [0, 100, 1.5, 'x']) assert.equal(secondsOf({ seconds }, 1, 99), undefined);
  assert.equal(secondsOf({}, 1, 99), undefined);
  assert.deepEqual([isOn({}), isOn({ on: false }), isOn({ on: 'true' })], [true, false, true]);
  assert.deepEqual([outputOf({}, 2), outputOf({ output: 2 }, 2), outputOf({ output: 3 }, 2)], [1, 2, undefined]);
  assert.deepEqual(
    ['a b', 'a#b', 'a\r\n', '', 'ü', 'x'.repeat(501)].map((text) => safeText(text, /#/)),
    ['a b', undefined, undefined, undefined, undefined, undefined],
  );
});
