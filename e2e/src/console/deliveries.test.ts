import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { startReceiver } from '../harness/receiver.ts';
import { voiceOf } from '../harness/station.ts';
import { ALLOWS_LOCAL } from './furnish.ts';
import { inBrowser } from './harness.ts';
import { assertCount, until } from './until.ts';

inBrowser(
  'Deliveries',
  (bed) => {
    test('are all there at first, and what did not arrive comes before what did', async () => {
      const receiver = await startReceiver();
      try {
        const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'sends'));
        const { id } = await owner.make('/devices', { name: 'Van 9' });
        await owner.make(`/devices/${id}/forwarders`, { kind: 'http', target: receiver.address, types: ['newLoc'] });
        const report = () => owner.make(`/devices/${id}/points`, { location: { lat: 52, lng: 5 }, accuracy: 5 });
        await report();
        const isSent = async () => (await owner.get('/users/me/deliveries')).body[0]?.status === 'sent';
        await until(isSent, 'the first has arrived');
        receiver.status = 503;
        await report();
        await bed.visit('/outbox', { as: owner }, async (page) => {
          await page.getByRole('tab', { name: 'Deliveries' }).click();
          assert.equal(await page.getByLabel('Status').inputValue(), 'all');
          const open = page.getByRole('region', { name: 'Not delivered' });
          await open.getByText('Webhook', { exact: true }).waitFor();
          await assertCount(open.getByRole('listitem'), 1);
          const sent = page
            .getByRole('list', { name: 'Deliveries, newest first' })
            .getByText('Webhook', { exact: true });
          await sent.waitFor();
          const [above, below] = [await open.boundingBox(), await sent.boundingBox()];
          assert.ok(above!.y < below!.y);
        });
      } finally {
        await receiver.close();
      }
    });
  },
  ALLOWS_LOCAL,
);
