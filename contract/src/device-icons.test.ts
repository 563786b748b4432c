import assert from 'node:assert/strict';
import { test } from 'node:test';
import { deviceIconOf } from './device-icons.ts';

test('a device is shown as what was chosen, else as what its type says', () => {
  assert.equal(deviceIconOf('boat', 'van'), 'boat');
  assert.equal(deviceIconOf(null, 'Delivery van'), 'van');
  assert.equal(deviceIconOf('of tomorrow', 'asset_tracker'), 'box');
  assert.equal(deviceIconOf({ car: 1 }, 'Vanguard 3'), undefined);
  assert.equal(deviceIconOf(undefined, null), undefined);
});
