import '../texts/english.ts';
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { gatewaysText } from './gateways-text.ts';

const gateway = (gatewayId: number, rssi: number | null, name: string | null = null) => ({
  gatewayId,
  name,
  timestamp: '2026-06-01T12:00:00.000Z',
  rssi,
  distance: 10,
  weight: 0.5,
});

test('the gateways that received a tag are listed in a few words', () => {
  assert.equal(gatewaysText([]), undefined);
  assert.equal(gatewaysText([gateway(4, -62, 'Dock')]), 'Detected by Dock (-62 dBm)');
  assert.equal(
    gatewaysText([gateway(5, -80, 'Gate'), gateway(4, -62, 'Dock'), gateway(6, null)]),
    'Detected by 3 gateways, strongest Dock (-62 dBm)',
  );
  assert.equal(gatewaysText([gateway(6, null)]), 'Detected by Device 6');
});
