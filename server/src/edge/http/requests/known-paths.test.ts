import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASES, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { methodsOf } from '../mount.ts';
import { KnownPaths } from './known-paths.ts';

const known = new KnownPaths();
for (const name of Object.keys(OPERATIONS) as OperationName[]) {
  const operation = OPERATIONS[name];
  for (const version of operation.versions)
    known.add(BASES[version] + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), methodsOf(operation));
}

test('fixed words win over parameters, in any case', () => {
  assert.equal(known.allowAt('/api/users/login'), 'POST, OPTIONS');
  assert.equal(known.allowAt('/API/Users/LOGIN/'), 'POST, OPTIONS');
  assert.equal(known.allowAt('/v2/users/plans/summary'), 'GET, HEAD, OPTIONS');
  assert.equal(known.allowAt('/v2/users/0/plans/summary'), 'GET, HEAD, OPTIONS');
  assert.match(known.allowAt('/api/devices/5/config')!, /PUT, PATCH/);
  assert.equal(known.allowAt('/api/devices/count'), 'GET, HEAD, OPTIONS');
});

test('a word that is no user makes an unknown path', () => {
  for (const path of ['/api/users/somebody/geofences', '/v2/users/nobody', '/api/nothing', '/api//devices', '/api'])
    assert.equal(known.allowAt(path), undefined, path);
  for (const path of ['/api/users/%225%22/geofences', '/api/users/me/geofences', '/api/devices/abc/config'])
    assert.ok(known.allowAt(path), path);
});

test('no two operations differ in case alone', () => {
  const seen = new Map<string, string>();
  for (const [name, { method, path, versions }] of Object.entries(OPERATIONS)) {
    for (const version of versions) {
      const place = `${version} ${method} ${path.replaceAll(/\{\w+\}/g, '{}').toLowerCase()}`;
      assert.equal(seen.get(place), undefined, `${name}: ${place}`);
      seen.set(place, name);
    }
  }
});
