import assert from 'node:assert/strict';
import { test } from 'node:test';
import { crcArc, crcKermit, crcModbus, crcX25, i16, u8, u16, u32 } from './bytes.ts';

test('each checksum gives its published check value', () => {
  const digits = Buffer.from('123456789');
  assert.equal(crcArc(digits, 0, 9), 0xbb3d);
  assert.equal(crcModbus(digits, 0, 9), 0x4b37);
  assert.equal(crcX25(digits, 0, 9), 0x906e);
  assert.equal(crcKermit(digits, 0, 9), 0x2189);
});

test('nothing is read past the end of a frame', () => {
  const bytes = Buffer.from('01ff02', 'hex');
  assert.equal(u16(bytes, 1), 0xff02);
  assert.equal(i16(bytes, 1), -254);
  assert.deepEqual(
    [u8(bytes, 3), u8(bytes, -1), u16(bytes, 2), u32(bytes, 0)],
    [undefined, undefined, undefined, undefined],
  );
});
