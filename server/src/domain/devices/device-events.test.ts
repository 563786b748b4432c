import assert from 'node:assert/strict';
import { test } from 'node:test';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeDevice, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { forgetDeviceEvents, recordDeviceEvent } from './device-events.ts';

const YEAR_MS = 365 * 86_400_000;

onEitherEngine<Tables>('events of devices', { migrations: MIGRATIONS }, (open) => {
  test('are recorded with their cause, in texts, and kept for a year', async () => {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const deviceId = await makeDevice(store, userId);
    await store.query.deleteFrom('deviceEvents').execute();
    const now = Date.now();
    const meta = { planId: 3, plan: 'Standard', orderPlanId: null };
    const started = { deviceId, type: 'plans/started', description: 'The plan Standard began.', meta } as const;
    await store.transaction((tx) => recordDeviceEvent(tx, started, now - 5));
    const undone = store.transaction(async (tx) => {
      await recordDeviceEvent(tx, { ...started, type: 'plans/ended' }, now);
      throw new Error('undone');
    });
    await assert.rejects(undone, /undone/);
    const [event, ...others] = await store.query.selectFrom('deviceEvents').selectAll().execute();
    assert.deepEqual(others, []);
    assert.deepEqual(
      [event?.type, event?.at, JSON.parse(event!.meta)],
      ['plans/started', now - 5, { planId: '3', plan: 'Standard' }],
    );
    assert.ok(event!.recordedAt >= now, 'by the clock of the transaction');
    await forgetDeviceEvents(store, event!.recordedAt + YEAR_MS);
    assert.equal((await store.query.selectFrom('deviceEvents').selectAll().execute()).length, 1);
    await forgetDeviceEvents(store, event!.recordedAt + YEAR_MS + 1);
    assert.equal((await store.query.selectFrom('deviceEvents').selectAll().execute()).length, 0);
  });
});
