import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import { createEgress } from '../../platform/egress/client.ts';
import type { Content, SendOutcome } from '../../platform/outbox/channel.ts';
import { ntfyChannel } from './ntfy.ts';
import { channelSuite, DEADLINE_MS, parcelOf, type Rig, sendTo } from './testing/channel-suite.ts';
import { type HttpEnd, httpEnd } from './testing/http-end.ts';

const TOKEN = 'tk_SECRETofTheTopic';

async function open(
  t: TestContext,
  deadlineMs = DEADLINE_MS,
  { allowTargets = '127.0.0.1', publicUrl = 'https://track.example.com/' } = {},
): Promise<Rig & { readonly end: HttpEnd }> {
  const end = await httpEnd(t);
  const channel = ntfyChannel({ egress: createEgress({ allowTargets }), publicUrl, server: end.address, deadlineMs });
  t.after(() => channel.close());
  return {
    end,
    channel,
    behave: end.behave,
    destination: { id: 1, target: `${end.address}/fleet`, secrets: [TOKEN] },
    address: null,
    arrived: async () => messagesAt(end).map(({ message }) => message),
    secrets: [TOKEN],
  };
}

const messagesAt = ({ taken }: HttpEnd) => taken.map(({ body }) => JSON.parse(body.toString()));

channelSuite('ntfy', (t, deadlineMs) => open(t, deadlineMs));

const shown = (more: object = {}): Partial<Content> => ({
  text: JSON.stringify({ title: 'Łódź 🚚', body: 'Van 3 entered Depot', url: '/map?device=7', ...more }),
});

const sendOne = async (rig: Rig, content = shown(), to: Partial<Rig['destination']> = {}): Promise<SendOutcome> =>
  (await sendTo({ ...rig, destination: { ...rig.destination, ...to } }, [parcelOf(null, content)]))[0]!;

test('a notification has a title, a text, a link to the console, and the token of its topic', async (t) => {
  const rig = await open(t);
  assert.deepEqual(await sendOne(rig, shown({ when: '1 Jun 2026, 14:05' })), { kind: 'sent' });
  const [{ headers, path }] = rig.end.taken as [HttpEnd['taken'][number]];
  assert.equal(path, '/', 'as JSON, it is published at the root');
  assert.deepEqual([headers.authorization, headers['content-type']], [`Bearer ${TOKEN}`, 'application/json']);
  assert.deepEqual(messagesAt(rig.end), [
    {
      topic: 'fleet',
      title: 'Łódź 🚚',
      message: 'Van 3 entered Depot\n1 Jun 2026, 14:05',
      priority: 3,
      tags: ['bell'],
      click: 'https://track.example.com/map?device=7',
    },
  ]);
});

test('the severity decides the priority', async (t) => {
  const rig = await open(t);
  for (const severity of ['info', 'warning', 'critical']) await sendOne(rig, shown({ severity }));
  assert.deepEqual(
    messagesAt(rig.end).map(({ priority, tags }) => [priority, tags[0]]),
    [
      [3, 'bell'],
      [4, 'warning'],
      [5, 'rotating_light'],
    ],
  );
});

test('a topic may be a name, without a token, and a console without an address is not linked', async (t) => {
  const rig = await open(t, DEADLINE_MS, { publicUrl: '' });
  assert.deepEqual(await sendOne(rig, shown(), { target: 'vans', secrets: [] }), { kind: 'sent' });
  // What is made in place of a secret that was lost is no token.
  assert.deepEqual(await sendOne(rig, shown(), { secrets: ['whsec_abc'] }), { kind: 'sent' });
  assert.deepEqual(
    rig.end.taken.map(({ headers }) => headers.authorization),
    [undefined, undefined],
  );
  const [byName] = messagesAt(rig.end);
  assert.deepEqual([byName.topic, byName.click], ['vans', undefined]);
});

test('a long message stays a message', async (t) => {
  const rig = await open(t);
  assert.deepEqual(await sendOne(rig, shown({ title: '🚚'.repeat(500), body: 'é'.repeat(5000) })), { kind: 'sent' });
  const [{ title, message }] = messagesAt(rig.end);
  assert.ok(Buffer.byteLength(message) < 4096 && message.endsWith('é…'));
  assert.ok(title.length <= 150 && title.isWellFormed());
});

test('a topic that is protected is refused, and a server with too much to do is tried later', async (t) => {
  const rig = await open(t);
  rig.end.answer((response) =>
    response.writeHead(403).end(JSON.stringify({ code: 40301, http: 403, error: `forbidden for ${TOKEN}` })),
  );
  assert.deepEqual(await sendOne(rig), { kind: 'refused', reason: 'The answer was 403 Forbidden: forbidden for …' });
  rig.end.answer((response) =>
    response.writeHead(429, { 'retry-after': '7' }).end(JSON.stringify({ http: 429, error: 'limit reached' })),
  );
  assert.deepEqual(await sendOne(rig), {
    kind: 'down',
    reason: 'The answer was 429 Too Many Requests: limit reached',
    retryAfterMs: 7000,
  });
  rig.end.answer((response) => response.writeHead(500).end());
  assert.equal((await sendOne(rig)).kind, 'down');
});

test('a token is not given to another server, and nothing is sent where that is not allowed', async (t) => {
  const [rig, other] = [await open(t), await open(t)];
  rig.end.answer((response) => response.writeHead(307, { location: `${other.end.address}/` }).end());
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  assert.equal(other.end.taken[0]!.headers.authorization, undefined);
  const guarded = await open(t, DEADLINE_MS, { allowTargets: '' });
  assert.deepEqual(await sendOne(guarded), {
    kind: 'down',
    reason:
      'The address points to a network that is not allowed; the operator can allow it with TRACKWAY_ALLOW_TARGETS.',
  });
  assert.deepEqual(guarded.end.asked, []);
});
