import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onBothEngines } from '../../../testing/databases.ts';
import { citusUrl } from '../../../testing/storage/citus-places.ts';
import { at, minutes, reportAt, watchedDevice } from '../../../testing/watched-device.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { Intake } from '../intake/intake.ts';
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

onBothEngines<Tables>('what a replay finds again', { migrations: MIGRATIONS }, (open) => {
  // What is written is counted by a trigger of the database, which Citus has none of.
  const skip = citusUrl() !== undefined;
  test('is written only where it is not as it was', { skip }, async () => {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'newLoc' }, { type: 'motionStart' }] });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Intake(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, late: () => {} });
    const said = minutes(0, 30).filter((minute) => minute !== 9 && minute !== 28);
    for (const minute of said) await ingest.store(deviceId, reportAt(minute), at(minute));
    for (const statement of WATCH[store.storeKind]) await sql.raw(statement).execute(store.query);
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
    assert.deepEqual(first.written, [], 'all that was told before is as it was');
    const second = await late(9);
    assert.deepEqual(
      second.written.map(({ kind, timestamp, status }) => [kind, timestamp, status]),
      [['start', at(9), 'valid']],
      'it set off a minute later than it seemed',
    );
  });

  test('several of one instant stay as they were told, wherever their rows lie', async () => {
    const store: Store = await open();
    const deviceId = await watchedDevice(store, { triggers: [{ type: 'newReading' }] });
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const ingest = new Intake(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, late: () => {} });
    const readings = [1, 2, 3].map((value) => ({ timestamp: at(2), type: 'temperature', value }));
    await ingest.store(deviceId, { ...reportAt(0, 2, 4), readings }, at(4));
    const told = () => store.query.selectFrom('notifications').select(['id', 'params']).orderBy('id').execute();
    const before = await told();
    assert.equal(before.length, 3);
    // PostgreSQL writes a row that was changed behind the others, in its indexes too.
    for (const decidedAt of [at(3), at(2)])
      await store.query.updateTable('notifications').set({ decidedAt }).where('id', '=', before[0]!.id).execute();
    await ingest.store(deviceId, reportAt(1), at(5));
    await replay(store, rulesCache, deviceId, () => at(5));
    assert.deepEqual(await told(), before);
  });
});
