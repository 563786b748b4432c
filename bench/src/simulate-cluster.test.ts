import assert from 'node:assert/strict';
import { test } from 'node:test';
import { FIGURES, firstToBreak, loadOf, partsOf, waitP99Ms } from './simulate-cluster.ts';

const LAYOUT = { name: 'three', nodes: 3, databases: 1, coresEach: 8 };

test('a part is as full as its work, and the fullest breaks first', () => {
  const parts = partsOf(LAYOUT, 3000, { ...FIGURES, nodeUs: 500, databaseUs: 400 }, false);
  assert.equal(loadOf(parts.find(({ name }) => name === 'node')!), 0.5);
  assert.equal(loadOf(parts.find(({ name }) => name === 'database')!), 0.15);
  const { part, room } = firstToBreak(parts);
  assert.equal(part.name, 'node');
  assert.equal(room, 1.8);
});

test('waits are those of a queue: none where it is idle, long where it is nearly full, endless beyond', () => {
  const queue = (perSecond: number) => ({ name: 'node', perSecond, serviceUs: 1000, servers: 1 });
  assert.ok(waitP99Ms(queue(10)) < 2);
  // A queue with one server that is 80 % full: ln(0.8 / 0.01) / (0.2 / 1 ms) = 22 ms.
  const wait = waitP99Ms(queue(800), 200_000);
  assert.ok(wait > 17 && wait < 27, `${wait}`);
  assert.equal(waitP99Ms(queue(1000)), Number.POSITIVE_INFINITY);
});

test('with Citus the work of the database is spread over its workers, the locks of slots are not', () => {
  const plain = partsOf({ ...LAYOUT, databases: 1 }, 1000, FIGURES, true);
  const spread = partsOf({ ...LAYOUT, databases: 4 }, 1000, FIGURES, true);
  const of = (parts: typeof plain, name: string) => loadOf(parts.find((part) => part.name === name)!);
  assert.equal(of(spread, 'database') * 4, of(plain, 'database'));
  assert.equal(of(spread, 'commit log') * 4, of(plain, 'commit log'));
  assert.equal(of(spread, 'slot lock'), of(plain, 'slot lock'));
});
