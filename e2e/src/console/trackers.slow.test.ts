import assert from 'node:assert/strict';
import { once } from 'node:events';
import test from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import { replyTo } from '../harness/gt06-reply.ts';
import { connectTracker } from '../harness/tracker.ts';
import { assertFits, inBrowser } from './harness.ts';
import { assertCount, until } from './until.ts';

/** Trackers that speak a protocol of their own, as people meet them. */
inBrowser(
  'Trackers in the console',
  (bed) => {
    const connect = (t: Parameters<typeof connectTracker>[0], imei: string) =>
      connectTracker(t, gt06, imei, bed.server.trackersPort);
    const here = (ago = 1000) => ({ timestamp: Date.now() - ago, location: { lat: 50, lng: 8 }, speed: 0 });

    /** A device that is connected, and reported where it was ten minutes ago. */
    async function connected(t: Parameters<typeof connectTracker>[0], imei: string, name: string) {
      const { id } = await bed.admin.make('/devices', { name, imei, allowKeyless: true });
      const tracker = await connect(t, imei);
      await tracker.logIn();
      tracker.report([here(600_000)]);
      await tracker.confirmed(1);
      return { id, tracker };
    }

    test('an unknown one is listed, added under a name, and its next position is there', async (t) => {
      const imei = imeiOf(1);
      const [unwanted, tracker] = await Promise.all([connect(t, imeiOf(2)), connect(t, imei)]);
      await bed.visit('/welcome', { as: bed.admin, size: 'phone' }, async (page) => {
        await page.getByText('No unknown tracker has connected yet.').waitFor();
        await page.getByText(String(bed.server.trackersPort), { exact: true }).waitFor();
        tracker.say(gt06.login!(imei));
        unwanted.say(gt06.login!(imeiOf(2)));
        await page.getByRole('button', { name: `Dismiss ${imeiOf(2)}` }).click();
        await page.getByText(imeiOf(2), { exact: true }).waitFor({ state: 'detached' });
        await page.getByRole('button', { name: `Add ${imei}…` }).click();
        const name = page.getByRole('dialog').getByLabel('Device name');
        assert.equal(await name.inputValue(), `GT06 ${imei.slice(-4)}`);
        await name.fill('Lorry 7');
        await page.getByRole('button', { name: 'Add device' }).last().click();
        await page.getByText('Lorry 7 was added. Its next report is stored.').waitFor();
        await page.getByText(imei, { exact: true }).waitFor({ state: 'detached' });
        await assertFits(page);
        tracker.report([here()]);
        await tracker.confirmed(1);
        await page.getByRole('link', { name: 'View device' }).click();
        await page.getByRole('heading', { name: 'Lorry 7' }).waitFor();
        await page.getByText('50.00000, 8.00000').first().waitFor();
      });
      const sample = Buffer.from(gt06.report(imei, [here()] as never, 2)).toString('hex');
      const person = await bed.admin.make('/users', {
        username: 'berta',
        email: 'berta@example.org',
        password: 'a password for tests',
      });
      const berta = { ...bed.admin, id: person.id, email: 'berta@example.org', password: 'a password for tests' };
      await bed.visit('/welcome', { as: berta }, async (page) => {
        await page.getByRole('heading', { name: 'Claim a device by its serial number' }).waitFor();
        assert.equal(await page.getByRole('heading', { name: 'Unknown trackers' }).count(), 0);
        await page.getByLabel('APN').fill('iot.example');
        await page.getByText('APN,iot.example#').waitFor();
        await page.getByText(`,${bed.server.trackersPort},0#`).waitFor();
        await page.getByLabel('Data of the tracker').fill(`${gt06.login!(imei).toString('hex')} ${sample}`);
        await page.getByRole('button', { name: 'Identify' }).click();
        await page.getByText('This is GT06. Its well-known port is 5023.').waitFor();
        await page.getByText(`The tracker identifies itself as ${imei}.`).waitFor();
        await page.getByText(/^50\.00000, 8\.00000/).waitFor();
        await page.getByLabel('Data of the tracker').fill('hello world');
        await page.getByRole('button', { name: 'Identify' }).click();
        await page.getByText('No known protocol begins with these bytes.').waitFor();
        await page.getByLabel('IMEIs or serial numbers').fill(`${imeiOf(31)}\n${imeiOf(32)}, ${imei}`);
        await page.getByRole('button', { name: 'Add 3 trackers' }).click();
        await page.getByText('2 devices can report now.').waitFor();
        await page.getByText(`${imei}: A device with this number already exists.`).waitFor();
        await assertFits(page);
      });
    });

    test('only commands of its protocol are offered, and each shows its state and the reply', async (t) => {
      const { id, tracker } = await connected(t, imeiOf(3), 'Van 3');
      await bed.visit(`/devices/${id}/messages`, { as: bed.admin, size: 'phone' }, async (page) => {
        const menu = page.getByRole('button', { name: 'Send command' });
        await menu.click();
        assert.deepEqual(await page.getByRole('menuitem').allInnerTexts(), [
          'Request position',
          'Restart…',
          'Set interval…',
          'Stop engine…',
          'Resume engine…',
          'Fix stuck commands…',
        ]);
        await page.getByRole('menuitem', { name: 'Set interval…' }).click();
        await page.getByLabel('Report every').fill('0');
        await page.getByText('Enter a whole number from 1 to 2,592,000.').waitFor();
        await page.getByLabel('Report every').fill('30');
        await page.getByRole('button', { name: 'Set interval', exact: true }).click();
        const sent = page.getByRole('article').filter({ hasText: 'interval seconds=30' });
        await sent.getByText('Sent, not confirmed yet').waitFor();
        const [message] = (await bed.admin.get(`/devices/${id}/messages`)).body;
        tracker.say(replyTo(message.id, 'TIMER OK'));
        await sent.getByText(/^Delivered/).waitFor();
        const reply = page.getByRole('article').filter({ hasText: 'TIMER OK' });
        await reply.waitFor();
        await assertCount(reply, 1);
        const closed = once(tracker.socket, 'close');
        await page.getByRole('button', { name: 'Send command' }).click();
        await page.getByRole('menuitem', { name: 'Fix stuck commands…' }).click();
        await page.getByRole('button', { name: 'Close connections' }).click();
        await page.getByText('The connections were closed.').waitFor();
        await closed;
        await assertFits(page);
      });
    });

    test('commands are restricted to networks, and what another connection may not receive is held', async (t) => {
      const { id } = await connected(t, imeiOf(8), 'Van 8');
      await bed.visit(`/devices/${id}`, { as: bed.admin, size: 'phone' }, async (page) => {
        await page.getByRole('button', { name: 'Edit', exact: true }).click();
        const networks = page.getByLabel('Networks for commands');
        await networks.fill('203.0.113.0/24, key');
        await assertFits(page);
        await page.getByRole('button', { name: 'Save' }).click();
        await networks.waitFor({ state: 'detached' });
        assert.deepEqual((await bed.admin.get(`/devices/${id}`)).body.commandsFrom, ['203.0.113.0/24', 'key']);
        await page.goto(`${bed.server.address}/devices/${id}/messages`);
        await page.getByRole('button', { name: 'Send command' }).click();
        await page.getByRole('menuitem', { name: 'Request position' }).click();
        await page
          .getByText(/network/)
          .first()
          .waitFor();
        const [message] = (await bed.admin.get(`/devices/${id}/messages`)).body;
        assert.equal(message.state, 'queued');
        assert.match(message.failure, /network/);
      });
    });

    test('to stop an engine is asked twice, and it is refused where no position says that it is slow', async (t) => {
      const { id, tracker } = await connected(t, imeiOf(4), 'Van 4');
      const stops = () => tracker.received().split(Buffer.from('Relay').toString('hex')).length - 1;
      await bed.visit(`/devices/${id}/messages`, { as: bed.admin }, async (page) => {
        const ask = async () => {
          await page.getByRole('button', { name: 'Send command' }).click();
          await page.getByRole('menuitem', { name: 'Stop engine…' }).click();
          await page.getByRole('heading', { name: 'Stop the engine of Van 4?' }).waitFor();
        };
        await ask();
        await page.getByText(/not moving faster than 12\smph/).waitFor();
        await page.getByRole('button', { name: 'Continue…' }).click();
        await page.getByRole('heading', { name: 'Really stop the engine of Van 4?' }).waitFor();
        assert.deepEqual(
          (await bed.admin.get(`/devices/${id}/messages`)).body,
          [],
          'nothing is sent before the second',
        );
        await page.getByRole('button', { name: 'Stop engine', exact: true }).click();
        await page.getByText('Failed: No position from the last 60 seconds, so the engine was not stopped').waitFor();
        assert.equal(stops(), 0);

        await ask();
        await page.getByLabel('Stop it at any speed').check();
        await page.getByText('Stopping the engine of a moving vehicle can kill.').waitFor();
        await page.getByRole('button', { name: 'Continue…' }).click();
        await page.getByText('at any speed. It cannot be started again').waitFor();
        await page.getByRole('button', { name: 'Stop engine at any speed' }).click();
        await page.getByText('Sent, not confirmed yet').waitFor();
        await until(() => stops() === 1, 'the tracker gets the command');
      });
    });

    test('an alert for alarms is limited to those that are chosen', async () => {
      const { id } = await bed.admin.make('/devices', { name: 'Van 5' });
      await bed.visit(`/alerts/new?device=${id}`, { as: bed.admin }, async (page) => {
        await page.getByText('Alarm of a tracker', { exact: true }).click();
        await page.getByText('When Van 5 raises any alarm').waitFor();
        for (const alarm of ['SOS', 'Harsh braking']) await page.getByText(alarm, { exact: true }).click();
        await page.getByText('When Van 5 raises the alarm SOS or harsh braking').waitFor();
        await page.getByRole('button', { name: 'Add alert' }).click();
        await page.getByRole('button', { name: 'Save anyway' }).click();
        await page.getByText('Alert added').waitFor();
      });
      const [trigger] = (await bed.admin.get(`/devices/${id}/notificationTriggers`)).body;
      assert.deepEqual([trigger.type, trigger.parameters.alarms], ['alarm', ['sos', 'harshBraking']]);
    });

    test('admins see what could not be read, with its bytes', async (t) => {
      const { tracker } = await connected(t, imeiOf(6), 'Van 6');
      const frame = gt06.login!(imeiOf(6));
      frame[5]! ^= 0xff;
      tracker.say(frame);
      await until(async () => (await bed.admin.get('/undecoded-frames')).body.length > 0, 'it is noted');
      await bed.visit('/health', { as: bed.admin, size: 'phone' }, async (page) => {
        const row = page.getByRole('listitem').filter({ has: page.getByRole('link', { name: 'Van 6' }) });
        await row.getByText('GT06').waitFor();
        await row.getByText('Last sample, hexadecimal').click();
        await row.getByText(frame.toString('hex').replaceAll(/(..)(?=.)/g, '$1 ')).waitFor();
        await assertFits(page);
      });
    });
  },
  { TRACKWAY_PUBLIC_URL: 'http://track.example.com' },
);
