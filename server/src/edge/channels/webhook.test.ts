import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { type TestContext, test } from 'node:test';
import { Webhook } from 'standardwebhooks';
import { createEgress } from '../../platform/egress/client.ts';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { oneLine, retryAfter } from './http-outcome.ts';
import { channelSuite, DEADLINE_MS, parcelOf, type Rig, SHORT_DEADLINE_MS, sendTo } from './testing/channel-suite.ts';
import { type HttpEnd, httpEnd } from './testing/http-end.ts';
import { webhookChannel } from './webhook.ts';

const makeSecret = () => `whsec_${randomBytes(24).toString('base64')}`;

async function open(
  t: TestContext,
  deadlineMs = DEADLINE_MS,
  secrets = [makeSecret()],
  allowTargets = '127.0.0.1',
): Promise<Rig & { readonly end: HttpEnd }> {
  const end = await httpEnd(t);
  const channel = webhookChannel({ egress: createEgress({ allowTargets }), deadlineMs });
  t.after(() => channel.close());
  const target = `${end.address}/hook?token=SECRET-IN-THE-ADDRESS`;
  return {
    end,
    channel,
    behave: end.behave,
    destination: { id: 1, target, secrets },
    address: null,
    arrived: async () => end.taken.map(({ body }) => body.toString()),
    secrets: [...secrets, 'SECRET-IN-THE-ADDRESS'],
  };
}

channelSuite('webhook', open);

const sendOne = async (rig: Rig): Promise<SendOutcome> => (await sendTo(rig, [parcelOf(null)]))[0]!;

test('the published library verifies what is sent, with the old secret and the new during a rotation', async (t) => {
  const [next, old] = [makeSecret(), makeSecret()];
  const rig = await open(t, DEADLINE_MS, [next, old]);
  const parcel = parcelOf(null, { headers: { 'x-amz-sns-message-type': 'Notification' }, type: 'text/plain' });
  assert.deepEqual(await sendTo(rig, [parcel]), [{ kind: 'sent' }]);
  const { headers, body, path } = rig.end.taken[0]!;
  const sent = headers as Record<string, string>;
  assert.deepEqual(new Webhook(next).verify(body, sent), JSON.parse(parcel.content.text));
  assert.deepEqual(new Webhook(old).verify(body, sent), JSON.parse(parcel.content.text));
  assert.throws(() => new Webhook(makeSecret()).verify(body, sent));
  assert.throws(() => new Webhook(next).verify(Buffer.concat([body, Buffer.from(' ')]), sent));
  assert.throws(() => new Webhook(next).verify(body, { ...sent, 'webhook-id': 'another' }));
  assert.equal(headers['webhook-id'], parcel.messageId);
  assert.equal(headers['x-amz-sns-message-type'], 'Notification');
  assert.equal(headers['content-type'], 'text/plain');
  assert.equal(path, '/hook?token=SECRET-IN-THE-ADDRESS');
});

test('each status has its meaning', async (t) => {
  const rig = await open(t);
  const meanings: Record<number, SendOutcome['kind']> = {
    200: 'sent',
    202: 'sent',
    204: 'sent',
    301: 'down',
    302: 'down',
    303: 'down',
    400: 'refused',
    401: 'refused',
    403: 'refused',
    404: 'refused',
    408: 'down',
    410: 'gone',
    413: 'refused',
    429: 'down',
    500: 'down',
    502: 'down',
    503: 'down',
    504: 'down',
  };
  for (const [status, kind] of Object.entries(meanings)) {
    rig.end.answer((response) => response.writeHead(Number(status), { location: 'https://x.test/?a=SECRET' }).end());
    const outcome = await sendOne(rig);
    assert.equal(outcome.kind, kind, status);
    const mayHaveArrived = outcome.kind === 'down' && outcome.isUnclear === true;
    assert.equal(mayHaveArrived, status === '502' || status === '504', status);
    if (outcome.kind !== 'sent') assert.ok(outcome.reason.includes(status) && !outcome.reason.includes('SECRET'));
  }
});

test('Retry-After is honoured, as seconds or as a date, up to an hour', async (t) => {
  const rig = await open(t);
  rig.end.answer((response) => response.writeHead(429, { 'retry-after': '90' }).end());
  const outcome = await sendOne(rig);
  assert.equal(outcome.kind === 'down' && outcome.retryAfterMs, 90_000);
  const now = Date.parse('2026-01-01T00:00:00Z');
  assert.equal(retryAfter('Thu, 01 Jan 2026 00:02:00 GMT', now), 120_000);
  assert.equal(retryAfter('Thu, 01 Jan 2026 09:00:00 GMT', now), 3_600_000);
  assert.equal(retryAfter('Wed, 31 Dec 2025 09:00:00 GMT', now), 0);
  assert.equal(retryAfter('999999999999999999999', now), 3_600_000);
  for (const nonsense of [undefined, 'soon', '-5', '']) assert.equal(retryAfter(nonsense, now), undefined);
});

test('a reason is one plain line, however much and whatever the other side says', async (t) => {
  const rig = await open(t);
  await rig.behave('refusing');
  assert.deepEqual(await sendOne(rig), {
    kind: 'refused',
    reason: 'The answer was 422 Unprocessable Entity: this one is not wanted',
  });
  let written = 0;
  rig.end.answer((response) => {
    response.writeHead(500);
    const more = () => {
      while (!response.destroyed && written < 50_000_000) {
        written += 65_536;
        if (!response.write('x'.repeat(65_536))) return response.once('drain', more);
      }
    };
    more();
  });
  const outcome = await sendOne(rig);
  assert.equal(outcome.kind, 'down');
  assert.ok(written < 20_000_000, `an endless answer is not read: ${written}`);
  assert.equal(oneLine('<style>p{}</style><p>No\u202e such\n\n<script>alert(1)</script>hook</p>'), 'No such hook');
});

test('a success counts, whatever becomes of its body', async (t) => {
  const rig = await open(t, SHORT_DEADLINE_MS);
  rig.end.answer((response) => response.writeHead(200, { 'content-length': '100' }).write('never the rest'));
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  rig.end.answer((response) => {
    response.writeHead(500, { 'content-length': '100' });
    response.write('beginning');
  });
  const outcome = await sendOne(rig);
  assert.equal(outcome.kind === 'down' && outcome.reason, 'The answer was 500 Internal Server Error: beginning');
});

test('connections are kept; one that breaks is reported, and nothing is repeated in silence', async (t) => {
  const rig = await open(t);
  for (let i = 0; i < 5; i++) assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  assert.equal(rig.end.connections(), 1);
  // Closed in the very moment of its use, without an answer.
  let requests = 0;
  rig.end.answer((response) => (requests++ === 0 ? response.socket!.destroy() : response.end()));
  const broken = { kind: 'broken', reason: 'The connection was lost before an answer arrived.' };
  assert.deepEqual(await sendOne(rig), broken);
  assert.equal(requests, 1, 'one request for each attempt');
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  assert.equal(rig.end.connections(), 2);
  // After one that broke, the next takes none of those that are idle.
  rig.end.endConnections();
  const next = await sendOne(rig);
  if (next.kind !== 'sent') assert.deepEqual(next, broken);
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
});

test('an answer that is lost, or is none, may have been one', async (t) => {
  const rig = await open(t);
  rig.end.answer((response) => response.socket!.destroy());
  assert.deepEqual(await sendOne(rig), {
    kind: 'down',
    reason: 'The connection was lost before an answer arrived.',
    isUnclear: true,
  });
  rig.end.answer((response) => response.socket!.end('SSH-2.0-OpenSSH\r\n'));
  assert.deepEqual(await sendOne(rig), { kind: 'down', reason: 'The answer was not HTTP.', isUnclear: true });
});

test('redirects that keep the method are followed, others are reported', async (t) => {
  const rig = await open(t);
  rig.end.answer((response, { path }) =>
    path === '/new' ? response.writeHead(200).end() : response.writeHead(308, { location: '/new' }).end(),
  );
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  rig.end.answer((response) => response.writeHead(302, { location: 'https://login.test/?from=x' }).end());
  assert.deepEqual(await sendOne(rig), {
    kind: 'down',
    reason:
      'The answer was 302: the address has moved to login.test. Only 307 and 308 are followed: set the new address.',
  });
});

test('an address that is not called, or that has no listener, is reported in plain words', async (t) => {
  const rig = await open(t, DEADLINE_MS, [makeSecret()], '');
  assert.deepEqual(await sendOne(rig), {
    kind: 'down',
    reason:
      'The address points to a network that is not allowed; the operator can allow it with TRACKWAY_ALLOW_TARGETS.',
  });
  assert.deepEqual(rig.end.asked, []);
  const free = createServer().listen(0, '127.0.0.1');
  await once(free, 'listening');
  const { port } = free.address() as { port: number };
  free.close();
  await once(free, 'close');
  const there = await open(t);
  const target = `http://127.0.0.1:${port}/`;
  assert.deepEqual(await sendOne({ ...there, destination: { ...there.destination, target } }), {
    kind: 'down',
    reason: 'Connection refused.',
  });
  const bad = await sendOne({ ...there, destination: { ...there.destination, target: 'ftp://x' } });
  assert.equal(bad.kind, 'refused');
  const [injected] = await sendTo(there, [parcelOf(null, { headers: { 'x-a': 'a\r\nx-b: c' } })]);
  assert.equal(injected!.kind, 'refused');
  assert.deepEqual(there.end.asked, []);
});
