import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { FleetDevice } from '../../api/live/fleet-device.ts';
import { type ColumnKey, listed, type Wish } from './listing.ts';
import { queryOf, wishOf } from './wish-query.ts';

const NOW = 1_000_000_000_000;
const device = (id: number, name: string, more: Partial<FleetDevice> = {}) =>
  ({
    id,
    name,
    plate: null,
    type: null,
    tags: [],
    batteryPct: null,
    speedKmh: null,
    lastSeenAt: undefined,
    moving: null,
    ...more,
  }) as FleetDevice;

const FLEET = [
  device(1, 'Van 10', { batteryPct: 20, lastSeenAt: NOW - 1000, moving: true }),
  device(2, 'van 9', { batteryPct: 90, lastSeenAt: NOW - 5000, moving: false, tags: ['North'] }),
  device(3, 'Boat', { lastSeenAt: NOW - 3_600_000, type: 'vessel', plate: 'HH-B 7' }),
];
const ALL = { text: '', tags: [], states: [], batteries: [], group: undefined, sort: 'name', descends: false } as const;
const idsOf = (wish: Partial<Wish>) =>
  listed(FLEET, { ...ALL, ...wish, now: NOW, offlineAfterMin: 15 }).map(({ id }) => id);
const ids = (sort: ColumnKey, descends = false, text = '', tags: readonly string[] = []) =>
  idsOf({ sort, descends, text, tags });

test('by name as people count', () => {
  assert.deepEqual(ids('name'), [3, 2, 1]);
  assert.deepEqual(ids('name', true), [1, 2, 3]);
});

test('by what is known; the unknown is last either way', () => {
  assert.deepEqual(ids('battery'), [1, 2, 3]);
  assert.deepEqual(ids('battery', true), [2, 1, 3]);
  assert.deepEqual(ids('state'), [1, 2, 3]);
  assert.deepEqual(ids('heard'), [1, 2, 3], 'the newest first');
});

test('every word must be in its name, plate, type or tags', () => {
  assert.deepEqual(ids('name', false, 'hh-b'), [3]);
  assert.deepEqual(ids('name', false, 'van north'), [2]);
  assert.deepEqual(ids('name', false, 'VESSEL'), [3]);
  assert.deepEqual(ids('name', false, 'van vessel'), []);
});

test('by tags, too', () => {
  assert.deepEqual(ids('name', false, '', ['North']), [2]);
  assert.deepEqual(ids('name', false, 'boat', ['North']), []);
});

test('by group: only its devices', () => {
  const within = (ids: number[]) =>
    listed(FLEET, { ...ALL, group: 5, inGroup: new Set(ids), now: NOW, offlineAfterMin: 15 }).map(({ id }) => id);
  assert.deepEqual(within([1, 3]), [3, 1]);
  assert.deepEqual(within([]), []);
});

test('by status and battery: any of the chosen ones', () => {
  assert.deepEqual(idsOf({ states: ['moving'] }), [1]);
  assert.deepEqual(idsOf({ states: ['moving', 'offline'] }), [3, 1]);
  assert.deepEqual(idsOf({ batteries: ['low'] }), [1]);
  assert.deepEqual(idsOf({ batteries: ['unknown', 'good'] }), [3, 2]);
  assert.deepEqual(idsOf({ batteries: ['low'], states: ['stopped'] }), []);
});

test('all of it is in the address, and what the address does not know is left out', () => {
  const wish = {
    text: 'van',
    tags: ['depot:north', 'cold'],
    states: ['moving'],
    batteries: ['low'],
    group: 5,
    sort: 'battery',
    descends: true,
    columns: ['name', 'place', 'tags'],
  } as const;
  assert.deepEqual(wishOf(queryOf(wish)), wish);
  assert.equal(queryOf(wishOf(new URLSearchParams())).toString(), '');
  const odd = wishOf(new URLSearchParams('state=flying&battery=low&sort=mood&columns=place,nonsense'));
  assert.deepEqual([odd.states, odd.batteries, odd.sort, odd.columns], [[], ['low'], 'name', ['name', 'place']]);
});
