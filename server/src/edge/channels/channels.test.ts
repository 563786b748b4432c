import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { CHANNEL_KINDS } from '@trackway/contract/channels.ts';
import { SETTINGS, type Settings } from '../../app/settings.ts';
import { createEgress } from '../../platform/egress/client.ts';
import { testVault } from '../../testing/vault.ts';
import { createChannels, setupOf } from './channels.ts';
import type { ChannelParts } from './definition.ts';
import { parcelOf } from './testing/channel-suite.ts';
import { vapidKeys } from './vapid.ts';

const UNSET = Object.fromEntries(
  Object.entries(SETTINGS).map(([name, declaration]) => [name, declaration.default]),
) as Settings;

const parts = async (): Promise<ChannelParts> => ({
  egress: createEgress({ allowTargets: '' }),
  pushKeys: await vapidKeys(async (_name, make) => make()),
  vault: testVault,
  queueRight: async () => 'named',
});

test('each channel of the contract is there; what is not set up says so, before and when it is used', async (t) => {
  const channels = createChannels(UNSET, await parts());
  t.after(() => Promise.all(Object.values(channels).map((channel) => channel.close())));
  assert.deepEqual(Object.keys(channels).sort(), [...CHANNEL_KINDS].sort());
  const unset = setupOf(UNSET);
  // Of queues the SDK says so itself, by credentials that this machine may have.
  const needy = CHANNEL_KINDS.filter((kind) => unset[kind].missing !== null && kind !== 'sqs');
  assert.ok(needy.includes('email') && needy.includes('mqtt'));
  for (const kind of needy) {
    const destination = { id: 1, target: kind, secrets: [] };
    const [outcome] = await channels[kind].send(destination, [parcelOf('a')], new AbortController().signal);
    assert.equal(outcome!.kind, 'unconfigured', kind);
    assert.match((outcome as { reason: string }).reason, /is not set up on this server/, kind);
  }
  const set = setupOf({ ...UNSET, smtpUrl: 'smtp://x', smtpFrom: 'a@example.test', mqttUrl: 'mqtt://x' });
  for (const kind of ['push', 'email', 'http', 'mqtt'] as const) assert.equal(set[kind].missing, null, kind);
});

test('a server that uses none of them brings in none of their libraries', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { createChannels } = await import(${JSON.stringify(import.meta.resolve('./channels.ts'))});
    createChannels(${JSON.stringify({ ...UNSET, smtpUrl: 'smtp://x', smtpFrom: 'a@x', mqttUrl: 'mqtt://x' })}, {});
    console.log(loaded.join('\\n'));
  `;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.match(out, /channels\.ts/);
  assert.doesNotMatch(out, /node_modules\/(?!@formatjs)/, 'besides the parser of messages');
});
