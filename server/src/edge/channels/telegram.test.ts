import assert from 'node:assert/strict';
import { type TestContext, test } from 'node:test';
import type { SendOutcome } from '../../platform/outbox/channel.ts';
import { NOT_A_TOKEN, telegramChannel } from './telegram.ts';
import { channelSuite, DEADLINE_MS, parcelOf, type Rig, sendTo } from './testing/channel-suite.ts';
import { BLOCKED_CHAT, CHAT, reply, type TelegramEnd, telegramEnd } from './testing/telegram-end.ts';

async function open(t: TestContext, deadlineMs = DEADLINE_MS): Promise<Rig & { readonly end: TelegramEnd }> {
  const end = await telegramEnd(t);
  const channel = telegramChannel({ token: end.token, url: end.url, deadlineMs });
  t.after(() => channel.close());
  return {
    end,
    channel,
    destination: { id: 1, target: String(CHAT), secrets: [] },
    address: null,
    behave: end.behave,
    arrived: async () => end.messages.map(({ text }) => text),
    secrets: [end.token],
  };
}

channelSuite('telegram', open);

const sendOne = async (rig: Rig, target = String(CHAT), text = 'Van 3 entered Depot.\n'): Promise<SendOutcome> =>
  (await sendTo({ ...rig, destination: { ...rig.destination, target } }, [parcelOf(null, { text })]))[0]!;

test('chats are named by their number or, if public, by their name', async (t) => {
  const rig = await open(t);
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
  assert.deepEqual(await sendOne(rig, '@fleet'), { kind: 'sent' });
  assert.deepEqual(rig.end.messages, [
    { chat_id: CHAT, text: 'Van 3 entered Depot.' },
    { chat_id: '@fleet', text: 'Van 3 entered Depot.' },
  ]);
});

test('a long text is cut at the end of a line', async (t) => {
  const rig = await open(t);
  const line = `- ${'é'.repeat(60)}`;
  assert.deepEqual(await sendOne(rig, undefined, Array(100).fill(line).join('\n')), { kind: 'sent' });
  assert.deepEqual(await sendOne(rig, undefined, '🚚'.repeat(4000)), { kind: 'sent' });
  const [many, one] = rig.end.messages.map(({ text }) => text);
  assert.deepEqual([...new Set(many!.split('\n'))], [line, '…']);
  assert.ok(many!.length > 4000 && one!.length > 4000);
  assert.ok(one!.endsWith('…') && one!.isWellFormed());
});

test('a chat that the bot may not write to is refused, and no other chat notices', async (t) => {
  const rig = await open(t);
  const [blocked, unknown] = [await sendOne(rig, String(BLOCKED_CHAT)), await sendOne(rig, '5')];
  assert.deepEqual(blocked, {
    kind: 'refused',
    reason: 'Telegram refused the message: Forbidden: bot was blocked by the user',
  });
  assert.equal(unknown.kind, 'refused');
  assert.match((unknown as { reason: string }).reason, /chat not found\. Start a conversation with the bot/);
  rig.end.answer((response) =>
    reply(response, 400, { ok: false, description: 'Upgraded', parameters: { migrate_to_chat_id: -100 } }),
  );
  assert.match(((await sendOne(rig)) as { reason: string }).reason, /new id: -100$/);
  rig.end.answer(undefined);
  assert.deepEqual(await sendOne(rig), { kind: 'sent' });
});

test('too many messages are sent later, when Telegram says', async (t) => {
  const rig = await open(t);
  const description = 'Too Many Requests: retry after 7';
  rig.end.answer((response) => reply(response, 429, { ok: false, description, parameters: { retry_after: 7 } }));
  const reason = `Telegram limits the number of messages: ${description}`;
  assert.deepEqual(await sendOne(rig), { kind: 'down', reason, retryAfterMs: 7000 });
});

test('a wrong token is down, with the setting in the reason and without the token', async (t) => {
  const rig = await open(t);
  const token = '1:wrong';
  const channel = telegramChannel({ token, url: rig.end.url });
  t.after(() => channel.close());
  const wrong = { ...rig, channel, secrets: ['wrong'] };
  const reason = "Telegram does not accept the bot's token (401): check TRACKWAY_TELEGRAM_TOKEN.";
  assert.deepEqual(await sendOne(wrong), { kind: 'down', reason });
  rig.end.answer((response) => reply(response, 404, { ok: false, description: `Not Found: /bot${token}/` }));
  assert.match(((await sendOne(wrong)) as { reason: string }).reason, /TOKEN and TRACKWAY_TELEGRAM_URL\.$/);
  // A proxy on the way may repeat what was asked.
  for (const status of [400, 502]) {
    for (const asked of [token, encodeURIComponent(token)]) {
      rig.end.answer((response) => reply(response, status, { description: `Not so: /bot${asked}/sendMessage` }));
      await sendOne(wrong);
    }
  }
});

test('a server that is not the Bot API, or is not there, is down', async (t) => {
  const rig = await open(t);
  rig.end.answer((response) => response.end('<html>Welcome</html>'));
  const reason = 'The server of TRACKWAY_TELEGRAM_URL does not respond like the Bot API.';
  assert.deepEqual(await sendOne(rig), { kind: 'down', reason, isUnclear: true });
  for (const [url, why] of [
    ['http://127.0.0.1:1', /TRACKWAY_TELEGRAM_URL cannot be called/],
    ['http://127.0.0.1:1025', /Connection refused/],
  ] as const) {
    const channel = telegramChannel({ token: rig.end.token, url });
    const outcome = await sendOne({ ...rig, channel });
    assert.equal(outcome.kind, 'down');
    assert.match((outcome as { reason: string }).reason, why);
    await channel.close();
  }
});

test('without a token, or with something else in its place, it says at once how to configure it', async (t) => {
  const rig = await open(t);
  for (const [token, reason] of [
    ['', 'Telegram is not set up on this server.'],
    ['../secret', NOT_A_TOKEN],
  ] as const) {
    const channel = telegramChannel({ token, url: rig.end.url });
    assert.deepEqual(await sendOne({ ...rig, channel }), { kind: 'unconfigured', reason });
    await channel.close();
  }
});
