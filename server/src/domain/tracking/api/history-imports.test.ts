import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { createLog } from '../../../platform/log.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { eventually } from '../../../testing/eventually.ts';
import { callOf, makeDevice, makeUser } from '../../../testing/people.ts';
import { at, minutes, reportAt } from '../../../testing/watched-device.ts';
import { positions } from '../../positions/positions.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';
import { historyImportOperations } from './history-imports.ts';

const LATER = at(60 * 24 * 90);
const cellsOf = (...of: readonly number[]) =>
  reportAt(...of).points.map(({ timestamp, location, speedKmh }) => [
    timestamp!,
    location!.lat,
    location!.lng,
    speedKmh!,
  ]);

onEitherEngine<Tables>('imports of history', { migrations: MIGRATIONS }, (open) => {
  async function setting(t: { after: (end: () => Promise<void>) => void }) {
    const store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    const engine = await startEngine(store, {
      windowMs: 86_400_000,
      packAfterMs: 40 * 86_400_000,
      log: createLog('silent'),
      now: () => LATER,
    });
    t.after(() => engine.stop());
    const operations = historyImportOperations(store, engine);
    const call = <Body>(key: number, body: Body) => callOf(owner, { deviceId, key, body, now: LATER });
    const begin = async () =>
      ((await operations.createHistoryImport(call(0, { name: 'van.gpx' }))) as { id: number }).id;
    const send = (key: number, first: number, points: readonly (readonly (number | null)[])[]) =>
      operations.addImportedPoints(call(key, { first, points: [...points] }));
    const end = (key: number) => operations.endHistoryImport(call(key, undefined));
    const trips = () => store.query.selectFrom('trips').select(['start', 'end']).orderBy('start').execute();
    const status = async (key: number) =>
      (await store.query.selectFrom('historyImports').select('status').where('id', '=', key).executeTakeFirst())
        ?.status;
    return { store, deviceId, begin, send, end, trips, status };
  }

  test('backwards and interrupted, with what cannot be right, gives the trips of the day', async (t) => {
    const { store, begin, send, end, trips, status } = await setting(t);
    const key = await begin();
    const wrong = [
      [LATER + 1, 1, 2],
      [0, 1, 2],
      [at(5), 91, 0],
      [at(5), null, 0],
    ];
    const all = [...cellsOf(...minutes(0, 100)).toReversed(), ...wrong];
    await send(key, 0, all.slice(0, 40));
    await send(key, 20, all.slice(20, 70));
    await assert.rejects(async () => send(key, 80, all.slice(80)), { statusCode: 422 });
    const sent = (await send(key, 70, all.slice(70))) as { received: number; stored: number; refused: number };
    assert.deepEqual([sent.received, sent.stored, sent.refused], [105, 101, 4]);
    await end(key);
    await eventually('it is done', async () => (await status(key)) === 'done');
    assert.equal((await trips()).length, 2);
    assert.deepEqual(await store.query.selectFrom('notifications').select('id').execute(), []);
    const live = await store.query.selectFrom('liveEvents').select('kind').execute();
    assert.ok(!live.some(({ kind }) => String(kind).startsWith('position')), 'it was not published live');
    const device = await store.query.selectFrom('devices').select('lastConnection').executeTakeFirstOrThrow();
    assert.equal(device.lastConnection, null, 'it does not count as a report');
    await assert.rejects(async () => send(key, 105, cellsOf(1)), { statusCode: 422 });
  });

  test('what fails half way is stored and counted not at all, and goes on where it was', async (t) => {
    const { store, deviceId, begin, send, end, trips, status } = await setting(t);
    const key = await begin();
    const all = cellsOf(...minutes(0, 100));
    await send(key, 0, all.slice(0, 30));
    const rename = (from: string, to: string) =>
      sql.raw(`ALTER TABLE "${from}" RENAME TO "${to}"`).execute(store.query);
    const count = async () =>
      (await positions(store.query, { deviceId, from: 0, to: LATER, limit: 1000, columns: ['id'] })).length;
    await rename('positionSegments', 'elsewhere');
    await assert.rejects(async () => send(key, 30, all.slice(30)));
    await rename('elsewhere', 'positionSegments');
    assert.equal(await count(), 30);
    const sent = (await send(key, 0, all)) as { received: number; stored: number; duplicates: number };
    assert.deepEqual([sent.received, sent.stored, sent.duplicates, await count()], [101, 101, 0, 101]);
    assert.equal((await store.query.selectFrom('points').select('id').execute()).length, 1, 'all but one is packed');
    await end(key);
    await eventually('it is done', async () => (await status(key)) === 'done');
    assert.equal((await trips()).length, 2);
  });

  test('in order is done when it ends, and twice the same changes nothing', async (t) => {
    const { begin, send, end, trips, status } = await setting(t);
    for (let time = 0; time < 2; time++) {
      const key = await begin();
      const sent = (await send(key, 0, cellsOf(...minutes(0, 100)))) as { stored: number; duplicates: number };
      assert.deepEqual([sent.stored, sent.duplicates], time === 0 ? [101, 0] : [0, 101]);
      await end(key);
      await eventually('it is done', async () => (await status(key)) === 'done');
      await eventually('there are two trips', async () => (await trips()).length === 2);
    }
  });
});
