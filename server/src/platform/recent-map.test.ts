import assert from 'node:assert/strict';
import { test } from 'node:test';
import fc from 'fast-check';
import { RecentMap } from './caches.ts';

test('what is used often stays, however much comes and goes', () => {
  const map = new RecentMap<number, string>(100);
  map.set(-1, 'used');
  for (let key = 0; key < 10_000; key++) {
    map.set(key, 'passing');
    assert.equal(map.get(-1), 'used');
    assert.ok(map.size <= 100);
  }
  assert.equal(map.get(9_999), 'passing');
  assert.equal(map.has(0), false);
});

test('has the newest value of every key of the last half of its capacity, and never another', () => {
  const use = fc.record({ key: fc.nat(30), does: fc.constantFrom('set', 'get', 'delete') });
  fc.assert(
    fc.property(fc.array(use, { maxLength: 300 }), (uses) => {
      const map = new RecentMap<number, number | undefined>(20);
      const values = new Map<number, number>();
      let recent: number[] = [];
      for (const [n, { key, does }] of uses.entries()) {
        if (does === 'delete') {
          map.delete(key);
          values.delete(key);
          recent = recent.filter((one) => one !== key);
          assert.equal(map.has(key), false);
          continue;
        }
        if (does === 'set') {
          map.set(key, n);
          values.set(key, n);
        } else {
          const found = map.get(key);
          assert.equal(map.has(key), found !== undefined);
          if (found !== undefined) assert.equal(found, values.get(key));
          else assert.ok(!recent.slice(0, 10).includes(key), 'forgotten too early');
          if (found === undefined) continue;
        }
        recent = [key, ...recent.filter((one) => one !== key)];
        assert.ok(map.size <= 20);
      }
    }),
  );
});
