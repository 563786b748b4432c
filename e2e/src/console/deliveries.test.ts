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

    test('the failed e-mails of a user are among their destinations, and with the report that was to be mailed', async () => {
      const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'mails'));
      const { id } = await owner.make('/users/me/savedReports', { name: 'Last trips', kind: 'trips', period: 'week' });
      await owner.make(`/users/me/savedReports/${id}/send`, {});
      const isDead = async () => (await owner.get('/users/me/deliveries')).body[0]?.status === 'dead';
      await until(isDead, 'this server has no mail server');
      await bed.visit('/outbox', { as: owner }, async (page) => {
        const mails = page.getByRole('region', { name: 'E-mail Mail server of this installation' });
        await mails.getByRole('definition').nth(1).filter({ hasText: '1' }).waitFor();
        await mails.getByRole('link', { name: 'Deliveries' }).click();
        await page.getByText('Report', { exact: true }).waitFor();
      });
      await bed.visit('/reports/saved', { as: owner, size: 'phone' }, async (page) => {
        await page
          .getByRole('row', { name: /Last trips/ })
          .getByText('Failed')
          .waitFor();
      });
    });
  },
  ALLOWS_LOCAL,
);
