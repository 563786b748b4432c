import assert from 'node:assert/strict';
import { test } from 'node:test';
import { BASES, OPERATIONS, type OperationName } from '@trackway/contract/operations.ts';
import { KnownPaths } from './known-paths.ts';
import { methodsOf } from './mount.ts';

const known = new KnownPaths();
for (const name of Object.keys(OPERATIONS) as OperationName[]) {
  const operation = OPERATIONS[name];
  for (const version of operation.versions)
    known.add(BASES[version] + operation.path.replaceAll(/\{(\w+)\}/g, ':$1'), methodsOf(operation));
}

test('fixed words win over parameters, in any case', () => {
  assert.equal(known.at('/api/users/login')?.allow, 'POST, OPTIONS');
  assert.equal(known.at('/API/Users/LOGIN/')?.allow, 'POST, OPTIONS');
  assert.equal(known.at('/v2/users/plans/summary')?.allow, 'GET, HEAD, OPTIONS');
  assert.equal(known.at('/v2/users/0/plans/summary')?.allow, 'GET, HEAD, OPTIONS');
  assert.match(known.at('/api/devices/5/config')!.allow, /PUT, PATCH/);
  assert.equal(known.at('/api/devices/count')?.allow, 'GET, HEAD, OPTIONS');
});

test('a word that is no user makes an unknown path', () => {
  for (const path of ['/api/users/somebody/geofences', '/v2/users/nobody', '/api/nothing', '/api//devices', '/api'])
    assert.equal(known.at(path)?.allow, undefined, path);
  for (const path of ['/api/users/%225%22/geofences', '/api/users/me/geofences', '/api/devices/abc/config'])
    assert.ok(known.at(path)?.allow, path);
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

test('what is mounted is found by its method, with the parameters of the address', () => {
  const paths = new KnownPaths<string>();
  paths.add('/api/things/:id/parts/:part', ['GET', 'HEAD'], 'read');
  paths.add('/api/things/:thing/parts/:name', ['PUT'], 'change');
  paths.add('/api/things/:id/parts/first', ['GET']);
  paths.add('/api/things/all/other', ['GET'], 'other');
  const found = paths.at('/API/things/All/Parts/a%2Fb/')!;
  assert.deepEqual(found.route('HEAD'), { route: 'read', parameters: { id: 'All', part: 'a/b' } });
  assert.deepEqual(found.route('PUT'), { route: 'change', parameters: { thing: 'All', name: 'a/b' } });
  assert.equal(found.route('DELETE'), undefined);
  assert.equal(paths.at('/api/things/1/parts/first')!.route('GET'), undefined, 'it is mounted elsewhere');
});
