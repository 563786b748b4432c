import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createLog } from '../../../platform/log.ts';
import { openPostgres } from '../../../platform/storage/postgres/postgres.ts';
import { StoreTrouble } from '../../../platform/storage/trouble.ts';
import { eventually } from '../../../testing/eventually.ts';
import { pausableProxy } from '../../../testing/pausable-proxy.ts';
import { startPostgres } from '../../../testing/postgres-server.ts';
import { at, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Tables } from '../../schema/tables.ts';
import { startEngine } from '../engine.ts';
import { Batches } from './batches.ts';

const WINDOW_MS = 30 * 86_400_000;
const isTrouble = (error: unknown) => error instanceof StoreTrouble;

describe('a store that does not answer', () => {
  const isSkipped = process.env.TRACKWAY_SKIP_POSTGRES === '1';
  test('is waited for only so long; what was acknowledged is kept, and all goes on', { skip: isSkipped }, async (t) => {
    const server = await startPostgres();
    t.after(() => server.stop());
    const proxy = await pausableProxy(server.url);
    t.after(() => proxy.close());
    const patience = { connectTimeoutMs: 2000, answerTimeoutMs: 2000, poolSize: 4 };
    const store = await openPostgres<Tables>({ url: proxy.url, migrations: MIGRATIONS, ...patience });
    t.after(() => store.close());
    const deviceId = await watchedDevice(store, { triggers: [] });
    const engine = await startEngine(store, { windowMs: WINDOW_MS, log: createLog('silent') });
    t.after(() => engine.stop());
    const acknowledged = new Set<number>();
    const send = async (minute: number) => {
      await engine.intake.store(deviceId, reportAt(minute), at(200));
      acknowledged.add(at(minute));
    };
    for (let minute = 0; minute < 5; minute++) await send(minute);

    proxy.pause();
    const waiting = Array.from({ length: 50 }, (_, index) => send(5 + index));
    const reads = Array.from({ length: 50 }, () => store.query.selectFrom('devices').select('id').execute());
    for (const outcome of await Promise.allSettled([...waiting, ...reads])) {
      assert.equal(outcome.status, 'rejected');
      assert.ok(
        isTrouble((outcome as PromiseRejectedResult).reason),
        String((outcome as PromiseRejectedResult).reason),
      );
    }
    assert.equal(acknowledged.size, 5);

    proxy.resume();
    await eventually('reports are stored again', () =>
      send(100).then(
        () => true,
        () => false,
      ),
    );
    for (let minute = 101; minute < 110; minute++) await send(minute);
    const stored = await store.query.selectFrom('points').select('timestamp').execute();
    const times = new Set(stored.map(({ timestamp }) => timestamp));
    for (const time of acknowledged) assert.ok(times.has(time), 'nothing acknowledged is lost');
    assert.equal(stored.length, times.size, 'and nothing is stored twice');
  });

  const job = (deviceId: number) => ({ deviceId, weight: 1 });

  test('holds only so many reports, and each only so long', async () => {
    const stuck = Promise.withResolvers<void>();
    const batches = new Batches(() => stuck.promise, { patienceMs: 500, maxWaitingWeight: 10 });
    const first = batches.join(job(1));
    await new Promise((resolve) => setImmediate(() => setImmediate(resolve)));
    const waiting = Array.from({ length: 10 }, (_, index) => assert.rejects(batches.join(job(index + 2)), isTrouble));
    await assert.rejects(batches.join(job(99)), isTrouble);
    await Promise.all(waiting);
    stuck.resolve();
    await first;
    await batches.join(job(100));
    await batches.stop();
  });

  test('refuses a whole batch at once, not one report after the other', async () => {
    let commits = 0;
    const trouble = new StoreTrouble('unavailable', new Error('gone'));
    const batches = new Batches(() => {
      commits++;
      return Promise.reject(trouble);
    });
    const all = Array.from({ length: 20 }, (_, index) => batches.join(job(index)));
    await Promise.all(all.map((one) => assert.rejects(one, isTrouble)));
    assert.equal(commits, 1);
  });
});
