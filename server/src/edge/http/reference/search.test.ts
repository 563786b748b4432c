import assert from 'node:assert/strict';
import test from 'node:test';
import { searched } from '../pages/reference/search.js';
import { searchIndex } from '../reference.ts';

const titles = (wanted: string) => searched(searchIndex(), wanted).map(({ t, n }) => n ?? t);

test('the search finds what people type', () => {
  const first: Record<string, string> = {
    'create device': 'createDevice',
    geofence: 'getGeofence',
    'rate limit': 'Limits',
    'craete device': 'createDevice',
    'list notifcations': 'listNotifications',
  };
  for (const [wanted, expected] of Object.entries(first))
    assert.ok(titles(wanted).slice(0, 4).includes(expected), `${wanted}: ${titles(wanted).join(', ')}`);
  assert.ok(
    titles('speeding').some((title) => /trigger|speed/i.test(title)),
    titles('speeding').join(),
  );
  assert.deepEqual(titles('xyzzy'), []);
});

test('the search lists operations before objects', () => {
  const found = searched(searchIndex(), 'device');
  const isObject = ({ p }: { p: string }) => p.startsWith('Object of');
  const firstObject = found.findIndex(isObject);
  assert.ok(
    found.length > 0 && (firstObject < 0 || found.slice(firstObject).every(isObject)),
    JSON.stringify(found.map(({ t }) => t)),
  );
});
