import '../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { heardByWords } from './heard-by.ts';

const gateway = (gatewayId: number, rssi: number | null, name: string | null = null) => ({
  gatewayId,
  name,
  timestamp: '2026-06-01T12:00:00.000Z',
  rssi,
  distance: 10,
  weight: 0.5,
});

test('the gateways that heard a tag are told in a few words', () => {
  assert.equal(heardByWords([]), undefined);
  assert.equal(heardByWords([gateway(4, -62, 'Dock')]), 'Heard by Dock (-62 dBm)');
  assert.equal(
    heardByWords([gateway(5, -80, 'Gate'), gateway(4, -62, 'Dock'), gateway(6, null)]),
    'Heard by 3 gateways, strongest Dock (-62 dBm)',
  );
  assert.equal(heardByWords([gateway(6, null)]), 'Heard by Device 6');
});
