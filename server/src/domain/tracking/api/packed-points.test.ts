import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import type { Caller, JsonText } from '../../../calls.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser } from '../../../testing/people.ts';
import { packDay } from '../../positions/pack.ts';
import { PACKED_CELLS, type StoredPosition } from '../../positions/packed-positions.ts';
import { DAY_MS } from '../../positions/segments.ts';
import { insertPositionsWithIds } from '../../positions/write.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { points } from './points.ts';

const START = Date.parse('2026-05-04T00:00:00Z');
const NOW = START + 12 * DAY_MS;
const STEP_MS = DAY_MS / 50;
const COUNT = 400;
const iso = (step: number) => new Date(START + step * STEP_MS).toISOString();

function positionOf(deviceId: number, index: number): StoredPosition {
  const nothing = Object.fromEntries(PACKED_CELLS.map((name) => [name, null])) as unknown as StoredPosition;
  // Some came late, some at the same time as another, some without a place, some with a number of many digits.
  const timestamp = START + (index - (index % 17 === 0 ? 20 : 0) - (index % 23 === 0 ? 1 : 0)) * STEP_MS;
  const isPlaced = index % 11 !== 0;
  return {
    ...nothing,
    id: index + 1000,
    deviceId,
    timestamp,
    created: timestamp + 2000,
    locationType: isPlaced ? (index % 5 === 0 ? 'wifi' : 'gps') : 'invalid',
    locationLat: isPlaced ? 46 + index / 1e4 : null,
    locationLng: isPlaced ? 11 + Math.sin(index) / 100 : null,
    speed: index % 7 === 0 ? null : index % 60,
    batteryPct: index % 3 === 0 ? 100 * Math.abs(Math.cos(index)) : index % 100,
    address: index % 13 === 0 ? `Main Street ${index}` : null,
    cell: index % 4 === 0 ? `{"mcc":262,"mnc":1,"lac":6360,"cid":${index}}` : null,
    isLocatedByGateways: 0,
    correlationId: index % 2 === 0 ? 'abc' : 'ABD',
  };
}

const textOf = (answer: unknown) => (answer as JsonText<unknown>).text;

const FILTERS: readonly object[] = [
  {},
  { limit: 7 },
  { limit: 7, skip: 130 },
  { order: 'timestamp DESC', limit: 5 },
  { order: 'timestamp DESC', limit: 90, skip: 60 },
  { order: 'timestamp ASC', limit: 20, skip: 20 },
  { order: 'id DESC', limit: 30 },
  { order: ['speed DESC', 'timestamp ASC'], limit: 25 },
  { where: { timestamp: { between: [iso(40), iso(160)] } } },
  { where: { timestamp: { gt: iso(140) }, speed: { gt: 30 } }, order: 'timestamp DESC' },
  { where: { speed: null }, fields: { timestamp: true, speed: true } },
  { where: { batteryPct: { lt: 20 } }, order: 'batteryPct ASC', limit: 40 },
  { where: { or: [{ locationType: 'wifi' }, { address: { like: '%Street 1%' } }] }, limit: 50 },
  { where: { correlationId: { ilike: 'aB%' }, locationType: { neq: 'gps' } } },
  { where: { location: { near: { lat: 46.01, lng: 11 }, maxDistance: 5, unit: 'kilometers' } }, limit: 20 },
  { where: { id: { inq: [1001, 1100, 1399] } } },
  { where: { address: 'Main Street 26' } },
  { where: { speed: 9999 } },
];

onEitherEngine<Tables>('packed positions in the API', { migrations: MIGRATIONS }, (open) => {
  let store: Store;
  let me: Caller;
  let deviceId: number;
  let plain: readonly string[];

  const operations = () => points(store, { evaluateAgain() {} }).operations;
  const listed = async (filter: object) => {
    const call = callOf(me, { deviceId, now: NOW, query: [['filter', JSON.stringify(filter)]] });
    return textOf(await operations().listPoints(call as never));
  };
  const reported = async (filter: object) => {
    const listed = { isCounted: true };
    const call = callOf(me, { deviceId, now: NOW, query: [['filter', JSON.stringify(filter)]], listed });
    const text = textOf(await operations().listPoints(call as never));
    return JSON.stringify({ text, listed });
  };
  const counted = async ({ where }: { where?: object }) => {
    const call = callOf(me, { deviceId, now: NOW, query: [['where', JSON.stringify(where ?? {})]] });
    return JSON.stringify(await operations().countPoints(call as never));
  };
  const got = async (key: number) =>
    textOf(await operations().getPoint(callOf(me, { deviceId, key, now: NOW }) as never));

  async function answers(): Promise<string[]> {
    const all: string[] = [];
    for (const filter of FILTERS) all.push(await listed(filter), await reported(filter), await counted(filter));
    all.push(textOf(await operations().listPoints(callOf(me, { deviceId, now: NOW }) as never)));
    const withCell = [['filter', JSON.stringify({ where: { cell: { neq: null } } })]] as const;
    all.push(textOf(await operations().listPointsV2(callOf(me, { deviceId, now: NOW, query: withCell }) as never)));
    assert.match(all.at(-1)!, /"cell":\{"/);
    for (const id of [1000, 1010, 1100, 1399]) all.push(await got(id));
    return all;
  }

  before(async () => {
    store = await open();
    me = await makeUser(store, 'me@example.com');
    deviceId = await makeDevice(store, me.userId, { name: 'Van' });
    const rows = Array.from({ length: COUNT }, (_, index) => positionOf(deviceId, index));
    await store.transaction((tx) => insertPositionsWithIds(tx, rows));
    plain = await answers();
  });

  test('lists, counts and single positions are the same, whatever part of them is packed', async () => {
    for (const days of [[1], [0, 3, 4, 5]]) {
      for (const day of days) await store.transaction((tx) => packDay(tx, deviceId, START + day * DAY_MS));
      assert.deepEqual(await answers(), plain, `after the days ${days} were packed`);
    }
    const { rows } = await store.query
      .selectFrom('points')
      .select((of) => of.fn.countAll().as('rows'))
      .executeTakeFirstOrThrow();
    assert.ok(Number(rows) < COUNT / 2, 'most are packed');
  });
});
