import assert from 'node:assert/strict';
import { createPublicKey, verify } from 'node:crypto';
import { type TestContext, test } from 'node:test';
import { createEgress } from '../../platform/egress/client.ts';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { createVault, newKey } from '../../platform/vault.ts';
import { Browser } from '../../testing/browser.ts';
import { testVault } from '../../testing/vault.ts';
import { pushChannel } from './push.ts';
import { channelSuite, DEADLINE_MS, parcelOf, type Rig, sendTo } from './testing/channel-suite.ts';
import { type HttpEnd, httpEnd } from './testing/http-end.ts';
import { type VapidKeys, vapidKeys } from './vapid.ts';

const kept = new Map<string, string>();
const keep = async (name: string, make: () => string) => {
  const value = kept.get(name) ?? make();
  kept.set(name, value);
  return value;
};

async function open(
  t: TestContext,
  deadlineMs = DEADLINE_MS,
): Promise<Rig & { readonly end: HttpEnd; readonly browser: Browser; readonly keys: VapidKeys }> {
  const end = await httpEnd(t);
  const browser = new Browser();
  const keys = await vapidKeys(keep);
  const egress = createEgress({ allowTargets: '127.0.0.1' });
  const channel = pushChannel({ egress, keys, vault: testVault, subject: 'mailto:a@example.test', deadlineMs });
  t.after(() => channel.close());
  const endpoint = `${end.address}/push/SECRET-OF-THE-BROWSER`;
  return {
    end,
    browser,
    keys,
    channel,
    destination: { id: 1, target: endpoint, secrets: [] },
    address: browser.subscription(endpoint),
    behave: end.behave,
    arrived: async () => end.taken.map(({ body }) => browser.read(body)),
    secrets: [keys.privateKey, 'SECRET-OF-THE-BROWSER'],
  };
}

channelSuite('push', open);

test('a message is signed with the keys of the server and lives a day', async (t) => {
  const { end, keys, address, ...rig } = await open(t);
  await sendTo({ ...rig, address }, [parcelOf(address)]);
  const { headers } = end.taken[0]!;
  assert.equal(headers.ttl, '86400');
  assert.equal(headers.urgency, 'high');
  assert.equal(headers['content-encoding'], 'aes128gcm');
  const [, token = '', key] = /^vapid t=([^,]+), k=(.+)$/.exec(headers.authorization!)!;
  assert.equal(key, keys.publicKey);
  const [head, claims, signature] = token.split('.') as [string, string, string];
  const point = Buffer.from(keys.publicKey, 'base64url');
  const [x, y] = [point.subarray(1, 33).toString('base64url'), point.subarray(33).toString('base64url')];
  const publicKey = createPublicKey({ key: { kty: 'EC', crv: 'P-256', x, y }, format: 'jwk' });
  const signed = Buffer.from(`${head}.${claims}`);
  const bytes = Buffer.from(signature, 'base64url');
  assert.ok(verify('sha256', signed, { key: publicKey, dsaEncoding: 'ieee-p1363' }, bytes));
  const { aud, sub } = JSON.parse(Buffer.from(claims, 'base64url').toString()) as { aud: string; sub: string };
  assert.deepEqual([aud, sub], [end.address, 'mailto:a@example.test']);
});

test('a browser that is gone is reported; a busy push service is waited for', async (t) => {
  const rig = await open(t);
  const answered = async (status: number, headers = {}): Promise<SendOutcome> => {
    rig.end.answer((response) => response.writeHead(status, headers).end());
    return (await sendTo(rig, [parcelOf(rig.address)]))[0]!;
  };
  assert.equal((await answered(404)).kind, 'gone');
  assert.equal((await answered(410)).kind, 'gone');
  assert.equal((await answered(413)).kind, 'refused');
  assert.equal((await answered(403)).kind, 'refused');
  const busy = await answered(429, { 'retry-after': '30' });
  assert.equal(busy.kind === 'down' && busy.retryAfterMs, 30_000);
});

test('what is no subscription is refused, and a push service inside our network is not called', async (t) => {
  const rig = await open(t);
  const { keys } = JSON.parse(rig.address!) as { keys: object };
  for (const address of [
    null,
    '',
    'null',
    '[]',
    '{}',
    JSON.stringify({ endpoint: rig.destination.target }),
    JSON.stringify({ endpoint: rig.destination.target, keys: { ...keys, p256dh: 'AAAA' } }),
    JSON.stringify({ endpoint: rig.destination.target, keys: { ...keys, auth: 'A' } }),
    JSON.stringify({ endpoint: 'file:///etc/passwd', keys }),
  ]) {
    assert.equal((await sendTo(rig, [parcelOf(address)]))[0]!.kind, 'refused', String(address));
  }
  const inside = JSON.stringify({ endpoint: 'http://10.0.0.1/push', keys });
  assert.equal((await sendTo(rig, [parcelOf(inside)]))[0]!.kind, 'down');
  assert.deepEqual(rig.end.asked, []);
});

test('the keys are made once', async () => {
  const first = await vapidKeys(keep);
  assert.deepEqual(await vapidKeys(keep), first);
  assert.equal(Buffer.from(first.publicKey, 'base64url').length, 65);
  assert.equal(Buffer.from(first.privateKey, 'base64url').length, 32);
});

test('a subscription whose key is missing is not given up', async (t) => {
  const { channel, destination, browser, end } = await open(t);
  const { endpoint, keys } = JSON.parse(browser.subscription(destination.target));
  const sealed = createVault([newKey()]).seal(JSON.stringify(keys), `pushSubscriptions.keys:${endpoint}`);
  const parcel = parcelOf(JSON.stringify({ endpoint, keys: sealed }));
  const [outcome] = await channel.send(destination, [parcel], new AbortController().signal);
  assert.equal(outcome!.kind, 'down');
  assert.equal(end.taken.length, 0);
});
