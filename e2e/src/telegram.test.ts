import assert from 'node:assert/strict';
import test, { after, before, type TestContext } from 'node:test';
import { setTimeout } from 'node:timers/promises';
import { BLOCKED_CHAT, CHAT, telegramEnd } from '../../server/src/edge/channels/testing/telegram-end.ts';
import { onEitherEngine } from './harness/engines.ts';
import { makeStation, type Station } from './harness/station.ts';

const end = await telegramEnd({ after } as TestContext);

onEitherEngine(
  'telegram',
  (running) => {
    let station: Station;
    before(async () => {
      station = await makeStation(running.api);
    });

    async function pressed(name: string, telegramChat: unknown) {
      const { id, deviceKey } = await station.owner.make('/devices', { name });
      await station.owner.make(`/devices/${id}/notificationTriggers`, {
        type: 'button',
        delivery: { telegram: true },
        parameters: { telegramChat },
      });
      const headers = { authorization: `Bearer ${deviceKey}` };
      await running.api('POST', '/ingest/reports', { headers, body: { points: [{ alertType: 8 }] } });
      const [{ id: notificationId }] = (await station.owner.get(`/devices/${id}/notifications`)).body;
      return async () => (await station.owner.get(`/notifications/${notificationId}/deliveries`)).body[0];
    }

    test('a pressed button is written to the chat of its trigger, and a chat that blocked the bot holds up nobody', async () => {
      const before = end.messages.length;
      const blocked = await pressed('blocked', BLOCKED_CHAT);
      const sent = await pressed('pressed', CHAT);
      while ((await sent()).status !== 'sent') await setTimeout(50);
      const [message] = end.messages.slice(before);
      assert.equal(message!.chat_id, CHAT);
      assert.match(message!.text, /^The button on pressed was pressed\./);
      while ((await blocked()).attempts === 0) await setTimeout(50);
      const { reason, target, attemptLog } = await blocked();
      assert.match(reason, /bot was blocked by the user/);
      assert.deepEqual([target, attemptLog[0].refused], [String(BLOCKED_CHAT), true]);
      assert.ok(!running.server.output().includes(end.token), 'the token is in no log');
    });

    test('a chat is tried out before it is needed, and one that cannot be is refused', async () => {
      const { owner, device } = station;
      const found = (await owner.get('/users/me/destinations')).body;
      const { id } = found.find(({ target }: { target: string }) => target === String(CHAT));
      const before = end.messages.length;
      await owner.make(`/users/me/destinations/${id}/test`);
      while (end.messages.length === before) await setTimeout(50);
      assert.match(end.messages.at(-1)!.text, /^This is a test/);
      const wrong = { type: 'button', delivery: { telegram: true }, parameters: { telegramChat: 'a chat' } };
      assert.equal((await owner.post(`/devices/${device}/notificationTriggers`, wrong)).status, 422);
      assert.equal((await running.api('GET', '/api/info')).body.channels.telegram, true);
    });
  },
  { TRACKWAY_TELEGRAM_TOKEN: end.token, TRACKWAY_TELEGRAM_URL: end.url },
);
