import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import { onBothEngines } from '../../../testing/databases.ts';
import { Listener } from '../../../testing/listening.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { watchfulLog } from '../../../testing/watchful-log.ts';
import { deviceAccess } from '../../devices/access.ts';
import { startLive } from '../../live/streams.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { issueToken } from '../../users/tokens.ts';
import { points } from '../api/points.ts';
import { Pipeline } from '../pipeline.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from './rules-cache.ts';

const MINUTE = 60_000;
const WINDOW_MS = 30 * 86_400_000;

onBothEngines<Tables>('live events of the path of a fix', { migrations: MIGRATIONS }, (open) => {
  test('corrections are published: late findings and retractions', async () => {
    const store = await open();
    const { userId } = await makeUser(store, 'owner@example.com');
    const { id: tokenId } = await issueToken(store.query, { userId, kind: 'login', ttl: 3600 }, Date.now());
    const owner = { userId, admin: false, tokenId };
    const deviceId = await makeDevice(store, userId);
    await triggerOperations(store, deviceAccess(store), () => undefined).createNotificationTrigger(
      callOf(owner, {
        deviceId,
        body: { type: 'button', name: 'Help', muteFor: 0, parameters: {}, delivery: {} },
      }),
    );
    const live = startLive(store, { log: watchfulLog, pollMs: 10 });
    try {
      const listener = new Listener(live, owner);
      await listener.ready();
      const rulesCache = new RulesCache(store, WINDOW_MS);
      const now = NOW + 60 * MINUTE;
      const ingest = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: live.wake, lateDataOf: () => {} });
      const press = (minutes: number) =>
        ingest.store(
          deviceId,
          {
            points: [{ timestamp: NOW + minutes * MINUTE, location: { lat: 50, lng: 8 }, accuracyM: 5, alertType: 8 }],
            readings: [],
            gatewayReadings: [],
            messages: [{ message: `pressed at ${minutes}` }],
          },
          now,
        );
      const notices = () =>
        listener.received
          .filter(({ event }) => event === 'notification' || event === 'retraction')
          .map(({ event, data }) => (event === 'notification' ? [event, data.timestamp, data.late] : [event, data.id]));
      const iso = (minutes: number) => new Date(NOW + minutes * MINUTE).toISOString();

      await press(30);
      await listener.until(() => notices().length === 1);
      await press(20);
      await replay(store, rulesCache, deviceId, () => now);
      await listener.until(() => notices().length === 2);
      const last = listener.received.filter(({ event }) => event === 'position').at(-1)!;
      const late = listener.received.filter(({ event }) => event === 'notification').at(-1)!;
      await points(store, { evaluateAgain: () => {} }).operations.deletePoint(
        callOf(owner, { deviceId, key: last.data.id }),
      );
      await replay(store, rulesCache, deviceId, () => now);
      await listener.until(() => notices().length === 3);
      await pause(30);
      assert.deepEqual(notices(), [
        ['notification', iso(30), false],
        ['notification', iso(20), true],
        ['retraction', late.data.id],
      ]);
      assert.deepEqual(
        listener.received.filter(({ event }) => event === 'message').map(({ data }) => data.message),
        ['pressed at 30', 'pressed at 20'],
      );
      await ingest.stop();
    } finally {
      await live.stop();
    }
  });
});
