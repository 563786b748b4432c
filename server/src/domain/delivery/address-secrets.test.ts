import assert from 'node:assert/strict';
import { test } from 'node:test';
import { openSecrets } from '../../platform/outbox/destinations.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeDevice, makeUser } from '../../testing/people.ts';
import { testVault } from '../../testing/vault.ts';
import { deviceAccess } from '../devices/access.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { triggerOperations } from '../triggers/operations.ts';
import { ruleOperations } from '../triggers/rule-operations.ts';
import { channelTests } from '../triggers/test-channels.ts';
import { destinationOperations } from './destinations.ts';

const any = () => undefined;

interface Shown {
  readonly id: number;
  readonly parameters: object;
  readonly escalation: object;
}
const shown = async (answer: unknown) => (await answer) as Shown;
const TOPIC = 'https://ntfy.example.com/fleet';
const TOKEN = 'tk_AgQdq7mVBoFD37zQVN29RhuMzNIz2';

onEitherEngine<Tables>('secrets of addresses', { migrations: MIGRATIONS }, (open) => {
  async function setting() {
    const store: Store = await open();
    const owner = await makeUser(store, 'owner@example.com');
    const deviceId = await makeDevice(store, owner.userId, { name: 'Van 3' });
    const parts = { access: deviceAccess(store), checkTarget: any, vault: testVault };
    const triggers = triggerOperations(store, parts.access, any, undefined, undefined, testVault);
    return {
      store,
      owner,
      triggers,
      deviceId,
      rules: ruleOperations(store, { ...parts, follow: async () => {} }),
      tests: channelTests(store, { ...parts, wake: any }),
      destinations: destinationOperations(store, any, testVault),
      async secretOf(target = TOPIC) {
        const rows = await store.query.selectFrom('destinations').selectAll().where('target', '=', target).execute();
        const [{ id, secrets }] = rows as [(typeof rows)[number]];
        assert.doesNotMatch(secrets ?? '', /tk_/, 'it is encrypted');
        const opened = openSecrets(testVault, id, secrets);
        return opened === 'unreadable' ? opened : opened.map(({ secret }) => secret);
      },
      /** Everything that is stored of triggers and rules. */
      async stored() {
        const tables = ['notificationTriggers', 'triggerVersions', 'rules', 'auditEntries'] as const;
        const rows = await Promise.all(tables.map((table) => store.query.selectFrom(table).selectAll().execute()));
        return JSON.stringify(rows);
      },
    };
  }
  const wanted = (more: object = {}) => ({
    delivery: { ntfy: true },
    parameters: { ntfyTopic: TOPIC, ntfyToken: TOKEN, ...more },
  });
  const body = (more: object = {}) => ({ type: 'button', name: 'SOS', muteFor: 0, ...wanted(), ...more });

  test('the token of a trigger is stored with its destination alone, and stays there until it is replaced', async () => {
    const { triggers, owner, deviceId, secretOf, stored } = await setting();
    const call = { deviceId, key: 0 };
    const made = await shown(triggers.createNotificationTrigger(callOf(owner, { ...call, body: body() })));
    assert.deepEqual(made.parameters, { ntfyTopic: TOPIC });
    assert.deepEqual(await secretOf(), [TOKEN]);
    const change = (parameters: Record<string, unknown>, more: object = {}) =>
      shown(
        triggers.updateNotificationTrigger(callOf(owner, { ...call, key: made.id, body: { parameters, ...more } })),
      );
    await change({ ntfyTopic: TOPIC });
    assert.deepEqual(await secretOf(), [TOKEN]);
    const changed = await change({ ntfyTopic: TOPIC, ntfyToken: 'tk_other' });
    assert.deepEqual(changed.parameters, { ntfyTopic: TOPIC });
    assert.deepEqual(await secretOf(), ['tk_other']);
    const escalated = await change(
      { ntfyTopic: TOPIC },
      { escalateAfter: 60, escalation: wanted({ ntfyTopic: 'boss' }) },
    );
    assert.deepEqual(escalated.escalation, { delivery: { ntfy: true }, parameters: { ntfyTopic: 'boss' } });
    assert.deepEqual([await secretOf(), await secretOf('boss')], [['tk_other'], [TOKEN]]);
    await change({ ntfyTopic: TOPIC, ntfyToken: null });
    assert.deepEqual(await secretOf(), []);
    assert.doesNotMatch(await stored(), /tk_/);
    for (const ntfyToken of ['tk_ 1', 'tk_\r\n', 7])
      await assert.rejects(change({ ntfyTopic: TOPIC, ntfyToken }), { statusCode: 422 });
  });

  test('so is the token of a rule, and of a test', async () => {
    const { rules, tests, owner, secretOf, stored } = await setting();
    const { userId } = owner;
    const made = await shown(rules.createRule(callOf(owner, { userId, body: { appliesTo: 'all', ...body() } })));
    assert.deepEqual(made.parameters, { ntfyTopic: TOPIC });
    assert.deepEqual(await secretOf(), [TOKEN]);
    const parameters = { ntfyTopic: TOPIC, ntfyToken: 'tk_other' };
    await rules.updateRule(callOf(owner, { userId, key: made.id, body: { parameters } }));
    assert.deepEqual(await secretOf(), ['tk_other']);
    await tests.testChannels(callOf(owner, { userId, body: wanted({ ntfyTopic: 'tried' }) }));
    assert.deepEqual(await secretOf('tried'), [TOKEN]);
    assert.doesNotMatch(await stored(), /tk_/);
  });

  test('a token is not shown, nor replaced, as the secret of a webhook', async () => {
    const { triggers, destinations, owner, deviceId, store, secretOf } = await setting();
    await triggers.createNotificationTrigger(callOf(owner, { deviceId, body: body() }));
    const { id: key } = await store.query.selectFrom('destinations').select('id').executeTakeFirstOrThrow();
    const call = callOf(owner, { userId: owner.userId, key }) as never;
    await assert.rejects(destinations.getWebhookSecret(call), { statusCode: 422 });
    await assert.rejects(destinations.rotateWebhookSecret(call), { statusCode: 422 });
    assert.deepEqual(await secretOf(), [TOKEN]);
  });
});
