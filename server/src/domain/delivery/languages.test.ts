import assert from 'node:assert/strict';
import { test } from 'node:test';
import { messagesIn } from '@trackway/contract/messages/messages.ts';
import { happenedTo } from '@trackway/contract/wording/sentence.ts';
import { AMERICAN, BRITISH, METRIC, type Units } from '@trackway/contract/wording/units.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser, NOW, shareWith } from '../../testing/people.ts';
import { relayStaged } from '../../testing/relay-staged.ts';
import { deviceAccess } from '../devices/access.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { contentOf } from '../tracking/state/record-notification.ts';
import type { Firing } from '../triggers/evaluator.ts';
import { triggerOperations } from '../triggers/operations.ts';
import { accountOperations } from '../users/accounts.ts';
import { send } from './send.ts';
import { DEFAULT_POLICY } from './sending-policy.ts';

const READERS = [
  ['en', AMERICAN, 'Van 3 exceeded 49.7 mph: 55.9 mph', 'Device: Van 3'],
  ['de', METRIC, 'Van 3 fährt schneller als 80 km/h: 90 km/h', 'Gerät: Van 3'],
  ['fr', BRITISH, 'Van 3 dépasse 49,7 mph : 55,9 mph', 'Appareil: Van 3'],
] as const;

onEitherEngine<Tables>('languages', { migrations: MIGRATIONS }, (open) => {
  test('the same notification is mailed to three users in their languages and units', async () => {
    const store: Store = await open();
    const accounts = accountOperations(store);
    const triggers = triggerOperations(store, deviceAccess(store), () => undefined, DEFAULT_POLICY);
    const owner = await makeUser(store, 'en@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    for (const [language, units, sentence, device] of READERS) {
      const reader = language === 'en' ? owner : await makeUser(store, `${language}@example.com`);
      if (reader !== owner) await shareWith(store, deviceId, reader.userId);
      const kept = (await accounts.updateUser(callOf(reader, { body: { language, units } as never }))) as {
        language: string;
        units: Units;
      };
      assert.deepEqual([kept.language, kept.units], [language, units]);
      const body = { type: 'speed', muteFor: 0, parameters: { limit: 80 }, delivery: { email: true } };
      const trigger = (await triggers.createNotificationTrigger(callOf(reader, { deviceId, body: body as never }))) as {
        id: number;
      };
      const rule = {
        triggerId: trigger.id,
        version: 1,
        userId: reader.userId,
        name: 'Fast',
        type: 'speed' as const,
        parameters: { limit: 80 },
      };
      const firing: Firing = { rule, kind: 'over', at: NOW, decidedAt: NOW, facts: { value: 90, limit: 80 } };
      const content = contentOf(firing, { deviceName: 'Van 3', late: false });
      const { message, sent } = JSON.parse(content.params);
      assert.deepEqual([message, sent], ['Van 3 exceeded 80 km/h: 90 km/h', undefined], 'English and metric');
      const row = {
        ...content,
        created: NOW,
        deviceId,
        userId: reader.userId,
        triggerId: trigger.id,
        status: 'valid' as const,
        reason: null,
        isForPeople: 1,
        isOrdered: 1,
        severity: 'warning' as const,
        unread: 1,
        acknowledgedAt: null,
        acknowledgedBy: null,
        escalatedAt: null,
        note: null,
      };
      await store.transaction(async (tx) => {
        const { id } = await tx.insertInto('notifications').values(row).returning('id').executeTakeFirstOrThrow();
        await send(tx, DEFAULT_POLICY, [{ deviceId, forwarders: [], notifications: [{ id, ...row }] }], NOW);
      });
      await relayStaged(store);
      const [mail] = await store.query
        .selectFrom('outbox')
        .select(['content'])
        .where('userId', '=', reader.userId)
        .where('channel', '=', 'email')
        .execute();
      const { text, html } = JSON.parse(mail!.content) as { text: string; html: string };
      assert.ok(text.startsWith(`${sentence}.`), text);
      assert.ok(text.includes(device), text);
      assert.ok(html.includes(`<html lang="${language}">`));
    }
  });
});

test('English in metric units says what the message of the server says', () => {
  const said = (type: string, meta: object, units: Units = METRIC) =>
    happenedTo({ device: 'Van 3', params: { type, meta } }, { messages: messagesIn('en'), locale: 'en-GB', units });
  assert.equal(
    said('geofence', { crossType: 'exit', zone: { name: 'Depot' }, lasted: 120 }),
    'Van 3 has been outside Depot for 2 minutes',
  );
  assert.equal(said('temp', { value: 31.24, max: 30 }), 'Temperature of Van 3 is above 30 °C: 31.2 °C');
  assert.equal(said('temp', { value: 31.24, max: 30 }, AMERICAN), 'Temperature of Van 3 is above 86 °F: 88.2 °F');
  assert.equal(said('alarm', { value: 'harshBraking' }), 'Van 3 raised an alarm: harsh braking');
  assert.equal(said('alarm', { value: 'sos' }), 'Van 3 raised an alarm: SOS');
  assert.equal(said('tow', { value: 150.4 }), 'Van 3 is being towed: it moved 150 m with the ignition off');
  assert.equal(said('unheardOf', {}), 'unheardOf');
});
