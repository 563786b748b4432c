import assert from 'node:assert/strict';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { ADMIN, asAdmin, serve, signedIn, trackway } from '../testing/trackway.ts';

test('the outbox is shown, resent and reopened by the command', async (t) => {
  let status = 400;
  const messageIds: string[] = [];
  const receiver = createServer((request, response) => {
    messageIds.push(request.headers['webhook-id'] as string);
    response.writeHead(status).end();
  });
  receiver.listen(0, '127.0.0.1');
  await once(receiver, 'listening');
  t.after(() => {
    receiver.closeAllConnections();
    receiver.close();
  });
  const hook = `http://127.0.0.1:${(receiver.address() as AddressInfo).port}/hook`;
  const { address } = await serve(t, { ...asAdmin, TRACKWAY_ALLOW_TARGETS: '127.0.0.0/8' });
  const { client, token } = await signedIn(address, ADMIN);
  const outbox = (...words: string[]) =>
    trackway(['outbox', ...words], { env: { TRACKWAY_URL: address, TRACKWAY_TOKEN: token } });
  const stateOf = async (fk: number) => (await client.getDestination({ id: 'me', fk })).state;
  const sent = async () => (await client.countDeliveries({ id: 'me', where: { status: 'sent' } })).count;

  assert.deepEqual(await outbox(), { code: 0, out: 'No destinations yet.\n', err: '' });
  assert.deepEqual(await outbox('list', '--dead'), { code: 0, out: 'No deliveries found.\n', err: '' });

  const { id } = await client.createDevice({ body: { name: 'van' } });
  await client.createForwarder({ id, body: { kind: 'http', target: hook } });
  const [destination] = await client.listDestinations({ id: 'me' });
  status = 410;
  const delivery = await client.testDelivery({ id: 'me', fk: destination!.id });
  await eventually('it is switched off', async () => (await stateOf(destination!.id)) === 'off');
  const shown = await outbox();
  assert.match(shown.out, /^id +kind +target +user +state +queued +lag +dead +last success +last error\n/);
  assert.match(shown.out, new RegExp(`^${destination!.id} +http +${hook} +1 +off +1 .*410`, 'm'));
  const waiting = await outbox('list');
  assert.match(waiting.out, new RegExp(`^${delivery.id} .* http +${hook} +test +queued +1 .*410`, 'm'));

  status = 200;
  const reopened = await outbox('reopen', String(destination!.id));
  assert.match(reopened.out, /^Retrying destination \d+\. Queued deliveries: 1\.|is up\./);
  await eventually('it is up', async () => (await stateOf(destination!.id)) === 'up');
  await eventually('it is sent', async () => (await sent()) === 1);
  assert.equal(messageIds.length, 2);

  const again = await outbox('resend', String(delivery.id));
  assert.match(again.out, new RegExp(`^Delivery ${delivery.id} is (queued|sending|sent)\\.\n$`), again.err);
  await eventually('it is sent again', () => messageIds.length === 3);
  await eventually('it is sent', async () => (await sent()) === 1);
  const range = await outbox('resend', '--from', '2020-01-01', '--sent', '--destination', String(destination!.id));
  assert.equal(range.out, 'Deliveries queued again: 1.\n', range.err);
  await eventually('it is sent once more', () => messageIds.length === 4);
  assert.equal(new Set(messageIds).size, 1, 'a message keeps its id');
  const none = await outbox('resend', '--from', '2020-01-01');
  assert.equal(none.out, 'No deliveries to resend.\n');

  assert.deepEqual(await outbox('resend'), {
    code: 2,
    out: '',
    err: 'Specify either an id or --from.\nRun "trackway outbox resend --help" for usage.\n',
  });
  assert.match((await outbox('reopen', '99')).err, /^404 MODEL_NOT_FOUND/);
  assert.match((await outbox('reopen', 'x')).err, /^"x" is not an id\./);
});
