import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, type TestContext, test } from 'node:test';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { type ReasonDetails, reasonIn } from '@trackway/contract/wording/reason.ts';
import type { Channel, Content, Destination, Parcel, SendOutcome } from '../../../platform/outbox/channel.ts';

/** Tests for every channel. The test of each channel calls this suite with its own receiver. */

/** Behaviour of the receiver. `silent` accepts data and never responds, `slow` responds late but in time. */
export type Behaviour = 'well' | 'down' | 'refusing' | 'silent' | 'slow';

export interface Rig {
  readonly channel: Channel;
  readonly destination: Destination;
  /** The recipient at the destination. */
  readonly address: string | null;
  behave(how: Behaviour): Promise<void>;
  /** The received texts, in order. */
  arrived(): Promise<readonly string[]>;
  /** Values that must never appear in a reason. */
  readonly secrets: readonly string[];
}

/** Long, so that a busy machine causes no failure. */
export const DEADLINE_MS = 30_000;
/** For tests that wait until the deadline. */
export const SHORT_DEADLINE_MS = 2000;
export const SLOW_MS = 150;

const CONTENT: Content = { text: '', type: 'application/json', subject: 'A test' };

let ids = 0;
export function parcelOf(address: string | null, content: Partial<Content> = {}, group = 'device-1'): Parcel {
  const id = ++ids;
  const text = JSON.stringify({ number: id, name: 'Łódź · 東京 🚚', line: 'one\ntwo' });
  return { id, messageId: randomUUID(), group, address, content: { ...CONTENT, text, ...content }, createdAt: 0 };
}

/** The outcome without its reason in other languages, which must be the same in English. */
export function plain(outcome: SendOutcome): SendOutcome {
  if (outcome.kind === 'sent') return outcome;
  const { reasonDetails, ...others } = outcome;
  const details = reasonDetails && (JSON.parse(reasonDetails) as ReasonDetails);
  if (details) assert.equal(reasonIn(messagesIn('en').reasons, details) ?? outcome.reason, outcome.reason);
  return others;
}

/** Sends, and checks what must be true of every outcome. */
export async function sendTo(rig: Omit<Rig, 'behave' | 'arrived'>, parcels: readonly Parcel[]): Promise<SendOutcome[]> {
  const outcomes = await rig.channel.send(rig.destination, parcels, new AbortController().signal);
  assert.equal(outcomes.length, parcels.length);
  for (const outcome of outcomes) if (outcome.kind !== 'sent') checkReason(outcome.reason, rig.secrets);
  return outcomes.map(plain);
}

function checkReason(reason: string, secrets: readonly string[]): void {
  assert.match(reason, /^\P{C}{10,400}$/u, 'a reason is one line');
  for (const secret of secrets) assert.ok(!reason.includes(secret), `the reason contains a secret: ${reason}`);
}

const kinds = (outcomes: readonly SendOutcome[]) => [...new Set(outcomes.map(({ kind }) => kind))];
const isUnclear = (outcome: SendOutcome) => outcome.kind === 'down' && outcome.isUnclear === true;

export function channelSuite(name: string, open: (t: TestContext, deadlineMs: number) => Promise<Rig>): void {
  const several = (rig: Rig) =>
    Array.from({ length: rig.channel.batch }, (_, i) => parcelOf(rig.address, {}, `device-${i}`));

  describe(`${name}: what every channel does`, () => {
    test('delivers', async (t) => {
      const rig = await open(t, DEADLINE_MS);
      const parcels = [...several(rig)];
      assert.deepEqual(kinds(await sendTo(rig, parcels)), ['sent']);
      assert.deepEqual((await rig.arrived()).toSorted(), parcels.map(({ content }) => content.text).toSorted());
    });

    test('reports that the destination is down, and delivers as soon as it is up again', async (t) => {
      const rig = await open(t, DEADLINE_MS);
      await rig.behave('down');
      const parcels = several(rig);
      for (const outcome of await sendTo(rig, parcels)) {
        assert.equal(outcome.kind, 'down');
        assert.ok(!isUnclear(outcome), 'nothing can have arrived');
      }
      assert.deepEqual(await rig.arrived(), []);
      await rig.behave('well');
      assert.deepEqual(kinds(await sendTo(rig, parcels)), ['sent']);
      assert.equal((await rig.arrived()).length, parcels.length);
    });

    test('reports that a message is refused, and goes on with the next', async (t) => {
      const rig = await open(t, DEADLINE_MS);
      await rig.behave('refusing');
      assert.deepEqual(kinds(await sendTo(rig, [parcelOf(rig.address)])), ['refused']);
      assert.deepEqual(await rig.arrived(), []);
      await rig.behave('well');
      // The outbox sends messages again after a broken connection.
      const next = kinds(await sendTo(rig, [parcelOf(rig.address)]));
      if (next[0] === 'broken') assert.deepEqual(kinds(await sendTo(rig, [parcelOf(rig.address)])), ['sent']);
      else assert.deepEqual(next, ['sent']);
    });

    test('gives a silent endpoint up, and says that it may have arrived', async (t) => {
      const rig = await open(t, SHORT_DEADLINE_MS);
      assert.deepEqual(kinds(await sendTo(rig, [parcelOf(rig.address)])), ['sent']);
      await rig.behave('silent');
      const startedAt = Date.now();
      for (const outcome of await sendTo(rig, several(rig))) {
        assert.equal(outcome.kind, 'down');
        assert.ok(isUnclear(outcome), JSON.stringify(outcome));
      }
      assert.ok(Date.now() - startedAt < DEADLINE_MS, 'it ends within its own deadline');
      await rig.behave('well');
      assert.deepEqual(kinds(await sendTo(rig, [parcelOf(rig.address)])), ['sent']);
    });

    test('waits for a slow endpoint', async (t) => {
      const rig = await open(t, DEADLINE_MS);
      await rig.behave('slow');
      assert.deepEqual(kinds(await sendTo(rig, several(rig))), ['sent']);
    });

    test('can be aborted', async (t) => {
      const rig = await open(t, DEADLINE_MS);
      await rig.behave('silent');
      const stop = new AbortController();
      const sending = rig.channel.send(rig.destination, [parcelOf(rig.address)], stop.signal);
      stop.abort();
      const [outcome] = await sending;
      assert.equal(outcome!.kind, 'down');
      const [after] = await rig.channel.send(rig.destination, [parcelOf(rig.address)], stop.signal);
      assert.equal(after!.kind, 'down', 'nothing is begun any more');
    });
  });
}
