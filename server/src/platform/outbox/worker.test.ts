import assert from 'node:assert/strict';
import { afterEach, test } from 'node:test';
import { MIGRATIONS } from '../../domain/schema/migrations.ts';
import type { Store, Tables } from '../../domain/schema/tables.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { makeUser, NOW } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { createLog } from '../log.ts';
import { createVault, newKey } from '../vault.ts';
import type { SendOutcome } from './channel.ts';
import { makeSecret, sealSecrets } from './destinations.ts';
import { PATIENCE_MS, type Posting, post } from './post.ts';
import { DOWN, REFUSED, ScriptedChannel, SENT } from './testing/scripted-channel.ts';
import { type Outbox, type OutboxOptions, startOutbox } from './worker.ts';

const SECOND_MS = 1000;
const MINUTE_MS = 60 * SECOND_MS;
const log = createLog('silent');

onEitherEngine<Tables>('the outbox', { migrations: MIGRATIONS }, (open) => {
  const running = new Set<Outbox>();
  afterEach(async () => {
    await Promise.all([...running].map((outbox) => outbox.stop()));
    running.clear();
  });

  /** One user, one channel, and a clock that goes only when a test says so. */
  async function setting(channel = new ScriptedChannel()) {
    const store: Store = await open();
    const { userId } = await makeUser(store, 'a@example.com');
    const clock = { now: NOW };
    const start = async (over: Partial<OutboxOptions> = {}, by = channel): Promise<Outbox> => {
      const options = { log, vault: testVault, now: () => clock.now, random: () => 0.5, pollMs: 600_000, ...over };
      const outbox = await startOutbox(store, { http: by }, options);
      running.add(outbox);
      await outbox.idle();
      return outbox;
    };
    const posting = (text: string, more: Partial<Posting> = {}): Posting => ({
      kind: 'http',
      target: 'a',
      ownerId: userId,
      userId,
      deviceId: 1,
      address: null,
      what: 'newLoc',
      content: { text, type: 'text/plain' },
      ...more,
    });
    const postAll = (...postings: Posting[]) => store.transaction((tx) => post(tx, postings, clock.now));
    const settled = async (outbox: Outbox) => {
      outbox.wake();
      await outbox.idle();
    };
    const pass = async (outbox: Outbox, ms: number) => {
      clock.now += ms;
      await settled(outbox);
    };
    const rows = () => store.query.selectFrom('outbox').selectAll().orderBy('id').execute();
    const states = async () => (await rows()).map(({ state }) => state);
    const destination = async (target = 'a') =>
      store.query.selectFrom('destinations').selectAll().where('target', '=', target).executeTakeFirstOrThrow();
    return { store, channel, clock, start, posting, postAll, settled, pass, rows, states, destination };
  }
  const numbered = (count: number) => Array.from({ length: count }, (_, i) => `${i}`);

  test('what cannot be signed, since the key of its secret is missing, waits until it can be', async () => {
    const { store, channel, clock, start, posting, postAll, pass, rows, destination } = await setting();
    await postAll(posting('a'));
    const { id } = await destination();
    const other = createVault([newKey()]);
    const secrets = sealSecrets(other, id, [{ secret: makeSecret(), until: null }]);
    await store.query.updateTable('destinations').set({ secrets }).where('id', '=', id).execute();
    const outbox = await start();
    for (let hour = 0; hour < 24; hour++) await pass(outbox, 3_600_000);
    assert.deepEqual(channel.texts(), [], 'nothing goes out unsigned');
    const [row] = await rows();
    assert.equal(row!.state, 'queued');
    assert.match(row!.reason!, /key/);
    await outbox.stop();
    clock.now += 3_600_000;
    await start({ vault: other });
    assert.deepEqual(channel.texts(), ['a']);
  });

  test('what is posted is sent, once, and recorded', async () => {
    const { channel, start, posting, postAll, settled, rows, destination } = await setting();
    const outbox = await start();
    await postAll(...numbered(500).map((text, i) => posting(text, { deviceId: i % 50 })));
    await settled(outbox);
    assert.deepEqual(channel.texts().sort(), numbered(500).sort());
    for (const { state, attempts, ended, reason } of await rows()) {
      assert.deepEqual([state, attempts, ended, reason], ['sent', 1, NOW, null]);
    }
    const { state, lastSuccess, leaseOwner } = await destination();
    assert.deepEqual([state, lastSuccess, leaseOwner], ['up', NOW, null]);
    assert.equal(channel.most, 4, 'with as many at a time as the channel says');
  });

  test('what one device caused arrives in order, while nothing fails', async () => {
    const { channel, start, posting, postAll, settled } = await setting(new ScriptedChannel({ batch: 10 }));
    const outbox = await start();
    await postAll(...numbered(300).map((text, i) => posting(text, { deviceId: i % 3 })));
    await settled(outbox);
    for (const group of ['device-0', 'device-1', 'device-2']) {
      const texts = channel.attempts.filter((attempt) => attempt.group === group).map(({ text }) => Number(text));
      assert.deepEqual(
        texts,
        texts.toSorted((a, b) => a - b),
      );
      assert.equal(texts.length, 100);
    }
  });

  test('a destination that is down is tried with its oldest row alone, less and less often, then all goes out', async () => {
    const { channel, start, posting, postAll, settled, pass, rows, destination } = await setting();
    channel.answer = () => DOWN;
    await postAll(posting('0'));
    const outbox = await start();
    assert.deepEqual(channel.texts(), ['0']);
    await postAll(...numbered(100).map((text) => posting(`later ${text}`)));
    await settled(outbox);
    assert.deepEqual(channel.texts(), ['0'], 'those behind wait');
    const rests = [5, 30, 60, 120, 300, 300];
    for (const [i, seconds] of rests.entries()) {
      await pass(outbox, seconds * SECOND_MS - 1);
      assert.equal(channel.attempts.length, i + 1, `not before ${seconds} s have passed`);
      await pass(outbox, 1);
      assert.deepEqual(channel.texts(), Array(i + 2).fill('0'));
    }
    const fallen = await destination();
    assert.deepEqual([fallen.state, fallen.failures, fallen.downSince], ['down', 7, NOW]);
    assert.equal(fallen.lastError, 'no connection');
    const waiting = await rows();
    assert.equal(waiting[0]!.attempts, 7);
    assert.deepEqual(
      waiting.slice(1).map(({ attempts, attemptLog }) => [attempts, attemptLog]),
      Array(100).fill([0, null]),
      'those behind spent no attempt',
    );
    channel.answer = () => SENT;
    await pass(outbox, 300 * SECOND_MS);
    assert.equal(channel.attempts.length, 7 + 101);
    assert.ok((await rows()).every(({ state }) => state === 'sent'));
    const risen = await destination();
    assert.deepEqual([risen.state, risen.failures, risen.downSince, risen.nextTryAt], ['up', 0, null, null]);
  });

  test('one that is down or silent holds up nobody else', async () => {
    const { channel, start, posting, postAll, settled, states } = await setting();
    const silent = Promise.withResolvers<void>();
    const send = channel.send.bind(channel);
    channel.send = async (destination, parcels) => {
      if (destination.target === 'silent') await silent.promise;
      return send(destination, parcels);
    };
    channel.answer = (_, { target }) => (target === 'down' ? DOWN : SENT);
    const outbox = await start();
    await postAll(
      ...numbered(50).flatMap((text) => ['down', 'silent', 'well'].map((target) => posting(text, { target }))),
    );
    outbox.wake();
    while (channel.texts('well').length < 50) await new Promise((resolve) => setImmediate(resolve));
    assert.ok(channel.texts('down').length <= 4);
    silent.resolve();
    await settled(outbox);
    assert.equal(channel.texts('silent').length, 50);
    assert.deepEqual(new Set(await states()), new Set(['sent', 'queued']));
  });

  test('hundreds that never answer, each with much behind it, leave room for one that does', async () => {
    const { channel, start, posting, postAll, settled } = await setting();
    const silent = Promise.withResolvers<void>();
    const send = channel.send.bind(channel);
    channel.send = async (destination, parcels) => {
      if (destination.target !== 'well') await silent.promise;
      return send(destination, parcels);
    };
    const outbox = await start();
    const silentOnes = Array.from({ length: 300 }, (_, i) => `silent ${i}`);
    await postAll(
      ...silentOnes.flatMap((target) => numbered(20).map((text, i) => posting(text, { target, deviceId: i }))),
    );
    outbox.wake();
    await new Promise((resolve) => setImmediate(resolve));
    await postAll(...numbered(50).map((text, i) => posting(text, { target: 'well', deviceId: i })));
    outbox.wake();
    while (channel.texts('well').length < 50) await new Promise((resolve) => setImmediate(resolve));
    silent.resolve();
    await settled(outbox);
    assert.equal(channel.attempts.length, 300 * 20 + 50);
  });

  test('a destination has as long as it asks for', async () => {
    const { channel, start, posting, postAll, pass } = await setting();
    channel.answer = () => ({ kind: 'down', reason: 'answered 429', retryAfterMs: 100_000 });
    await postAll(posting('0'));
    const outbox = await start();
    await pass(outbox, 99 * SECOND_MS);
    assert.equal(channel.attempts.length, 1);
    channel.answer = () => SENT;
    await pass(outbox, 11 * SECOND_MS);
    assert.equal(channel.attempts.length, 2);
  });

  test('a row that is refused is dead after three tries, with the reason of each; the next ones go', async () => {
    const { channel, start, posting, postAll, pass, rows, destination } = await setting();
    channel.answer = ({ content }) => (content.text === 'bad' ? REFUSED : SENT);
    await postAll(posting('bad'), posting('good'), posting('good too'));
    const outbox = await start();
    assert.deepEqual(channel.texts(), ['bad', 'good', 'good too']);
    await pass(outbox, 10 * SECOND_MS);
    await pass(outbox, 30 * SECOND_MS);
    await pass(outbox, MINUTE_MS);
    assert.equal(channel.texts().filter((text) => text === 'bad').length, 3);
    const [bad] = await rows();
    assert.deepEqual([bad!.state, bad!.reason, bad!.attempts], ['dead', 'answered 400', 3]);
    assert.deepEqual(
      JSON.parse(bad!.attemptLog!).map(({ at, reason }: { at: string; reason: string }) => [
        Date.parse(at) - NOW,
        reason,
      ]),
      [0, 10, 40].map((seconds) => [seconds * SECOND_MS, 'answered 400']),
    );
    assert.equal((await destination()).state, 'up');
  });

  test('where order is promised, a refused row holds back its device, and no other', async () => {
    const { channel, start, posting, postAll, settled, pass } = await setting(
      new ScriptedChannel({ batch: 10, isOrdered: true }),
    );
    channel.answer = ({ content }) => (content.text === 'bad' ? REFUSED : SENT);
    const outbox = await start();
    await postAll(posting('first'), posting('bad'), posting('behind'), posting('other', { deviceId: 2 }));
    await settled(outbox);
    await postAll(posting('behind too'), posting('other too', { deviceId: 2 }));
    await pass(outbox, 2 * SECOND_MS);
    const of = (group: string) => channel.attempts.filter((one) => one.group === group).map(({ text }) => text);
    assert.deepEqual(of('device-1'), ['first', 'bad']);
    assert.deepEqual(of('device-2'), ['other', 'other too']);
    await pass(outbox, 10 * SECOND_MS);
    await pass(outbox, 30 * SECOND_MS);
    assert.deepEqual(of('device-1'), ['first', 'bad', 'bad', 'bad', 'behind', 'behind too']);
  });

  test('where order is promised, it is kept through an outage', async () => {
    const { channel, start, posting, postAll, settled, pass } = await setting(
      new ScriptedChannel({ batch: 10, isOrdered: true }),
    );
    let calls = 0;
    const arrived: string[] = [];
    channel.answer = ({ content }) => {
      if (calls++ % 7 === 6) return DOWN;
      arrived.push(content.text);
      return SENT;
    };
    const outbox = await start();
    await postAll(...numbered(60).map((text, i) => posting(text, { deviceId: i % 2 })));
    await settled(outbox);
    for (let i = 0; i < 40; i++) await pass(outbox, 6 * MINUTE_MS);
    for (const parity of [0, 1]) {
      const own = arrived.map(Number).filter((number) => number % 2 === parity);
      assert.deepEqual(
        own,
        numbered(60)
          .map(Number)
          .filter((number) => number % 2 === parity),
      );
    }
  });

  test('a batch that was taken in part is repeated in its other part only', async () => {
    const { channel, start, posting, postAll, pass, states } = await setting(new ScriptedChannel({ batch: 10 }));
    let isFirst = true;
    channel.answer = ({ content }) => (isFirst && Number(content.text) % 2 === 1 ? DOWN : SENT);
    await postAll(...numbered(10).map((text, i) => posting(text, { deviceId: i })));
    const outbox = await start();
    isFirst = false;
    await pass(outbox, 6 * SECOND_MS);
    assert.deepEqual(new Set(await states()), new Set(['sent']));
    assert.deepEqual(channel.texts().slice(10), ['1', '3', '5', '7', '9']);
  });

  test('what could not be delivered for three days is dead, with the last reason, tried or not', async () => {
    const { channel, clock, start, posting, postAll, pass, rows } = await setting();
    channel.answer = () => DOWN;
    await postAll(posting('0'), posting('1'));
    const outbox = await start();
    clock.now += PATIENCE_MS - 1;
    await postAll(posting('2'));
    await pass(outbox, 0);
    assert.deepEqual(
      (await rows()).map(({ state }) => state),
      ['queued', 'queued', 'queued'],
    );
    await pass(outbox, MINUTE_MS);
    const [first, second, third] = await rows();
    for (const row of [first!, second!]) {
      assert.deepEqual(
        [row.state, row.reason],
        ['dead', 'It could not be delivered within three days. Last attempt: no connection'],
      );
    }
    assert.equal(third!.state, 'queued');
  });

  test('a destination that says it is gone is left alone until someone switches it on again; nothing is lost', async () => {
    const channel = new ScriptedChannel();
    const { store, start, posting, postAll, pass, states, destination } = await setting(channel);
    const gone: SendOutcome = { kind: 'gone', reason: 'answered 410' };
    channel.answer = () => gone;
    const reported: unknown[] = [];
    await postAll(posting('0'), posting('1'));
    const outbox = await start({ switchedOff: async (which) => void reported.push(which) });
    assert.equal((await destination()).state, 'off');
    assert.deepEqual(reported[0], { kind: 'http', target: 'a' });
    await postAll(posting('2'));
    await pass(outbox, 60 * MINUTE_MS);
    const tries = channel.attempts.length;
    assert.ok(tries <= 2);
    assert.deepEqual(await states(), ['queued', 'queued', 'queued']);
    channel.answer = () => SENT;
    await store.query.updateTable('destinations').set({ state: 'up' }).execute();
    await pass(outbox, 0);
    assert.deepEqual(await states(), ['sent', 'sent', 'sent']);
  });

  test('a channel that is not set up says so at once', async () => {
    const { channel, start, posting, postAll, rows, destination } = await setting();
    channel.answer = () => ({ kind: 'unconfigured', reason: 'E-mail is not configured' });
    await postAll(posting('0'));
    await start();
    const [row] = await rows();
    assert.deepEqual([row!.state, row!.reason], ['dead', 'E-mail is not configured']);
    assert.equal((await destination()).state, 'up');
  });

  test('a channel that throws, or forgets one, loses nothing', async () => {
    const { channel, start, posting, postAll, rows } = await setting(new ScriptedChannel({ batch: 2 }));
    channel.send = async (_, parcels) => {
      if (parcels[0]!.content.text === 'throws') throw new Error('a mistake');
      return [SENT];
    };
    await postAll(posting('throws', { deviceId: 1 }), posting('throws', { deviceId: 2 }));
    await postAll(posting('sent', { deviceId: 3 }), posting('forgotten', { deviceId: 4 }));
    await start();
    assert.deepEqual(
      (await rows()).map(({ state, reason }) => [state, reason]),
      [
        ['queued', 'It could not be sent because of an internal error'],
        ['queued', 'It could not be sent because of an internal error'],
        ['sent', null],
        ['queued', 'The destination did not answer in time'],
      ],
    );
  });

  test('stopping waits for what is under way, records it, and leaves the rest to whoever comes next', async () => {
    const { channel, start, posting, postAll, states, destination } = await setting();
    const gate = Promise.withResolvers<void>();
    channel.gate = gate.promise;
    const outbox = await start();
    await postAll(...numbered(20).map((text, i) => posting(text, { deviceId: i })));
    outbox.wake();
    while (channel.attempts.length < 4) await new Promise((resolve) => setImmediate(resolve));
    const stopped = outbox.stop();
    gate.resolve();
    await stopped;
    const after = await states();
    assert.equal(after.filter((state) => state === 'sent').length, 4);
    assert.equal(after.filter((state) => state === 'queued').length, 16);
    assert.equal((await destination()).leaseOwner, null);
    assert.ok(channel.isClosed);
  });

  test('what a process that died was sending is sent by the next one, at most a window of it twice', async () => {
    const { channel, clock, start, posting, postAll, settled, pass, states, store } = await setting();
    await postAll(...numbered(100).map((text, i) => posting(text, { deviceId: i })));
    // It dies in the middle: its sends never end, and nothing more is written.
    const dying = new ScriptedChannel();
    dying.gate = new Promise(() => {});
    const dead = await startOutbox(
      store,
      { http: dying },
      { log, vault: testVault, now: () => clock.now, pollMs: 600_000 },
    );
    while (dying.attempts.length < 4) await new Promise((resolve) => setImmediate(resolve));
    assert.ok((await states()).filter((state) => state === 'sending').length <= 8);
    const outbox = await start();
    if (open.storeKind === 'postgres') {
      await pass(outbox, 14 * SECOND_MS);
      assert.deepEqual(channel.texts(), [], 'the other one may still be alive');
      await pass(outbox, 2 * SECOND_MS);
    } else {
      await settled(outbox);
    }
    assert.deepEqual(new Set(channel.texts()), new Set(numbered(100)));
    assert.equal(channel.attempts.length, 100);
    assert.deepEqual(new Set(await states()), new Set(['sent']));
    const twice = dying.texts().filter((text) => channel.texts().includes(text));
    assert.equal(twice.length, 4);
    const first = dying.attempts[0]!;
    assert.equal(channel.attempts.find(({ text }) => text === first.text)!.messageId, first.messageId);
    void dead;
  });

  test('however slowly outcomes are written, a kill would repeat no more than a window', async () => {
    const { store, channel, clock, posting, postAll } = await setting();
    let most = 0;
    const slow: Store = {
      ...store,
      async transaction(work) {
        const done = await store.transaction(async (tx) => {
          // Sends end meanwhile, and others begin.
          for (let turn = 0; turn < 20; turn++) await new Promise((resolve) => setImmediate(resolve));
          return work(tx);
        });
        const sending = await store.query.selectFrom('outbox').select('id').where('state', '=', 'sending').execute();
        most = Math.max(most, sending.length);
        return done;
      },
    };
    await postAll(...numbered(200).map((text, i) => posting(text, { deviceId: i })));
    const outbox = await startOutbox(
      slow,
      { http: channel },
      { log, vault: testVault, now: () => clock.now, pollMs: 600_000 },
    );
    running.add(outbox);
    while (channel.attempts.length < 200) await new Promise((resolve) => setImmediate(resolve));
    await outbox.idle();
    assert.ok(most > 0 && most <= 8, `${most} were claimed or not written down`);
  });

  test('a connection that broke is an attempt on record, sent again at once; after three in a row it is down', async () => {
    const { channel, start, posting, postAll, rows, destination } = await setting();
    let left = 2;
    channel.answer = () => (left-- > 0 ? { kind: 'broken', reason: 'The connection was lost' } : SENT);
    await postAll(posting('0'));
    const outbox = await start();
    const [sent] = await rows();
    assert.deepEqual([sent!.state, sent!.attempts, channel.attempts.length], ['sent', 3, 3]);
    assert.equal(new Set(channel.attempts.map(({ messageId }) => messageId)).size, 1);
    const log = JSON.parse(sent!.attemptLog!) as { reason: string }[];
    assert.deepEqual(
      log.map(({ reason }) => reason),
      ['The connection was lost (it may have arrived)', 'The connection was lost (it may have arrived)'],
    );
    assert.equal((await destination()).state, 'up');
    left = 3;
    await postAll(posting('1'));
    outbox.wake();
    await outbox.idle();
    assert.deepEqual([channel.attempts.length, (await destination()).state], [6, 'down']);
    assert.equal((await rows())[1]!.attempts, 3);
  });

  test('a stop breaks off what hangs: it waits again, with the attempt on record', async () => {
    const { channel, start, posting, postAll, rows, destination } = await setting();
    channel.gate = new Promise(() => {});
    const outbox = await start({ graceMs: 1 });
    await postAll(...numbered(20).map((text, i) => posting(text, { deviceId: i })));
    outbox.wake();
    while (channel.attempts.length < 4) await new Promise((resolve) => setImmediate(resolve));
    await outbox.stop();
    const after = await rows();
    assert.deepEqual(new Set(after.map(({ state }) => state)), new Set(['queued']));
    const begun = after.filter(({ attempts }) => attempts === 1);
    assert.equal(begun.length, 4);
    for (const { attemptLog } of begun)
      assert.match(attemptLog!, /The server stopped while it was being sent \(it may have arrived\)/);
    const { state, leaseOwner, failures } = await destination();
    assert.deepEqual([state, leaseOwner, failures], ['up', null, 0], 'that is not its fault');
  });

  test('what a process that died had in hand is found though nothing else waits there', async () => {
    const { channel, clock, start, posting, postAll, states, store } = await setting();
    await postAll(posting('0'), posting('1'));
    await store.query.updateTable('outbox').set({ state: 'sending' }).execute();
    const lease = { leaseOwner: 'a dead one', leaseUntil: NOW + 15 * SECOND_MS };
    await store.query.updateTable('destinations').set(lease).execute();
    if (open.storeKind === 'postgres') clock.now += 15 * SECOND_MS;
    await start();
    assert.deepEqual(channel.texts(), ['0', '1']);
    assert.deepEqual(await states(), ['sent', 'sent']);
    for (const { attempts, attemptLog } of await store.query.selectFrom('outbox').selectAll().execute()) {
      assert.equal(attempts, 2, 'what may have been sent counts');
      assert.match(attemptLog!, /The server stopped while it was being sent/);
    }
  });

  test('a process that lost its lease sends nothing more of it', async () => {
    const { channel, start, posting, postAll, store, states, settled } = await setting();
    const outbox = await start();
    const gate = Promise.withResolvers<void>();
    channel.gate = gate.promise;
    await postAll(...numbered(30).map((text, i) => posting(text, { deviceId: i })));
    outbox.wake();
    while (channel.attempts.length < 4) await new Promise((resolve) => setImmediate(resolve));
    await store.query
      .updateTable('destinations')
      .set({ leaseOwner: 'another', leaseUntil: NOW + 15 * SECOND_MS })
      .execute();
    gate.resolve();
    await settled(outbox);
    assert.ok(channel.attempts.length <= 8, 'only what it had in hand when it noticed');
    const counts = Map.groupBy(await states(), (state) => state);
    assert.equal(counts.get('sent')!.length, channel.attempts.length, 'and what it sent is recorded');
  });

  for (const [when, turn] of [1, 2, 3].flatMap((turn) => [['before', turn] as const, ['after', turn] as const])) {
    test(`a transaction that fails ${when} its commit, the ${turn}. of all, loses nothing and repeats nothing`, async () => {
      const { store, channel, clock, posting, postAll, states } = await setting();
      let turns = 0;
      const flaky: Store = {
        ...store,
        async transaction(work) {
          const isBad = ++turns === turn;
          if (isBad && when === 'before') throw new Error('the store is gone');
          const done = await store.transaction(work);
          if (isBad) throw new Error('the answer of the store is gone');
          return done;
        },
      };
      await postAll(...numbered(24).map((text, i) => posting(text, { deviceId: i })));
      const options = { log, vault: testVault, now: () => clock.now, pollMs: 20, pauseMs: 1 };
      const outbox = await startOutbox(flaky, { http: channel }, options);
      running.add(outbox);
      while ((await states()).some((state) => state !== 'sent')) {
        await outbox.idle();
        // Timers have their turn, too.
        await new Promise((resolve) => setImmediate(resolve));
        // What was claimed by a commit without an answer is found when its lease has ended.
        clock.now += SECOND_MS;
      }
      assert.ok(turns >= turn, 'nothing failed, so nothing was tested');
      assert.deepEqual(channel.texts().sort(), numbered(24).sort());
    });
  }

  test('two that share a store send nothing twice, and both see to it that all is sent', async () => {
    const { channel, start, posting, postAll, states, settled } = await setting();
    const other = new ScriptedChannel();
    // On SQLite there is no second process; two within one show that a lease holds all the same.
    const [a, b] = [await start(), await start({}, other)];
    for (let i = 0; i < 10; i++) {
      await postAll(...numbered(40).map((text, j) => posting(`${i} ${text}`, { target: `t${j % 8}`, deviceId: j })));
      a.wake();
      b.wake();
    }
    const deadline = Date.now() + 10_000;
    while ((await states()).some((state) => state !== 'sent') && Date.now() < deadline) {
      await Promise.all([settled(a), settled(b)]);
    }
    const all = [...channel.texts(), ...other.texts()];
    assert.equal(all.length, 400);
    assert.equal(new Set(all).size, 400);
  });
});
