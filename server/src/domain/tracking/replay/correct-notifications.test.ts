import assert from 'node:assert/strict';
import { test } from 'node:test';
import { METRIC } from '@trackway/contract/wording/units.ts';
import { sql } from 'kysely';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf } from '../../../testing/people.ts';
import { citusUrl } from '../../../testing/storage/citus-places.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { points } from '../api/points.ts';
import { Pipeline } from '../pipeline.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { replay } from './replay.ts';

const WINDOW_MS = 30 * 86_400_000;

/** Notes each row of notifications that is written again. */
const WATCH = {
  sqlite: [
    'CREATE TABLE "written" ("id" INTEGER)',
    'CREATE TRIGGER "note" AFTER UPDATE ON "notifications" BEGIN INSERT INTO "written" VALUES (NEW."id"); END',
  ],
  postgres: [
    'CREATE TABLE "written" ("id" BIGINT)',
    `CREATE FUNCTION "note"() RETURNS trigger AS 'BEGIN INSERT INTO "written" VALUES (NEW."id"); RETURN NEW; END'
     LANGUAGE plpgsql`,
    'CREATE TRIGGER "note" AFTER UPDATE ON "notifications" FOR EACH ROW EXECUTE FUNCTION "note"()',
  ],
};

onEitherEngine<Tables>('what a replay finds again', { migrations: MIGRATIONS }, (open) => {
  // What is written is counted by a trigger of the database, which Citus has none of.
  const skip = citusUrl() !== undefined;
  test('is written only where it is not as it was', { skip }, async () => {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'newLoc' }, { type: 'motionStart' }] });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    const said = minutes(0, 30).filter((minute) => minute !== 9 && minute !== 28);
    for (const minute of said) await ingest.store(deviceId, reportAt(minute), at(minute));
    for (const statement of store.dialect.pick(WATCH)) await sql.raw(statement).execute(store.query);
    /** Which notifications were written again when something came late, and all there are. */
    const late = async (minute: number) => {
      await sql`DELETE FROM "written"`.execute(store.query);
      await ingest.store(deviceId, reportAt(minute), at(31));
      await replay(store, rulesCache, deviceId, () => at(31));
      const all = await store.query
        .selectFrom('notifications')
        .select(['id', 'kind', 'timestamp', 'status'])
        .orderBy('timestamp')
        .execute();
      const { rows } = await sql<{ id: number }>`SELECT "id" FROM "written"`.execute(store.query);
      return { all, written: rows.map(({ id }) => all.find((one) => one.id === Number(id))!) };
    };

    const first = await late(28);
    assert.equal(first.all.filter(({ kind }) => kind !== 'start').length, said.length + 1);
    assert.deepEqual(first.written, [], 'all earlier notifications are unchanged');
    const second = await late(9);
    assert.deepEqual(
      second.written.map(({ kind, timestamp, status }) => [kind, timestamp, status]),
      [['start', at(9), 'valid']],
      'it set off a minute later than it seemed',
    );
  });

  test('several notifications of one time stay unchanged, in any order of their rows', async () => {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'newReading' }] });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    const readings = [1, 2, 3].map((value) => ({ timestamp: at(2), type: 'temperature', value }));
    await ingest.store(deviceId, { ...reportAt(0, 2, 4), readings }, at(4));
    const reported = () => store.query.selectFrom('notifications').select(['id', 'params']).orderBy('id').execute();
    const before = await reported();
    assert.equal(before.length, 3);
    // PostgreSQL writes a row that was changed behind the others, in its indexes too.
    for (const decidedAt of [at(3), at(2)])
      await store.query.updateTable('notifications').set({ decidedAt }).where('id', '=', before[0]!.id).execute();
    await ingest.store(deviceId, reportAt(1), at(5));
    await replay(store, rulesCache, deviceId, () => at(5));
    assert.deepEqual(await reported(), before);
  });

  test('follows positions that somebody stores and deletes by hand', async () => {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'newLoc' }] });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    await ingest.store(deviceId, reportAt(0, 2), at(2));
    const { ownerId } = await store.query.selectFrom('devices').select('ownerId').executeTakeFirstOrThrow();
    const call = (more: object) =>
      callOf({ userId: ownerId!, admin: false, tokenId: 0 }, { deviceId, now: at(3), ...more });
    const { createPoint, deletePoint } = points(store, { evaluateAgain: () => {} }).operations;
    const reported = async () => {
      await replay(store, rulesCache, deviceId, () => at(3));
      const valid = store.query.selectFrom('notifications').select('timestamp').where('status', '=', 'valid');
      return (await valid.orderBy('timestamp').execute()).map(({ timestamp }) => timestamp);
    };
    const body = { location: { lat: 0, lng: 0 }, timestamp: new Date(at(1)).toISOString() };
    const { id } = (await createPoint(call({ body }) as never)) as { id: number };
    assert.deepEqual(await reported(), [at(0), at(1), at(2)]);
    await deletePoint(call({ key: id }) as never);
    assert.deepEqual(await reported(), [at(0), at(2)]);
  });

  test('keeps the sentence that was sent, though another version words it differently or the device has another name', async () => {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'newLoc' }] });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    await ingest.store(deviceId, reportAt(0, 2), at(2));
    const sent = 'As an earlier version worded it';
    const reported = () =>
      store.query.selectFrom('notifications').select(['id', 'params']).orderBy('timestamp').execute();
    for (const { id, params } of await reported()) {
      const { meta, ...before } = JSON.parse(params);
      const worded = JSON.stringify({ ...before, message: sent, meta: { ...meta, deviceName: 'Old name' } });
      await store.query.updateTable('notifications').set({ params: worded }).where('id', '=', id).execute();
    }
    await ingest.store(deviceId, reportAt(1), at(3));
    await replay(store, rulesCache, deviceId, () => at(3));
    const messages = (await reported()).map(({ params }) => JSON.parse(params).message);
    assert.equal(messages.filter((message) => message === sent).length, 2);
    assert.equal(messages.length, 3);
  });

  test('keeps the sentence in the language of the user, for one notification and for many', async () => {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'newLoc' }] });
    await store.query.updateTable('users').set({ language: 'de' }).execute();
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    await ingest.store(deviceId, reportAt(0), at(0));
    await ingest.store(deviceId, reportAt(2, 4), at(4));
    const reported = async () =>
      (await store.query.selectFrom('notifications').select('params').orderBy('timestamp').execute()).map(
        ({ params }) => JSON.parse(params).sent,
      );
    const before = await reported();
    assert.equal(before.length, 3);
    for (const { language, units, sentence } of before) {
      assert.deepEqual([language, units], ['de', METRIC]);
      assert.match(sentence, /hat die Position gesendet/);
    }
    await store.query.updateTable('users').set({ language: 'fr' }).execute();
    await ingest.store(deviceId, reportAt(1), at(5));
    await replay(store, rulesCache, deviceId, () => at(5));
    const languages = (await reported()).map(({ language }) => language);
    assert.deepEqual(languages, ['de', 'fr', 'de', 'de']);
  });
});
