import assert from 'node:assert/strict';
import { test } from 'node:test';
import { setTimeout as pause } from 'node:timers/promises';
import fc from 'fast-check';
import type { Caller } from '../../calls.ts';
import { type EntryPart, positionOf, rangesBetween, textOfLanes } from '../../platform/live/log-position.ts';
import { insertOf, runRows } from '../../platform/storage/bulk.ts';
import { onBothEngines } from '../../testing/databases.ts';
import { Listener } from '../../testing/listening.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { watchfulLog } from '../../testing/watchful-log.ts';
import { deviceOperations } from '../devices/operations.ts';
import { shareOperations } from '../devices/shares.ts';
import { insertPositions } from '../positions/write.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { issueToken } from '../users/tokens.ts';
import { accessChanged, appendLiveEvents, type LiveEvent } from './append-live-events.ts';
import { forgetLiveEvents, liveLog, RESUMABLE_MS } from './log.ts';
import { type Live, type LiveOptions, startLive } from './streams.ts';

onBothEngines<Tables>('live streams', { migrations: MIGRATIONS }, (open) => {
  async function withLive(work: (store: Store, live: Live) => Promise<void>, options: Partial<LiveOptions> = {}) {
    const store = await open();
    const live = startLive(store, { log: watchfulLog, pollMs: 10, checkMs: 20, ...options });
    try {
      await work(store, live);
    } finally {
      await live.stop();
    }
  }

  async function signedIn(store: Store, email: string, admin = false): Promise<Caller> {
    const { userId } = await makeUser(store, email, admin);
    const { id } = await issueToken(store.query, { userId, kind: 'login', ttl: 3600 }, Date.now());
    return { userId, admin, tokenId: id };
  }

  const pointRow = (deviceId: number, at: number) => ({
    deviceId,
    created: at,
    timestamp: at,
    locationLat: 50,
    locationLng: 8,
    locationType: 'gps' as const,
  });

  /** Stores points of a device and appends their events in the same transaction. */
  async function report(store: Store, deviceId: number, count = 1, breaks: readonly number[] = []): Promise<void> {
    await store.transaction(async (tx) => {
      const rows = Array.from({ length: count }, (_, i) => pointRow(deviceId, NOW + i));
      const points = await insertPositions(tx, rows);
      for (const ms of breaks) await pause(ms);
      const event = { points, device: { lastConnection: NOW, moving: true } };
      await appendLiveEvents(tx, [{ kind: 'report', deviceId, event }], Date.now());
      for (const ms of breaks) await pause(ms);
    });
  }

  const shares = (store: Store) => {
    const follow = (tx: Parameters<typeof appendLiveEvents>[0], deviceId: number, userId: number, now: number) =>
      appendLiveEvents(tx, [accessChanged(deviceId, userId)], now);
    return shareOperations(store, { began: [follow], ended: [follow] });
  };

  async function share(store: Store, owner: Caller, deviceId: number, userId: number): Promise<number> {
    const body = { userId, rights: 'view' } as const;
    const call = callOf({ ...owner, admin: true }, { deviceId, body });
    const { id } = (await shares(store).createShare(call)) as { id: number };
    return id;
  }

  /** The place after the whole entry of an event. */
  const wholeOf = (id: string, { lane, index }: EntryPart) =>
    id.startsWith('v') ? id.slice(0, -`.${lane}.${index}`.length) : id.split('.')[0]!;

  const positionsOf = ({ received }: Listener) => received.filter(({ event }) => event === 'position');

  test('users who may see a device get each event once, and no other users do', async () => {
    await withLive(async (store, live) => {
      const [owner, viewer, stranger] = [
        await signedIn(store, 'owner@example.com'),
        await signedIn(store, 'viewer@example.com'),
        await signedIn(store, 'stranger@example.com'),
      ];
      const admin = await signedIn(store, 'admin@example.com', true);
      const device = await makeDevice(store, owner.userId);
      const other = await makeDevice(store, owner.userId);
      await share(store, owner, device, viewer.userId);
      const all = [owner, viewer, stranger, admin].map((who) => new Listener(live, who));
      const narrowed = new Listener(live, owner, { devices: [other] });
      for (const listener of [...all, narrowed]) await listener.ready();
      await report(store, device, 2);
      await report(store, other);
      const mine: LiveEvent = { kind: 'notification', deviceId: device, userId: viewer.userId, event: { id: 1 } };
      await store.transaction((tx) => appendLiveEvents(tx, [mine], NOW));
      const [ofOwner, ofViewer, ofStranger, ofAdmin] = all as [Listener, Listener, Listener, Listener];
      await ofAdmin.until(({ received }) => received.length >= 6);
      await ofViewer.until(({ received }) => received.length >= 4);
      await ofOwner.until(({ received }) => received.length >= 5);
      await narrowed.until(({ received }) => received.length >= 2);
      await pause(50);
      const names = (listener: Listener) => listener.received.map(({ event }) => event);
      assert.deepEqual(names(ofOwner), ['position', 'position', 'device', 'position', 'device']);
      assert.deepEqual(names(ofViewer), ['position', 'position', 'device', 'notification']);
      assert.deepEqual(names(ofStranger), []);
      // The order of events is that of their device, or slot; on SQLite it is one for all.
      const ofDevice = ofAdmin.received
        .filter(({ data }) => (data.deviceId ?? data.id) !== other)
        .map(({ event }) => event);
      assert.deepEqual(ofDevice, ['position', 'position', 'device', 'notification']);
      assert.equal(ofAdmin.received.length, 6);
      assert.deepEqual(names(narrowed), ['position', 'device']);
      const [first, , state] = ofOwner.received;
      assert.equal(first!.data.deviceId, device);
      assert.deepEqual(first!.data.location, { lat: 50, lng: 8 });
      assert.deepEqual(state!.data, { id: device, lastConnection: new Date(NOW).toISOString(), moving: true });
    });
  });

  test('a reading is sent once to users who see the gateway, the sensed device, or both', async () => {
    await withLive(async (store, live) => {
      const [one, two] = [await signedIn(store, 'one@example.com'), await signedIn(store, 'two@example.com')];
      const gateway = await makeDevice(store, one.userId);
      const tag = await makeDevice(store, two.userId);
      await share(store, two, tag, one.userId);
      const listeners = [one, two].map((who) => new Listener(live, who));
      for (const listener of listeners) await listener.ready();
      await store.transaction(async (tx) => {
        const insert = insertOf('gatewayReadings', {
          gatewayId: 'integer',
          deviceId: 'integer',
          timestamp: 'time',
          created: 'time',
          type: 'text',
          value: 'json',
          reporterId: 'integer',
        });
        const row = [gateway, tag, NOW, NOW, 'temp', '21.5', gateway];
        const readings = await runRows(tx, insert, [row]);
        const events: LiveEvent = { kind: 'report', deviceId: gateway, otherDeviceId: tag, event: { readings } };
        await appendLiveEvents(tx, [events], NOW);
      });
      for (const listener of listeners) await listener.until(({ received }) => received.length > 0);
      await pause(30);
      for (const { received } of listeners) {
        assert.deepEqual(
          received.map(({ event, data }) => [event, data.value, data.gatewayId, data.deviceId]),
          [['reading', 21.5, gateway, tag]],
        );
      }
    });
  });

  test('any interleaving of writes, breaks and resumes delivers each visible event once, in order', async () => {
    const place = await open.emptyPlace();
    const store = await open.at(place);
    // On PostgreSQL a second node writes and serves beside the first.
    const stores = store.dialect.name === 'postgres' ? [store, await open.at(place)] : [store];
    const lives = stores.map((on) => startLive(on, { log: watchfulLog, pollMs: 5 }));
    const owner = await signedIn(store, 'owner@example.com');
    const other = await signedIn(store, 'other@example.com');
    const visible = await makeDevice(store, owner.userId);
    const shared = await makeDevice(store, other.userId);
    const hidden = await makeDevice(store, other.userId);
    await share(store, other, shared, owner.userId);
    const devices = [visible, shared, hidden];
    const log = liveLog(store);

    const action = fc.oneof(
      {
        weight: 4,
        arbitrary: fc.record({
          do: fc.constant('write' as const),
          node: fc.nat(1),
          device: fc.nat(2),
          count: fc.integer({ min: 1, max: 4 }),
          breaks: fc.array(fc.nat(3), { maxLength: 2 }),
        }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('break' as const), after: fc.nat(5) }) },
      {
        weight: 2,
        arbitrary: fc.record({ do: fc.constant('resume' as const), node: fc.nat(1), slow: fc.nat(3) }),
      },
      { weight: 1, arbitrary: fc.record({ do: fc.constant('wait' as const), ms: fc.nat(8) }) },
    );

    try {
      await fc.assert(
        fc.asyncProperty(fc.array(action, { minLength: 3, maxLength: 25 }), async (actions) => {
          const start = await log.head();
          let lastId = textOfLanes(start);
          let listener: Listener | undefined;
          const received: Listener['received'] = [];
          const writes: Promise<void>[] = [];
          const hangUp = () => {
            if (listener === undefined) return;
            listener.close();
            received.push(...listener.received);
            lastId = listener.lastId || lastId;
            listener = undefined;
          };
          for (const one of actions) {
            if (one.do === 'write') {
              const on = stores[one.node % stores.length]!;
              writes.push(report(on, devices[one.device]!, one.count, one.breaks));
            } else if (one.do === 'resume') {
              hangUp();
              listener = new Listener(lives[one.node % lives.length]!, owner, { after: lastId }, one.slow);
            } else if (one.do === 'break') {
              const { length } = listener?.received ?? [];
              for (let i = 0; i < 20 && listener && listener.received.length < length + one.after; i++) await pause(1);
              hangUp();
            } else await pause(one.ms);
          }
          await Promise.all(writes);
          hangUp();
          const entries = await log.read(rangesBetween(start, await log.head(), Number.POSITIVE_INFINITY), 1e6);
          const expected = entries
            .filter(({ deviceId }) => deviceId !== hidden)
            .flatMap(({ lane, id, event }) => {
              const { points } = JSON.parse(event) as { points: number[] };
              return [
                ...points.map((point, index) => `${lane}: ${id}.${index} position ${point}`),
                `${lane}: ${id}.${points.length} device`,
              ];
            });
          const last = new Listener(lives[0]!, owner, { after: lastId });
          await last.until((now) => received.length + now.received.length >= expected.length, 'the rest');
          await pause(10);
          last.close();
          received.push(...last.received);
          const events = received.map(({ id, event, data }) => {
            const { lane, entry, index } = positionOf(id, log.lanes)!.part!;
            return `${lane}: ${entry}.${index} ${event === 'position' ? `position ${data.id}` : event}`;
          });
          for (let lane = 0; lane < log.lanes; lane++) {
            const inLane = (text: string) => text.startsWith(`${lane}: `);
            assert.deepEqual(events.filter(inLane), expected.filter(inLane));
          }
          assert.equal(events.length, expected.length);
        }),
        // A case that fails waits for minutes, so smaller ones are not looked for.
        { numRuns: 40, endOnFailure: true },
      );
    } finally {
      for (const live of lives) await live.stop();
    }
  });

  test('a long absence is caught up with whole, however slowly it is read', async () => {
    await withLive(async (store, live) => {
      const owner = await signedIn(store, 'owner@example.com');
      const device = await makeDevice(store, owner.userId);
      const noise = await makeDevice(store, (await signedIn(store, 'noise@example.com')).userId);
      await store.transaction((tx) =>
        appendLiveEvents(
          tx,
          Array.from({ length: 1200 }, (_, i) => ({
            kind: 'report',
            deviceId: i % 3 ? noise : device,
            event: { device: { batteryPct: i } },
          })),
          NOW,
        ),
      );
      await report(store, device, 500);
      const listener = new Listener(live, owner, { after: '0' }, 7);
      await listener.until(({ received }) => received.length >= 400 + 501);
      assert.equal(positionsOf(listener).length, 500);
      assert.deepEqual(
        listener.received.slice(0, 400).map(({ data }) => data.batteryPct),
        Array.from({ length: 400 }, (_, i) => 3 * i),
      );
    });
  });

  const hasMessage = ({ received }: Listener) => received.some(({ event }) => event === 'message');

  async function appendMessage(store: Store, deviceId: number): Promise<void> {
    await store.transaction((tx) => appendLiveEvents(tx, [{ kind: 'message', deviceId, event: { id: 1 } }], NOW));
  }

  test('a reader that stalls for a moment loses nothing of a burst', async () => {
    await withLive(
      async (store, live) => {
        const owner = await signedIn(store, 'owner@example.com');
        const device = await makeDevice(store, owner.userId);
        const listener = new Listener(live, owner);
        await listener.ready();
        listener.isStalled = true;
        for (let i = 0; i < 10; i++) await report(store, device, 100);
        await appendMessage(store, device);
        listener.recover();
        await listener.until(hasMessage);
        assert.equal(positionsOf(listener).length, 1000);
      },
      { patienceMs: 3_600_000 },
    );
  });

  test('a reader that stays behind gets the newest', async () => {
    await withLive(
      async (store, live) => {
        const owner = await signedIn(store, 'owner@example.com');
        const device = await makeDevice(store, owner.userId);
        const listener = new Listener(live, owner);
        await listener.ready();
        listener.isStalled = true;
        await report(store, device, 1000);
        for (let i = 0; i < 20; i++) {
          await report(store, device, 100);
          // Another reader got it, so it was sent to all of them.
          const other = new Listener(live, owner);
          await other.ready();
          await appendMessage(store, device);
          await other.until(hasMessage);
        }
        listener.recover();
        await listener.until(hasMessage);
        const events = positionsOf(listener).map(({ data }) => data.id);
        const newest = await store.query
          .selectFrom('points')
          .select((of) => of.fn.max('id').as('id'))
          .executeTakeFirstOrThrow();
        assert.equal(events.at(-1), newest.id, 'the newest');
        assert.ok(events.length < 1000, `${events.length} of 3000 positions`);
        assert.deepEqual(
          events,
          events.toSorted((a, b) => a - b),
        );
        assert.equal(listener.isEnded, false);
      },
      { patienceMs: 0 },
    );
  });

  test('a share that ends, ends the device in the stream at once; the rest goes on', async () => {
    await withLive(async (store, live) => {
      const [owner, viewer] = [await signedIn(store, 'owner@example.com'), await signedIn(store, 'viewer@example.com')];
      const device = await makeDevice(store, owner.userId);
      const own = await makeDevice(store, viewer.userId);
      const shareId = await share(store, owner, device, viewer.userId);
      const [all, one] = [new Listener(live, viewer), new Listener(live, viewer, { devices: [device] })];
      for (const listener of [all, one]) await listener.ready();
      await report(store, device);
      for (const listener of [all, one]) await listener.until(({ received }) => received.length === 2);
      await shares(store).deleteShare(callOf(owner, { deviceId: device, key: shareId }));
      await report(store, device);
      await report(store, own);
      await all.until(({ received }) => received.length === 5);
      await one.until(({ isEnded }) => isEnded);
      assert.deepEqual(
        all.received.slice(2).map(({ event, data }) => [event, data]),
        [
          ['access', { deviceId: device, right: null }],
          ['position', all.received[3]!.data],
          ['device', all.received[4]!.data],
        ],
      );
      assert.equal(all.received[3]!.data.deviceId, own);
      assert.deepEqual(one.received.at(-1)!.data, { deviceId: device, right: null });
      // A reader that resumes from before the end does not see the device either.
      const again = new Listener(live, viewer, { after: '0' });
      await again.until(({ received }) => received.some(({ event }) => event === 'position'));
      assert.deepEqual([...new Set(positionsOf(again).map(({ data }) => data.deviceId))], [own]);
      await assert.rejects(live.admit(viewer, [device]), { statusCode: 404 });
      // Shared again, the device is reported again.
      await share(store, owner, device, viewer.userId);
      await report(store, device);
      await all.until(({ received }) => received.length === 8);
      assert.deepEqual(all.received[5]!.data, { deviceId: device, right: 'view' });
    });
  });

  test('a device that is deleted ends for all, and comes back when it is restored', async () => {
    await withLive(async (store, live) => {
      const owner = await signedIn(store, 'owner@example.com');
      const device = await makeDevice(store, owner.userId);
      const operations = deviceOperations(store, {}, testVault);
      const listener = new Listener(live, owner);
      await listener.ready();
      await operations.deleteDevice(callOf(owner, { deviceId: device }));
      await report(store, device);
      await operations.restoreDevice(callOf(owner, { key: device }));
      await report(store, device);
      await listener.until(({ received }) => received.some(({ event }) => event === 'position'));
      const accesses = listener.received.filter(({ event }) => event === 'access').map(({ data }) => data.right);
      assert.equal(accesses.at(-1), 'own');
    });
  });

  test('a token that ends, ends its streams and no others', async () => {
    await withLive(async (store, live) => {
      const owner = await signedIn(store, 'owner@example.com');
      const { id } = await issueToken(store.query, { userId: owner.userId, kind: 'login', ttl: 3600 }, Date.now());
      const listeners = [new Listener(live, owner), new Listener(live, { ...owner, tokenId: id })];
      for (const listener of listeners) await listener.ready();
      await store.query.deleteFrom('tokens').where('id', '=', owner.tokenId).execute();
      await listeners[0]!.until(({ isEnded }) => isEnded);
      assert.equal(listeners[1]!.isEnded, false);
    });
  });

  test('beyond what is kept, and at places that never were, there is one reset; what follows is sent', async () => {
    await withLive(async (store, live) => {
      const owner = await signedIn(store, 'owner@example.com');
      const device = await makeDevice(store, owner.userId);
      const early = new Listener(live, owner);
      await early.ready();
      await report(store, device, 3);
      await early.until(({ received }) => received.length === 4);
      early.close();
      const partly = early.received[1]!.id;
      assert.equal(await forgetLiveEvents(store, Date.now()), 0);
      await store.query
        .updateTable('liveEvents')
        .set({ created: Date.now() - RESUMABLE_MS - 1000 })
        .execute();
      await report(store, device);
      assert.equal(await forgetLiveEvents(store, Date.now(), 2), 1);
      for (const after of ['0', partly, '999999', 'nonsense', '-1', '1e3']) {
        const late = new Listener(live, owner, { after });
        await late.until(({ received }) => received.length > 0);
        await report(store, device);
        await late.until(({ received }) => received.length === 3, after);
        assert.deepEqual(
          late.received.map(({ event }) => event),
          ['reset', 'position', 'device'],
          after,
        );
        late.close();
      }
      // A reader that had received all deleted events has lost nothing.
      const { part } = positionOf(early.lastId, liveLog(store).lanes)!;
      const whole = new Listener(live, owner, { after: wholeOf(early.lastId, part!) });
      await whole.until(({ received }) => received.length === 2 * 7);
      assert.ok(whole.received.every(({ event }) => event !== 'reset'));
    });
  });

  test('the place in the log is sent without events, so a quiet stream never falls behind', async () => {
    await withLive(
      async (store, live) => {
        const owner = await signedIn(store, 'owner@example.com');
        const noise = await makeDevice(store, (await signedIn(store, 'noise@example.com')).userId);
        const quiet = new Listener(live, owner);
        await quiet.ready();
        for (let i = 0; i < 3; i++) await report(store, noise);
        const head = textOfLanes(await liveLog(store).head());
        await quiet.until(({ lastId }) => lastId === head);
        assert.deepEqual(quiet.received, []);
      },
      { beatMs: 20 },
    );
  });

  test('streams are bounded in number, for each user and in all, and end when the server stops', async () => {
    await withLive(
      async (store, live) => {
        const [one, two] = [await signedIn(store, 'one@example.com'), await signedIn(store, 'two@example.com')];
        const listeners = [1, 2].map(() => new Listener(live, one));
        await assert.rejects(live.admit(one, undefined), { statusCode: 429 });
        await live.admit(two, undefined);
        listeners.push(new Listener(live, two));
        await assert.rejects(live.admit(two, undefined), { statusCode: 429 });
        listeners[0]!.close();
        await live.admit(one, undefined);
        await live.stop();
        assert.ok(listeners.every(({ isEnded }) => isEnded));
      },
      { perUser: 2, inAll: 3 },
    );
  });
});
