import assert from 'node:assert/strict';
import { test } from 'node:test';
import { sql } from 'kysely';
import { INSERT as INSERT_DELIVERY } from '../../platform/outbox/post.ts';
import type { IdsQuery, RowsQuery, RowsStatement } from '../../platform/storage/bulk.ts';
import { textFor } from '../../platform/storage/dialect.ts';
import { numberPlaceholders } from '../../platform/storage/run-sql.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { citusUrl } from '../../testing/storage/citus-places.ts';
import { assertIndexed, statementText } from '../../testing/storage/query-plan.ts';
import { testVault } from '../../testing/vault.ts';
import { pendingConfig, pendingMessages } from '../commands/pending.ts';
import { trackerCommands } from '../commands/tracker-commands.ts';
import { INSERT as INSERT_RELAYED } from '../delivery/outbox-relay.ts';
import { deviceAccess } from '../devices/access.ts';
import { deviceKeys } from '../devices/device-keys.ts';
import { knownTrackers } from '../devices/known-trackers.ts';
import { LOG } from '../live/append-live-events.ts';
import { liveLog } from '../live/log.ts';
import { INSERT_AGAIN, INSERT_READINGS } from '../positions/over-readings.ts';
import { INSERT as INSERT_POSITION, INSERT_WITH_ID, UPDATE as UPDATE_POSITION } from '../positions/write.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { authenticator } from '../users/tokens.ts';
import { FIND_KNOWN, REMEMBER } from './intake/keep-once.ts';
import { UPDATE as UPDATE_CONNECTION } from './intake/last-connection.ts';
import { FIND_MEASURED } from './intake/sensors.ts';
import { STAGE } from './relay-readings.ts';
import { LOCK_REPORTING, LOCK_STATES, READ_STATES, SAVE, SAVE_WITH_MARKS } from './state/lock-state.ts';
import { SHOW } from './state/own-fences.ts';
import { NOTE } from './state/place-due.ts';
import { CORRECT, FIRED, INSERT as INSERT_NOTIFICATION, RETRACT } from './state/record-notification.ts';
import { SAVE_CHECKPOINT } from './state/save-state.ts';

type Statement = RowsStatement | RowsQuery | IdsQuery;

const STATE_KEY = /SEARCH (s|deviceStates) USING INTEGER PRIMARY KEY|deviceStates_(deviceId|pkey)/;

/** What finds rows, and the index that it uses on each database. */
const SEARCHES: readonly (readonly [name: string, statement: Statement, index: RegExp])[] = [
  ['lock states', LOCK_STATES, STATE_KEY],
  ['lock reporting states', LOCK_REPORTING, STATE_KEY],
  ['lock reporting states: messages', LOCK_REPORTING, /messages_waiting/],
  ['lock reporting states: settings', LOCK_REPORTING, /deviceConfigs_deviceId/],
  ['read states', READ_STATES, STATE_KEY],
  ['save states', SAVE, STATE_KEY],
  ['save states with marks', SAVE_WITH_MARKS, STATE_KEY],
  ['update connection', UPDATE_CONNECTION, /INTEGER PRIMARY KEY|devices_(id|pkey)/],
  ['find received items', FIND_KNOWN, /receivedItems_(1|pkey)/],
  ['find measurements', FIND_MEASURED, /gatewayReadings_device|gatewayReadings_gateway_type/],
  ['update position', UPDATE_POSITION, /INTEGER PRIMARY KEY|positions_/],
  ['update trigger', FIRED, /INTEGER PRIMARY KEY|notificationTriggers_/],
  ['correct notification', CORRECT, /INTEGER PRIMARY KEY|notifications_/],
  ['retract notification', RETRACT, /INTEGER PRIMARY KEY|notifications_/],
  ['show geofence', SHOW, /INTEGER PRIMARY KEY|geofences_pkey/],
];

const INSERTS: Readonly<Record<string, Statement>> = {
  INSERT_POSITION,
  INSERT_WITH_ID,
  INSERT_READINGS,
  INSERT_AGAIN,
  INSERT_NOTIFICATION,
  INSERT_RELAYED,
  INSERT_DELIVERY,
  SAVE_CHECKPOINT,
  REMEMBER,
  STAGE,
  NOTE,
  LIVE_LOG: { ...LOG.postgres, sqlite: LOG.sqlite.sqlite },
};

/** What prepares statements for each report, request or live event. */
const PREPARING: readonly ((store: Store) => unknown)[] = [
  (store) => deviceKeys(store, testVault),
  knownTrackers,
  (store) => pendingMessages(store, testVault),
  pendingConfig,
  trackerCommands,
  (store) => authenticator(store),
  deviceAccess,
  liveLog,
];

/** Prepared statements by their names. */
function preparedBy(store: Store): ReadonlyMap<string, string> {
  const texts = new Map<string, string>();
  const prepare: Store['prepare'] = (name, sql) => {
    texts.set(name, textFor(store.dialect, sql));
    return store.prepare(name, sql);
  };
  for (const start of PREPARING) start({ ...store, prepare });
  return texts;
}

/** A report costs the same however many rows the tables have. */
onBothEngines<Tables>('the statements that store and evaluate reports', { migrations: MIGRATIONS }, (open) => {
  // A setting of a transaction does not apply where Citus runs its tasks.
  const skip = citusUrl() !== undefined;

  test('find their rows by the intended index', { skip }, async () => {
    const store = await open();
    for (const [name, statement, index] of SEARCHES)
      await assertIndexed(store, name, statementText(store.dialect.name, statement), { index });
    for (const [name, statement] of Object.entries(INSERTS))
      await assertIndexed(store, name, statementText(store.dialect.name, statement));
  });

  test('prepared statements read no table whole', { skip }, async () => {
    const store = await open();
    const texts = preparedBy(store);
    assert.ok(texts.size > 15, 'they are found');
    // A few users are read at once, to find the admins among them.
    const users = Array.from({ length: 1000 }, (_, n) => ({ email: `${n}@a.example`, passwordHash: '', created: 1 }));
    await store.query
      .insertInto('users')
      .values(users as never)
      .execute();
    await sql`ANALYZE "users"`.execute(store.query);
    // The slots are read together: they are 64 rows, or one value.
    for (const [name, text] of [...texts].filter(([name]) => name !== 'live.slots'))
      await assertIndexed(store, name, store.dialect.pick({ sqlite: text, postgres: numberPlaceholders(text) }), {
        parameters: Array.from(text.match(/\?/g) ?? [], () => '1'),
      });
  });

  test('a missing index is noticed', { skip }, async () => {
    const store = await open();
    const text = statementText(store.dialect.name, FIND_MEASURED);
    for (const index of ['device_timestamp', 'drivers', 'device_gateway'])
      await sql`DROP INDEX ${sql.id(`gatewayReadings_${index}`)}`.execute(store.query);
    await assert.rejects(assertIndexed(store, 'find measurements', text, { index: /gatewayReadings_device/ }));
  });
});
