import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { storePositions } from '../../testing/positions.ts';
import { rightsEnded } from '../history/rights-ending.ts';
import { planOperations } from '../plans/operations.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { UNLIMITED } from '../users/quotas.ts';
import { claimDevice, RECORDED, STAYING } from './claim.ts';
import type { ShareFollower } from './grants.ts';
import { shareOperations } from './shares.ts';

onEitherEngine<Tables>('claiming', { migrations: MIGRATIONS }, (open) => {
  async function setting(claimable: 'no' | 'yes' | 'keepHistory') {
    const store: Store = await open();
    const followEnded: ShareFollower = (tx, deviceId, userId, now) => rightsEnded(tx, { deviceId, userId }, now);
    const followers = {
      began: [],
      ended: [followEnded],
    };
    const admin = await makeUser(store, 'admin@example.com', true);
    const users = [await makeUser(store, 'one@example.com'), await makeUser(store, 'two@example.com')];
    const deviceId = await makeDevice(store, admin.userId, { serial: 'S1', name: 'Van' });
    await store.query.updateTable('devices').set({ claimable }).where('id', '=', deviceId).execute();
    const claim = (who: number, serial = 'S1', quotas = UNLIMITED, now = NOW) =>
      claimDevice({ store, followers, rightsEnded, quotas }, callOf(users[who]!, { now }), serial);
    const owner = async () =>
      (await store.query.selectFrom('devices').select('ownerId').where('id', '=', deviceId).executeTakeFirstOrThrow())
        .ownerId;
    const count = async (table: 'points' | 'shares' | 'notificationTriggers' | 'forwarders' | 'liveEvents') =>
      Number(
        (
          await store.query
            .selectFrom(table)
            .select((of) => of.fn.countAll<number>().as('n'))
            .executeTakeFirstOrThrow()
        ).n,
      );
    return { store, followers, admin, users, deviceId, claim, owner, count };
  }

  /** What the former owner has on the device. */
  async function use({ store, followers, admin, users, deviceId }: Awaited<ReturnType<typeof setting>>): Promise<void> {
    const at = { deviceId, timestamp: NOW, created: NOW };
    for (let index = 0; index < 3; index++)
      await storePositions(store, { ...at, timestamp: NOW + index, locationType: 'gps' });
    await shareOperations(store, followers).createShare(
      callOf(admin, { deviceId, body: { userId: users[1]!.userId, rights: 'manage' } }),
    );
    const trigger = { name: 'T', type: 'speed', muteFor: 0, parameters: '{}', delivery: '{}', deviceId };
    for (const userId of [admin.userId, users[1]!.userId])
      await store.query
        .insertInto('notificationTriggers')
        .values({ ...trigger, userId } as never)
        .execute();
    await sql`INSERT INTO "forwarders" ("deviceId", "userId", "kind", "target", "types", "origin", "status", "created")
      VALUES (${deviceId}, ${admin.userId}, 'http', 'https://example.com', '[]', 'api', '', ${NOW})`.execute(
      store.query,
    );
    const plans = planOperations(store, { usersMayBuy: true });
    const { id: planId } = (await plans.createPlan(callOf(admin, { body: { name: 'basic', days: 10 } }))) as {
      id: number;
    };
    await plans.createPlanCredit(callOf(admin, { body: { planId, count: 1 } }));
  }

  test('gives the device to one of two users, without what was recorded and what rested on rights', async () => {
    const scene = await setting('yes');
    const { store, users, deviceId, claim, owner, count } = scene;
    await use(scene);
    const results = await Promise.allSettled([claim(0), claim(1)]);
    const winners = results.flatMap(({ status }, index) => (status === 'fulfilled' ? [users[index]!.userId] : []));
    assert.deepEqual([await owner()], winners, 'one gets it');
    for (const table of ['points', 'shares', 'notificationTriggers', 'forwarders'] as const)
      assert.equal(await count(table), 0, table);
    const device = await store.query
      .selectFrom('devices')
      .select(['name', 'claimable', 'keyHash'])
      .where('id', '=', deviceId)
      .executeTakeFirstOrThrow();
    assert.deepEqual([device.name, device.claimable], ['Van', 'no']);
    assert.ok(device.keyHash, 'the key is in the hardware');
    const events = await store.query.selectFrom('deviceEvents').select('type').execute();
    assert.deepEqual(
      events.map(({ type }) => type),
      ['activation/claimed'],
    );
    const again = users.findIndex(({ userId }) => userId === winners[0]);
    assert.equal(await claim(again), deviceId, 'what is theirs already stays theirs');
  });

  test('keeps the history where the admin said so', async () => {
    const scene = await setting('keepHistory');
    await use(scene);
    await scene.claim(0);
    assert.deepEqual([await scene.owner(), await scene.count('points')], [scene.users[0]!.userId, 3]);
  });

  test('refuses everything else by one sentence, and then for a while', async () => {
    const scene = await setting('no');
    const { store, users, admin, claim, owner } = scene;
    await makeDevice(store, users[1]!.userId, { serial: 'S2' });
    await store.query.updateTable('devices').set({ claimable: 'yes' }).where('serial', '=', 'S2').execute();
    const sentences = new Set<string>();
    for (const serial of ['S1', 'S2', 'unknown'])
      await assert.rejects(claim(0, serial), (error: Error & { statusCode: number }) => {
        sentences.add(error.message);
        return error.statusCode === 400;
      });
    assert.equal(sentences.size, 1);
    for (let tried = 3; tried < 10; tried++) await assert.rejects(claim(0, 'guess'), { statusCode: 400 });
    await store.query.updateTable('devices').set({ claimable: 'yes' }).where('serial', '=', 'S1').execute();
    await assert.rejects(claim(0), { statusCode: 429 });
    await assert.rejects(claim(1, 'S1', { ...UNLIMITED, devices: 1 }), { statusCode: 403 });
    assert.equal(await owner(), admin.userId);
    const failures = await store.query.selectFrom('passwordFailures').select('account').distinct().execute();
    assert.deepEqual(
      failures.map(({ account }) => account),
      [`claim:user:${users[0]!.userId}`],
      'separately from log-ins',
    );
  });

  test('every table that names a device is forgotten, or stays for a reason', async () => {
    const store: Store = await open();
    const tables =
      store.dialect.name === 'sqlite'
        ? await sql<{ table: string; column: string }>`SELECT m."name" AS "table", c."name" AS "column"
            FROM sqlite_master m, pragma_table_info(m."name") c WHERE m."type" IN ('table', 'view')`.execute(
            store.query,
          )
        : await sql<{ table: string; column: string }>`SELECT table_name AS "table", column_name AS "column"
            FROM information_schema.columns WHERE table_schema = current_schema()
              AND NOT EXISTS (SELECT 1 FROM pg_class WHERE oid = CAST(quote_ident(table_name) AS regclass) AND relispartition)`.execute(
            store.query,
          );
    const naming = new Set(
      tables.rows.flatMap(({ table, column }) => (/^(deviceId|gatewayId)$/.test(column) ? [table] : [])),
    );
    assert.deepEqual([...naming].sort(), [...Object.keys(RECORDED), ...STAYING].sort());
  });
});
