import assert from 'node:assert/strict';
import test, { after } from 'node:test';
import { CREDENTIALS, sqsEnd } from '../../../server/src/edge/channels/testing/sqs-end.ts';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';
import { until } from './until.ts';

const queues = await sqsEnd({ after });

/** What the browser says of an answer that refuses. */
const REFUSES = [/status of (422|503)/];

inBrowser(
  'The proof of a queue',
  (bed) => {
    const codeIn = async (name: string): Promise<string> => {
      let code: string | undefined;
      await until(async () => {
        const letters = await queues.take(name);
        if (letters.length > 0) ({ code } = JSON.parse(letters.at(-1)!.Body!));
        return code !== undefined;
      }, 'the code is in the queue');
      return code!;
    };

    test('is asked for where it is missing, takes the code of the queue, and lets data through', async () => {
      const arn = await queues.makeQueue('mine');
      const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'queues'));
      const { id } = await owner.make('/devices', { name: 'Van 7' });
      await owner.make(`/devices/${id}/forwarders`, { kind: 'sqs', target: arn, types: ['newLoc'], raw: true });
      const report = () => owner.make(`/devices/${id}/points`, { location: { lat: 52, lng: 5 }, accuracy: 5 });
      await report();
      const isDead = async () => (await owner.get('/users/me/deliveries')).body[0]?.status === 'dead';
      await until(isDead, 'what came before the proof is given up');
      await bed.visit(
        `/devices/${id}/forwarding`,
        { as: owner, size: 'phone', theme: 'dark', allows: REFUSES },
        async (page) => {
          await page.getByText('Not verified').waitFor();
          await page.getByRole('button', { name: 'Verify this queue' }).click();
          const dialog = page.getByRole('dialog', { name: 'Verify this queue' });
          await dialog.getByText(arn).waitFor();
          await assertFits(page);
          await dialog.getByRole('button', { name: 'Send code' }).click();
          await dialog.getByLabel('Code', { exact: true }).fill('a guess');
          await dialog.getByRole('button', { name: 'Confirm' }).click();
          await dialog.getByText('This code is wrong or has expired.').waitFor();
          await dialog.getByLabel('Code', { exact: true }).fill(await codeIn('mine'));
          await dialog.getByRole('button', { name: 'Confirm' }).click();
          await page.getByText('The queue is verified.').waitFor();
          await dialog.waitFor({ state: 'hidden' });
          await page.getByText('Ready. Nothing has been sent yet.').waitFor();
          assert.equal(await page.getByRole('button', { name: 'Verify this queue' }).count(), 0);
          assert.equal(await page.getByText('not proven').count(), 0);
        },
      );
      await report();
      await until(async () => (await queues.take('mine')).length > 0, 'a position is in the queue');
    });

    test('says in plain words why a code cannot be sent', async () => {
      const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'no-queue'));
      const { id } = await owner.make('/devices', { name: 'Van 8' });
      const target = 'arn:aws:sqs:us-east-1:000000000000:missing';
      await owner.make(`/devices/${id}/forwarders`, { kind: 'sqs', target, types: ['newLoc'] });
      await bed.visit(`/devices/${id}/forwarding`, { as: owner, allows: REFUSES }, async (page) => {
        await page.getByRole('button', { name: 'Verify this queue' }).click();
        await page.getByRole('button', { name: 'Send code' }).click();
        const problem = page.getByRole('dialog').getByText(/^The code could not be sent\. The queue does not exist/);
        await problem.waitFor();
        assert.doesNotMatch(await problem.innerText(), /instance|`|\.\.$/);
      });
    });
  },
  {
    TRACKWAY_SQS_ENDPOINT: queues.endpoint,
    AWS_ACCESS_KEY_ID: CREDENTIALS.accessKeyId,
    AWS_SECRET_ACCESS_KEY: CREDENTIALS.secretAccessKey,
  },
);
