import assert from 'node:assert/strict';
import { before, test } from 'node:test';
import { sql } from 'kysely';
import { timeNow } from '../../platform/clock.ts';
import { checksumOf } from '../../platform/storage/migrations.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { NOW } from '../../testing/people.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { makeMonths } from '../positions/segment-months.ts';
import { MIGRATIONS } from './migrations.ts';
import type { Store, Tables } from './tables.ts';

/**
 * Databases exist that were made by these texts, so they never change: a start would refuse such a database. A new
 * migration adds its line; a line that is here stays as it is.
 */
const LANDED: readonly (readonly [name: string, checksum: string, onPostgres?: string])[] = [
  ['0001-foundation', '63c9cf14157fe87e79e60dc1fc4bdda0b01d6e2456f83d644ee0042a6760d4a8'],
  ['0002-path-of-a-fix', '8e22b60c2fa38da490b9b63e82b1a9d9806c73c4b6a5b999048cf2eea86ba387'],
  ['0003-live', '048ab139a672097664bfb355c64985d07ac7c56bae795c473bc8f608e76a1d4f'],
  ['0004-outbox', '04b5467db0420414386dd8a827c4246fd1321fcf677d61ac9882e2edb6387985'],
  ['0005-in-hand', 'e703ea11eeab20cbafac340056c768f5da2032947bff5697f11fcadb9fb26984'],
  ['0006-words', '67fa7ac809bc48a6296c9245d9d8b72eb3450b2f91791ceba74d13c556fd047b'],
  ['0007-fired-occasions', '5c3e31ca9afb924fb2ce22d899fa041b03bed0b00dd673c7b5fde4e0b9ca7429'],
  ['0008-device-secret', '24689107baa47194cc59c17ccda4686c3b2b2df8b30308e9b89b1bf0a8ba62c3'],
  ['0009-channels', 'd71c3554067c0d18b19498f1fcec099072a77205f048a496ad0007683bdda256'],
  ['0010-forwarder-status', '2f6b444a15a17e3be47e32744127163d996d8a1c6f26402ce32494f884161c69'],
  ['0011-audit', '3d237dc109c3db4e9dcf627ef4ad6c7aa0f385cd054a73912d4c7744bc03759c'],
  ['0012-rights', '5bc79f4c29582b3dbeacddb8cdfb48d3102f46a99237031c6b59635b78598f52'],
  ['0013-mail', 'ae62b9a57bab1e814bd91c1105c7613cd1e6251206fc85fc91c8648f97a17b5a'],
  ['0014-kept-once', '0a5a5ba8e3b1b3f743557b1a2aed0f2c94dad2bd58292b25dc16a8756513b005'],
  ['0015-doors', '9681448c100e8a4d52d4499f9b341c0c6fa7aaf549f3f5869502660132b23a67'],
  ['0016-password-guard', 'f918731b50bf5ad9a926de1d9cd2715a4c8a9b97a2bf4e1901e14fadac3fd47b'],
  ['0017-rest', 'c0f4b6f050a5af9af5d7e3a02c78993c2e74192866faf68a537f8288b8011e62'],
  ['0018-audit-view', '89b69b102e18c79008ebf5404329661c664a155365b86270acfbab1750cbf4c2'],
  ['0019-sign-in', 'c9d0d1d32c5f96fe68803764304eb80d431480ad853d3c51276441022a3bc526'],
  ['0020-queue-proof', '5fae334e31ace48ae4f5124dd2087f073a795667432da18c04d865ae78135569'],
  ['0021-published-fields', 'dc1ae793105f6fa2330b70729c785163f8a17a3f4e328852cffa1b897f0f98a7'],
  ['0022-geofence-lists', '354e847567443e83598295f612b4cb97f412a4c68879f03e3bfc8d29e3695f3d'],
  ['0023-commands', '88803286ea5c0ce3e3db5ec27f39f7e6e48785f4ec324564ef29d5be9135060f'],
  ['0024-device-events', '32c4db709a7d2a95734fb44c8673949e88d52306aa698ca37febe6c1a1332aff'],
  ['0025-credit-numbers', 'ee86b713cee0796fd71f37f15c6849c62e14657f965d49aafb321d15b0a68c9c'],
  ['0026-listeners', '08f700f1ac4bb6613bfe0741cfe6713b9d5a4f45819f1f94229e4b50035e9992'],
  ['0028-old-tokens', 'd7df7b97bf3b4fd6a982a5233490a1693de4003441d6fb0f5be375611cff1b36'],
  ['0029-trackers', 'd2cc1874f1c5346f109379bd4a2e196ab97b895513e5c7ab1e2bddcd8ec16095'],
  ['0030-trip-tracks', 'c1164548734e99c7153d4eba3d27e7a0b502c5e79b9be66c136a2b0ed96a0bed'],
  ['0031-names-and-refreshes', 'a65fbc33ec9f2b1d64ef2f2391999f073aec56247e92c15e577b39b18becfb27'],
  ['0032-tag-places', 'e72dbfb4f5565c7e30f336869ad0c1236a243a1623d18578e60392844ecdd4ef'],
  ['0034-nodes', 'e0e0e74d4a3e1e28b0cc0e2c0536b086ca4c11f8d92c2716b98341221fdd575a'],
  [
    '0035-slots',
    '32c6a7089da61d23038795f3f5bb7e0135d6fa634047537d35534b7be773cd1b',
    '381f7b61de02b69f617846eff978173be54ec1e5575cd1e240212731e7836865',
  ],
  ['0036-place-since', '59408967ede46cdac5d5bb0e69a0cb32db89b9f488290f4fbf3b49fb24f3ad79'],
  [
    '0039-slot-clocks',
    '4146cc3c32bdffa49fecd752139c29c4e96f9fca0a8258d8b9de9645a27dc8f2',
    'f4ada98c613a6f74b679182f66449dee946efbd42fbfd18e20234033527d0a15',
  ],
  ['0042-groups-and-rules', '9cfd0d37a59515068c1a550281c0ac7be9275e427c50e90a8cfb653cf12ce41a'],
  ['0043-watching', '18aba47b13feb50de47e33144ef8360c918919c5e5273f664e23a0ef6509b838'],
  ['0044-links', 'ca4436820363bc323d5a816723db02f2aa7b91937649d9386ffff4e66fb1297e'],
  ['0046-languages', '84981b085111056c5aecda10ad74fd2329db2961a1e498a0770acf3f5fc51d95'],
  ['0047-saved-views', 'a2d485958c686e1dec183e1b7836b0aced02cf8b8d9fca13cd6d7ee3baa261be'],
  ['0048-history-imports', '60d3345f0930ffd9a3df0f4e6306fc3d0c0577d6f14ae1a54fd29e05cc61db28'],
  ['0050-saved-reports', '4583ac98e27b12aab512c112b018f235ab8e770748bfe4cdd38f3cf4a1c1c446'],
  ['0052-maintenance', 'd4b8a934211b87da60d34fc1d2785a6931c144cd415dd3a17e92f21d1cf17300'],
  ['0053-drivers', '8bb3b1baa4a04a8388c4a6e2a3b0cd276f62382dbca061b2d37f302005c674b8'],
  [
    '0055-slim-positions',
    'cfbcf9b33580b769aedffe3044174d89f21390be9a4d3a9ad7ff646abdd36121',
    '52a6ced5f1de2b64f5733342a1bfb9ec7d07121ac1a2254fddf15c9d053032ed',
  ],
  [
    '0057-segments',
    'b9ff21926dece229d9499cc02d8ff8cdeb51983f77b98513befd3e3253a56506',
    'a710a90dbd5c157e92a51bad4ce5138388fafdffaaa32eff6cc80873e154eacb',
  ],
  ['0059-erasures', '930118e00b29c7b9533e98009109d4c20f3b2a18bbab0eb5a48c1a7cc8578d4f'],
  [
    '0060-slot-keys',
    'de10e2730477816042b53990582c32fff5dec7796b730cb87913668f2b7e81a1',
    '6cea9303839c82f2459a0bb42c567e7bada72d0c066574c8702fb7a942f7817f',
  ],
  ['0064-group-links', '1abb964fd233fec56c4fb1e2d30a7c96e03758fa769467565a9cf0c464683d33'],
  ['0067-retention', '2c28d9b71a0fc72a51702a50e035dee14e448bdfdba3624f9853dc29a7ff3434'],
  [
    '0068-reading-segments',
    'c6901e57eb6ea51e14dc45003a21ef33e23d930de7e9b1032a88438aebeed06c',
    '5cc3985491d419b56b761ed6a5f5ca7c39828b8fd879d6a01377ffe433fd4b10',
  ],
  ['0071-report-days', '091021cab1617e32cc7823eafe25e50eba3f4c3c2d26591da140adc5b63f2a71'],
  [
    '0072-outgoing',
    '783664bff4d61b5c1121c6e10972884eaa4896f273ff07ee751be17186e914b8',
    '90f3fc83c31779cb3d548eeeae36775966ef37ec3c27e1ac0e202098b2edbb4d',
  ],
  [
    '0073-kept-readings',
    'dbd9dad7e2debfed1dc1acf505035f5fb4505ea39b3f666373259f888ef958a9',
    '0da1e94725b33d2dd0fe094cb6448a1aafda5680b4091b7faf4b8b8ffe4e9ef4',
  ],
  [
    '0074-segment-months',
    'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    '9c3a7630a28d24e69ef37e0cbea85926c26846d8a3397490db63532de2ccc656',
  ],
  [
    '0075-fence-checks',
    '2908932d9b6d3387a8f673ed34f843803013b4cfd74ab0cdc4a222208be4cc09',
    'b2ee6fb6deb82a0cdc50d808e59d0faae94b585d535aef357b7c4ffb19269c31',
  ],
];

test('no migration changes after it has landed', () => {
  for (const storeKind of ['sqlite', 'postgres'] as const)
    assert.deepEqual(
      MIGRATIONS.map((migration) => [migration.name, checksumOf(storeKind, migration)]),
      LANDED.map(([name, checksum, onPostgres = checksum]) => [name, storeKind === 'sqlite' ? checksum : onPostgres]),
    );
});

const STATE = '{"at":1,"order":"1","fences":{},"triggers":{},"day":{"date":"","km":0}}';

/** The time of a clock that is wrong. */
const FAR = Date.parse('2100-01-01T00:00:00.000Z');

/** Rows as the program of that time wrote them, by the migration that made their tables. */
const ROWS: Readonly<Record<string, readonly string[]>> = {
  '0001-foundation': [
    `INSERT INTO "users" ("id", "email", "passwordHash", "created", "username") VALUES
      (1, 'jane@example.com', 'hash', ${NOW}, 'Jo'), (2, 'joe@example.com', 'hash', ${NOW}, 'JO')`,
    `INSERT INTO "devices" ("id", "name", "ownerId", "firstSeen") VALUES (7, 'Van', 1, ${NOW}), (8, 'Trailer', 1, ${NOW})`,
    `INSERT INTO "shares" ("id", "deviceId", "userId", "email", "rights", "created")
      VALUES (9, 7, 2, 'joe@example.com', 'manage', ${NOW})`,
    `INSERT INTO "points" ("deviceId", "timestamp", "locationLat", "locationLng", "locationType", "created")
      VALUES (7, ${NOW}, 46.5, 11.25, 'gps', ${NOW})`,
    `INSERT INTO "geofences" ("id", "name", "centerLat", "centerLng", "radius", "userId") VALUES (3, 'Depot', 46.5, 11.25, 100, 1)`,
    `INSERT INTO "notificationTriggers" ("id", "name", "type", "parameters", "muteFor", "delivery", "deviceId", "userId")
      VALUES (5, 'Near', 'proximity', '{"deviceId":8}', 0, '{}', 7, 1)`,
    `INSERT INTO "plans" ("id", "name", "days") VALUES (1, 'basic', 30), (2, 'large', 30)`,
    `INSERT INTO "planCredits" ("id", "userId", "planId", "count", "origin", "created")
      VALUES (1, 1, 1, 1, 'bought', ${NOW}), (2, 2, 1, 5, 'bought', ${NOW}), (4, 1, 2, 3, 'bought', ${NOW}),
      (7, 1, 1, 4, 'allocated', ${NOW})`,
    `INSERT INTO "gatewayReadings" ("timestamp", "created", "type", "value", "gatewayId", "deviceId") VALUES
      (${NOW}, ${NOW}, 'temp', '20', 7, 8), (${NOW}, ${NOW}, 'temp', '21', NULL, 8), (${NOW}, ${NOW}, 'ble_seen', '1', 7, NULL)`,
    `INSERT INTO "subscriptions" ("id", "deviceId", "userId", "planId", "start", "end")
      VALUES (1, 7, 1, 1, ${NOW}, ${NOW}), (2, 7, 1, 2, ${NOW}, ${NOW}), (3, 8, 1, 1, ${NOW}, ${NOW}), (5, 8, 2, 1, ${NOW}, ${NOW}),
      (6, 7, 1, 1, ${NOW}, ${NOW})`,
  ],
  '0002-path-of-a-fix': [
    `UPDATE "deviceStates" SET "form" = 3, "state" = '${STATE}', "newest" = ${NOW}, "dirtyFrom" = ${NOW - 1000},
      "appends" = 12, "dueAt" = ${NOW + 5000}, "heardAt" = ${NOW} WHERE "deviceId" = 7`,
    `INSERT INTO "fenceBooks" ("userId", "changes") VALUES (1, 4)`,
    `INSERT INTO "notifications" ("created", "timestamp", "decidedAt", "params", "explanation", "deviceId", "userId",
      "triggerId", "triggerVersion", "kind", "status")
      VALUES (${NOW}, ${NOW}, ${NOW}, '{}', '{}', 7, 1, 5, 0, 'near', 'valid')`,
  ],
  '0003-live': [
    `INSERT INTO "liveEvents" ("created", "deviceId", "kind", "event") VALUES (${NOW}, 7, 'heard', '{"points":[1]}')`,
  ],
  '0004-outbox': [
    `INSERT INTO "destinations" ("id", "kind", "target", "userId", "created")
      VALUES (2, 'http', 'https://example.com/hook', 1, ${NOW})`,
    `INSERT INTO "outbox" ("messageId", "destinationId", "userId", "channel", "what", "content", "state", "created",
      "nextAt", "expires") VALUES ('m1', 2, 1, 'http', 'notification', '{}', 'queued', ${NOW}, ${NOW}, ${NOW})`,
    `INSERT INTO "queueHolders" ("arn", "userId", "created") VALUES ('arn:aws:sqs:eu-west-1:123456789012:q', 1, ${NOW})`,
  ],
  '0005-in-hand': [
    `UPDATE "deviceStates" SET "inHandFrom" = ${NOW - 2000}, "inHandBy" = 'other', "inHandUntil" = ${NOW + 1000}
      WHERE "deviceId" = 7`,
    `INSERT INTO "nearnesses" ("triggerId", "otherDeviceId", "since") VALUES (5, 8, ${NOW})`,
  ],
  '0057-segments': [
    `INSERT INTO "segments" ("slot", "deviceId", "first", "last", "count", "lowId", "highId", "firstCreated",
      "lastCreated", "data") VALUES (7, 7, ${NOW - 1000}, ${NOW}, 2, 1, 2, ${NOW}, ${NOW}, ''),
      (7, 7, ${FAR}, ${FAR}, 1, 3, 3, ${NOW}, ${NOW}, '')`,
  ],
};

/** Rows of SQLite have no prototype. */
const plain = (rows: readonly object[]) => rows.map((row) => ({ ...row }));

/** What must still be there, by the migration that made its table. */
const KEPT: Readonly<Record<string, (store: Store) => Promise<unknown>>> = {
  '0001-foundation': async ({ query }) => {
    const devices = await query.selectFrom('devices').select(['id', 'name', 'ownerId']).orderBy('id').execute();
    assert.deepEqual(plain(devices), [
      { id: 7, name: 'Van', ownerId: 1 },
      { id: 8, name: 'Trailer', ownerId: 1 },
    ]);
    const [point] = await query.selectFrom('points').selectAll().execute();
    assert.deepEqual([point?.deviceId, point?.timestamp, point?.locationLat], [7, NOW, 46.5]);
    assert.equal((await query.selectFrom('geofences').select('id').executeTakeFirst())?.id, 3);
    assert.equal((await query.selectFrom('notificationTriggers').select('id').executeTakeFirst())?.id, 5);
    const readings = await query
      .selectFrom('gatewayReadings')
      .select(['id', 'value', 'keptBy', 'gatewayId', 'deviceId'])
      .orderBy('id')
      .execute();
    assert.deepEqual(
      readings.map((row) => Object.values(row)),
      [
        [1, '20', 7, 7, 8],
        [2, '21', 8, null, 8],
        [3, '1', 7, 7, null],
      ],
      'who told a reading keeps it',
    );
    const { id: next } = await query
      .insertInto('gatewayReadings')
      .values({
        ...{ timestamp: NOW, created: NOW, type: 'temp', value: '1', hash: null },
        gatewayId: 7,
        deviceId: 9,
        keptBy: 7,
      })
      .returning('id')
      .executeTakeFirstOrThrow();
    assert.equal(next, 4, 'ids go on');
    const states = await query.selectFrom('deviceStates').select('deviceId').orderBy('deviceId').execute();
    assert.deepEqual(plain(states), [{ deviceId: 7 }, { deviceId: 8 }], 'each device has its state');
    const users = await query.selectFrom('users').select('emailConfirmedAt').execute();
    assert.deepEqual(
      plain(users),
      [{ emailConfirmedAt: NOW }, { emailConfirmedAt: NOW }],
      'who was there is confirmed',
    );
    const names = await query.selectFrom('users').select(['username', 'usernameClash']).orderBy('id').execute();
    assert.deepEqual(
      plain(names),
      [
        { username: 'Jo', usernameClash: 0 },
        { username: 'JO', usernameClash: 1 },
      ],
      'names that differ by case only are kept, and marked',
    );
    const of = ['id', 'deviceId', 'userId', 'email', 'rights', 'created', 'holderId'] as const;
    const [grant] = await query.selectFrom('shareGrants').select(of).execute();
    assert.deepEqual(
      { ...grant },
      { id: 9, deviceId: 7, userId: 2, email: 'joe@example.com', rights: 'manage', created: NOW, holderId: 2 },
      'a share keeps its id',
    );
    const shares = await query.selectFrom('shares').select(['deviceId', 'userId', 'rights']).execute();
    assert.deepEqual(plain(shares), [{ deviceId: 7, userId: 2, rights: 'manage' }]);
    const credits = await query.selectFrom('planCredits').select(['id', 'firstNumber']).orderBy('id').execute();
    assert.deepEqual(
      credits.map(({ id, firstNumber }) => [id, firstNumber]),
      [
        [1, 1],
        [2, 2],
        [4, 7],
        [7, 10],
      ],
      'credits are numbered in the order of ids',
    );
    const used = await query.selectFrom('subscriptions').select('creditNumber').orderBy('id').execute();
    assert.deepEqual(
      used.map(({ creditNumber }) => creditNumber),
      [1, 7, 10, 2, 11],
      'each user took theirs from the oldest row on',
    );
    assert.equal((await query.selectFrom('creditNumbers').select('next').executeTakeFirst())?.next, 14);
  },
  '0002-path-of-a-fix': async ({ query }) => {
    const state = await query
      .selectFrom('deviceStates')
      .select(['form', 'state', 'newest', 'lateFrom', 'writes', 'dueAt', 'heardAt'])
      .where('deviceId', '=', 7)
      .executeTakeFirst();
    const marks = { lateFrom: NOW - 1000, writes: 12, dueAt: NOW + 5000, heardAt: NOW };
    assert.deepEqual({ ...state }, { form: 3, state: STATE, newest: NOW, ...marks });
    assert.deepEqual(plain(await query.selectFrom('userFences').selectAll().execute()), [
      { userId: 1, changes: 4, listensUntil: null },
    ]);
    assert.equal((await query.selectFrom('notifications').selectAll().execute()).length, 1);
  },
  '0003-live': async ({ query }) =>
    assert.equal((await query.selectFrom('liveEvents').selectAll().execute())[0]?.event, '{"points":[1]}'),
  '0004-outbox': async ({ query }) => {
    assert.equal((await query.selectFrom('destinations').selectAll().execute())[0]?.target, 'https://example.com/hook');
    assert.equal((await query.selectFrom('outbox').selectAll().execute())[0]?.messageId, 'm1');
    const [queue] = await query.selectFrom('queueHolders').selectAll().execute();
    assert.deepEqual([queue?.userId, queue?.provenAt], [1, NOW], 'who used a queue before keeps it');
  },
  '0005-in-hand': async ({ query }) => {
    const lease = await query
      .selectFrom('deviceStates')
      .select(['replayFrom', 'replayBy', 'replayUntil'])
      .where('deviceId', '=', 7)
      .executeTakeFirst();
    assert.deepEqual({ ...lease }, { replayFrom: NOW - 2000, replayBy: 'other', replayUntil: NOW + 1000 });
    const proximities = await query.selectFrom('proximities').selectAll().execute();
    assert.deepEqual(plain(proximities), [{ triggerId: 5, otherDeviceId: 8, since: NOW }]);
  },
  '0057-segments': async (store) => {
    const { query } = store;
    const segments = query.selectFrom('segments').select(['id', 'slot', 'deviceId', 'first', 'count']);
    assert.deepEqual(plain(await segments.orderBy('first').execute()), [
      { id: 1, slot: 7, deviceId: 7, first: NOW - 1000, count: 2 },
      { id: 2, slot: 7, deviceId: 7, first: FAR, count: 1 },
    ]);
    await makeMonths(store, timeNow());
    const { id, ...row } = await query.selectFrom('segments').selectAll().limit(1).executeTakeFirstOrThrow();
    const added = await query
      .insertInto('segments')
      .values({ ...row, first: NOW - 5000 })
      .returning('id')
      .executeTakeFirstOrThrow();
    assert.ok(added.id > 2 && id < added.id, 'ids count on');
  },
};

onBothEngines<Tables>('a database of an earlier version', { migrations: MIGRATIONS }, (open) => {
  const earlier = MIGRATIONS.slice(0, -1).map(({ name }) => name);
  /** Tables are spread from the version on that says where they are; those before it are as on one server. */
  const first = citusUrl() === undefined ? 0 : MIGRATIONS.findIndex(({ placements }) => placements !== undefined);
  /** A database of each version, with its rows. */
  const places = new Map<string, string>();

  before(async () => {
    const growing = await open.emptyPlace();
    for (const [index, name] of earlier.entries()) {
      const store = await open.at(growing, { migrations: MIGRATIONS.slice(0, index + 1) });
      for (const row of ROWS[name] ?? []) await sql.raw(row).execute(store.query);
      await sql`ALTER TABLE migrations DROP COLUMN checksum`.execute(store.query);
      await store.close();
      if (index >= first) places.set(name, await open.copyOf(growing));
    }
  });

  for (const [last, name] of earlier.entries()) {
    if (last < first) continue;
    test(`of ${name} keeps its data`, async () => {
      const store = await open.at(places.get(name)!);
      for (const one of earlier.slice(0, last + 1)) await KEPT[one]?.(store);
    });
  }
});
