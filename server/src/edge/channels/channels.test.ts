import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';
import { CHANNELS } from '@trackway/contract/channels.ts';
import { createEgress } from '../../platform/egress/client.ts';
import { parcelOf } from './channel-suite.ts';
import { type ChannelOptions, createChannels, missingSetup } from './channels.ts';
import { vapidKeys } from './vapid.ts';

const UNSET = {
  sqsEndpoint: '',
  sqsAllow: '*',
  smtpUrl: '',
  smtpFrom: '',
  mqttUrl: '',
  publicUrl: '',
  adminEmail: '',
};

const options = async (): Promise<ChannelOptions> => ({
  ...UNSET,
  egress: createEgress({ allowTargets: '' }),
  pushKeys: await vapidKeys(async (_name, make) => make()),
});

test('each way out of the contract is there; what is not set up says so, before and when it is used', async (t) => {
  const channels = createChannels(await options());
  t.after(() => Promise.all(Object.values(channels).map((channel) => channel.close())));
  assert.deepEqual(Object.keys(channels).sort(), [...CHANNELS].sort());
  const missing = missingSetup(UNSET);
  for (const kind of ['email', 'mqtt'] as const) {
    const destination = { id: 1, target: kind, secrets: [] };
    const [outcome] = await channels[kind].send(destination, [parcelOf('a')], new AbortController().signal);
    assert.deepEqual(outcome, { kind: 'unconfigured', reason: missing[kind] });
  }
  const set = missingSetup({ ...UNSET, smtpUrl: 'smtp://x', smtpFrom: 'a@example.test', mqttUrl: 'mqtt://x' });
  assert.deepEqual([set.push, set.email, set.http, set.mqtt], [null, null, null, null]);
});

test('a server that uses none of them brings in none of their libraries', () => {
  const script = `
    import { registerHooks } from 'node:module';
    const loaded = [];
    registerHooks({ load: (url, context, next) => (loaded.push(url), next(url, context)) });
    const { createChannels } = await import(${JSON.stringify(import.meta.resolve('./channels.ts'))});
    createChannels({ smtpUrl: 'smtp://x', smtpFrom: 'a@x', mqttUrl: 'mqtt://x', publicUrl: '', adminEmail: '' });
    console.log(loaded.join('\\n'));
  `;
  const out = execFileSync(process.execPath, ['--input-type=module', '-e', script], { encoding: 'utf8' });
  assert.match(out, /channels\.ts/);
  assert.doesNotMatch(out, /node_modules/);
});
