import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Report, ReportedMessage } from '../../../reports.ts';
import { onEitherEngine } from '../../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW } from '../../../testing/people.ts';
import { relayStaged } from '../../../testing/relay-staged.ts';
import { commitCutter } from '../../../testing/storage/commit-cutter.ts';
import { deviceAccess } from '../../devices/access.ts';
import { MIGRATIONS } from '../../schema/migrations.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import { triggerOperations } from '../../triggers/operations.ts';
import { Pipeline } from '../pipeline.ts';
import { replay } from '../replay/replay.ts';
import { RulesCache } from '../state/rules-cache.ts';
import { forgetReceivedItems } from './keep-once.ts';

const WINDOW_MS = 30 * 86_400_000;
const MINUTE_MS = 60_000;
const DAY_MS = 24 * 60 * MINUTE_MS;
const HOOK = 'https://example.com/hook';

/** What a device sends, as a listener would hand it on at a moment. */
interface Words {
  readonly id?: string;
  readonly points?: readonly { readonly at?: number; readonly lat: number }[];
  readonly readings?: readonly { readonly at?: number; readonly value: number }[];
  readonly messages?: readonly ReportedMessage[];
  readonly unreadable?: readonly string[];
}

function reportOf(words: Words, now: number): Report {
  const timed = ({ at }: { readonly at?: number }) => ({ timestamp: at ?? now, isTimeAssumed: at === undefined });
  return {
    points: (words.points ?? []).map((one) => ({ ...timed(one), location: { lat: one.lat, lng: 8 } })),
    readings: (words.readings ?? []).map((one) => ({ ...timed(one), type: 'temp', value: one.value })),
    gatewayReadings: [],
    messages: words.messages ?? [],
    unreadable: (words.unreadable ?? []).map((item) => ({ item, reason: 'cannot be read' })),
    ...(words.id !== undefined && { id: words.id }),
    asSent: () => JSON.stringify(words),
  };
}

/** All that is stored of devices, and all that follows from it, without ids and times of reception. */
async function kept(store: Store) {
  await relayStaged(store);
  const { query } = store;
  const points = await query.selectFrom('points').select(['deviceId', 'locationLat']).execute();
  const readings = await query.selectFrom('gatewayReadings').select(['deviceId', 'value']).execute();
  const messages = await query.selectFrom('messages').select(['deviceId', 'message', 'config']).execute();
  const quarantined = await query.selectFrom('quarantine').select(['deviceId', 'list', 'report']).execute();
  const notifications = await query.selectFrom('notifications').select(['deviceId', 'kind']).execute();
  const outbox = await query.selectFrom('outbox').select('state').execute();
  const sorted = (rows: readonly object[]) => rows.map((row) => JSON.stringify(row)).sort();
  return {
    points: sorted(points),
    readings: sorted(readings),
    messages: sorted(messages),
    // An item with an assumed time bears another one each time.
    quarantined: sorted(
      quarantined.map((row) => ({ ...row, report: row.report.replaceAll(/"timestamp": ?\d+/g, '') })),
    ),
    notifications: sorted(notifications),
    outbox: sorted(outbox),
  };
}

onEitherEngine<Tables>('what a device sends again', { migrations: MIGRATIONS }, (open) => {
  async function setting(opened?: Store) {
    const store: Store = opened ?? (await open());
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van' });
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined);
    const body = { type: 'newMsg', parameters: { endpoint: HOOK }, delivery: { http: true }, muteFor: 0 };
    await triggers.createNotificationTrigger(callOf(owner, { deviceId, body }));
    const rulesCache = new RulesCache(store, WINDOW_MS);
    const intake = new Pipeline(store, rulesCache, { windowMs: WINDOW_MS, publish: () => {}, lateDataOf: () => {} });
    const report = (words: Words, now = NOW) => intake.store(deviceId, reportOf(words, now), now);
    /** What came late, or together with others, is evaluated too. */
    const evaluated = async () => {
      for (let open = true; open; ) {
        const outcome = await replay(store, rulesCache, deviceId, () => NOW + DAY_MS);
        open = outcome === 'overtaken' || outcome?.isOpen === true;
      }
      return kept(store);
    };
    return { report, kept: evaluated };
  }

  const MIXED: Words = {
    points: [{ at: NOW - 1000, lat: 50 }, { lat: 51 }, { at: NOW + DAY_MS, lat: 52 }, { lat: 99 }],
    readings: [{ value: 21 }],
    messages: [{ message: 'sos' }],
    unreadable: ['#!'],
  };

  test('is kept once: messages, items without a time, and what is quarantined', async () => {
    const { report, kept } = await setting();
    const first = await report(MIXED);
    assert.equal(first?.accepted, 4);
    const once = await kept();
    assert.deepEqual([once.messages.length, once.notifications.length, once.outbox.length], [1, 1, 1]);
    assert.deepEqual([once.points.length, once.readings.length, once.quarantined.length], [2, 1, 3]);
    const again = await report(MIXED, NOW + DAY_MS / 2);
    assert.deepEqual([again?.accepted, again?.duplicates, again?.quarantined.length], [0, 4, 3]);
    await Promise.all([report(MIXED, NOW + 2000), report(MIXED, NOW + 2000)]);
    assert.deepEqual(await kept(), once);
  });

  test('is distinguished from a new item with the same content by its report, its time or its number', async () => {
    const { report, kept } = await setting();
    const sos = { message: 'sos' };
    await report({ messages: [sos, sos] });
    await report({ messages: [sos], points: [{ at: NOW, lat: 50 }] }, NOW + 1000);
    await report({ messages: [sos], points: [{ at: NOW + 2000, lat: 50 }] }, NOW + 2000);
    await report({ messages: [sos], id: '7' }, NOW + 3000);
    await report({ messages: [sos], id: '8' }, NOW + 4000);
    await report({ messages: [{ ...sos, timestamp: NOW }] }, NOW + 5000);
    await report({ messages: [{ ...sos, timestamp: NOW + 1 }] }, NOW + 6000);
    assert.equal((await kept()).messages.length, 8);
    // Known by its own time, in whatever report it comes.
    await report({ messages: [{ ...sos, timestamp: NOW }, { message: 'more' }], id: '9' }, NOW + 7000);
    assert.equal((await kept()).messages.length, 9);
  });

  test('is new after a while where nothing in the report says when or which it is', async () => {
    const { report, kept } = await setting();
    const bare = { messages: [{ message: 'sos' }], readings: [{ value: 21 }] };
    const count = async () => [(await kept()).messages.length, (await kept()).readings.length];
    await report(bare, NOW);
    await report(bare, NOW + MINUTE_MS);
    assert.deepEqual(await count(), [1, 1]);
    await report(bare, NOW + 3 * MINUTE_MS);
    assert.deepEqual(await count(), [1, 2]);
    await report(bare, NOW + 61 * MINUTE_MS);
    assert.deepEqual(await count(), [2, 3]);
    const numbered = { ...bare, id: '17' };
    await report(numbered, NOW + 1);
    await report(numbered, NOW + 29 * DAY_MS);
    assert.deepEqual(await count(), [3, 4]);
  });

  test('is forgotten when it would be taken for new anyway', async () => {
    const store = await open();
    const { report } = await setting(store);
    await report(MIXED);
    const count = async () => (await store.query.selectFrom('receivedItems').selectAll().execute()).length;
    assert.equal(await count(), 6);
    await forgetReceivedItems(store, NOW + 29 * DAY_MS);
    assert.equal(await count(), 6);
    await forgetReceivedItems(store, NOW + 31 * DAY_MS);
    assert.equal(await count(), 0);
  });

  test('writes nothing more where every item bears its own time', async () => {
    const store = await open();
    const { report } = await setting(store);
    const timed = { points: [{ at: NOW, lat: 50 }], readings: [{ at: NOW, value: 3 }] };
    await report(timed);
    await report(timed);
    assert.deepEqual(await store.query.selectFrom('receivedItems').selectAll().execute(), []);
  });

  test('changes nothing, however often, in whatever order and company', async () => {
    for (let seed = 1; seed <= 5; seed++) {
      const random = randomOf(seed);
      const reports = Array.from({ length: 12 }, (_, number): Words => {
        const some = <T>(make: (index: number) => T) =>
          Array.from({ length: Math.floor(random() * 3) }, (_, i) => make(i));
        return {
          id: String(number),
          points: some((i) => ({
            ...(random() < 0.6 && { at: NOW - number * MINUTE_MS - i * 1000 - 500 + (random() < 0.2 ? DAY_MS : 0) }),
            lat: random() < 0.2 ? 99 : 50 + number / 1000,
          })),
          readings: some((i) => ({
            ...(random() < 0.5 && { at: NOW - number * MINUTE_MS - i * 1000 - 500 }),
            value: number,
          })),
          messages: some((i) => ({ message: 'sos', ...(random() < 0.5 && { timestamp: NOW - number * 1000 - i }) })),
          unreadable: some(() => '#!'),
        };
      });
      const once = await setting();
      for (const [index, words] of reports.entries()) await once.report(words, NOW + index);
      const often = await setting();
      const unsent = [...reports];
      const sent: Words[] = [];
      for (let now = NOW; unsent.length > 0; now += 1000) {
        const group: Words[] = [];
        do {
          const isNew = sent.length === 0 || random() < 0.5;
          const next = isNew
            ? unsent.splice(Math.floor(random() * unsent.length), 1)[0]
            : sent[Math.floor(random() * sent.length)];
          if (next === undefined) break;
          group.push(next);
          sent.push(next);
        } while (random() < 0.6);
        await Promise.all(group.map((words) => often.report(words, now)));
      }
      assert.deepEqual(await often.kept(), await once.kept(), `seed ${seed}`);
    }
  });

  if (open.storeKind === 'postgres')
    test('after the answer to a commit was lost is kept once', async () => {
      const cutter = await commitCutter(await open.emptyPlace());
      try {
        const { report, kept } = await setting(await open.at(cutter.url));
        const reports = [
          { ...MIXED, id: '1' },
          { messages: [{ message: 'two' }], id: '2' },
          { readings: [{ value: 3 }], id: '3' },
        ];
        cutter.cuts = 1;
        // One group: its commit is done, but it is not acknowledged, so every device sends its report again.
        const refused = await Promise.allSettled(reports.map((words) => report(words)));
        assert.equal(cutter.done, 1, 'no commit was cut');
        assert.ok(refused.some(({ status }) => status === 'rejected'));
        for (const words of reports) await report(words);
        const found = await kept();
        assert.deepEqual([found.messages.length, found.notifications.length, found.outbox.length], [2, 2, 2]);
        assert.deepEqual([found.points.length, found.readings.length, found.quarantined.length], [2, 2, 3]);
      } finally {
        await cutter.close();
      }
    });
});

/** Mulberry32: small, and the same everywhere. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4294967296;
  };
}
