import assert from 'node:assert/strict';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { goOn } from './settled.ts';

inBrowser('Links to public pages', (bed) => {
  async function tracked(name: string) {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'owner'));
    const { id, deviceKey } = await owner.client.createDevice({ body: { name } });
    const report = async (lat: number, speed = 54) => {
      const point = { timestamp: new Date().toISOString(), location: { lat, lng: 8.68 }, speed, accuracy: 5 };
      const { status, text } = await bed.api('POST', '/ingest/reports', {
        token: deviceKey,
        body: { points: [point] },
      });
      assert.equal(status, 200, text);
    };
    await report(50.1);
    const link = async (body: object = {}) => {
      const made = await owner.make(`/devices/${id}/links`, body);
      return {
        id: made.id as number,
        path: new URL(made.url, bed.server.address).href.slice(bed.server.address.length),
      };
    };
    return { owner, id, report, link };
  }

  test('an owner makes a link on a phone, sees how often it was opened, and revokes it', async () => {
    const { owner, id } = await tracked('Van 3');
    let url = '';
    await bed.visit(`/devices/${id}`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByRole('button', { name: 'Share live position' }).click();
      const dialog = page.getByRole('dialog', { name: 'Share the live position of Van 3' });
      await dialog.getByLabel('Ends after').selectOption('8 hours');
      await dialog.getByLabel('Also show where it was in the last hour').check();
      const destination = dialog.getByRole('combobox', { name: 'Destination' });
      await destination.fill('nowhere at all');
      await dialog.getByText('No place found.').waitFor();
      await destination.fill('berl');
      await dialog.getByRole('option', { name: 'Berlin', exact: true }).waitFor();
      await destination.fill('50.2, 8.68');
      await dialog.getByRole('option', { name: '50.2, 8.68' }).click();
      await dialog.getByLabel('Name of the destination').fill('the depot');
      assert.deepEqual(await findings(page), []);
      await assertFits(page);
      await dialog.getByRole('button', { name: 'Add link' }).click();
      const made = page.getByRole('dialog', { name: 'Link added' });
      url = await made.locator('code').innerText();
      assert.ok(url.startsWith(`${bed.server.address}/l/`), url);
      await made.getByText(/^Phones cannot connect yet/).waitFor();
      await made.getByRole('img', { name: 'QR code with the link' }).waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      await made.getByRole('button', { name: 'Done' }).click();
      // It can be opened again in this tab, and copied with another address.
      await goOn(page, '/links');
      await page.getByRole('button', { name: 'Show the link to Van 3' }).click();
      assert.equal(await made.locator('code').innerText(), url);
      await assertFits(page);
      await made.getByRole('button', { name: 'Done' }).click();
    });
    const path = url.slice(bed.server.address.length);
    await bed.visit(path, { size: 'phone' }, async (page) => {
      await page.getByRole('heading', { name: 'Van 3' }).waitFor();
      await page.getByText(/from the depot in a straight line/).waitFor();
    });
    await bed.visit('/links', { as: owner }, async (page) => {
      await page.getByText('Once,').waitFor();
      await page.getByText('Position and the last hour. Destination: the depot').filter({ visible: true }).waitFor();
      assert.deepEqual(await findings(page), []);
      await page.getByRole('button', { name: 'Revoke the link to Van 3' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('No links').waitFor();
    });
    await bed.visit(path, { allows: [/status of 403/] }, async (page) => {
      await page.getByRole('heading', { name: 'This link has ended' }).waitFor();
      assert.deepEqual(await findings(page), []);
    });
  });

  for (const size of ['phone', 'laptop'] as const)
    for (const theme of ['light', 'dark'] as const)
      test(`anyone sees it live on a ${size}, ${theme}, and its secret goes nowhere`, async () => {
        const { report, link, owner, id } = await tracked('Boat');
        const body = { trail: true, destination: { lat: 50.2, lng: 8.68 }, destinationName: 'Harbour' };
        const { path, id: linkId } = await link(body);
        const asked: string[] = [];
        await bed.visit('/l/nothing', { size, theme, allows: [/status of 403/] }, async (page) => {
          await page.getByRole('heading', { name: 'This link is incomplete' }).waitFor();
          page.on('request', (request) => asked.push(`${request.url()} ${request.headers().referer ?? ''}`));
          // It goes on reporting, so that it is live however slow this machine is.
          let isUnderWay = true;
          const way = (async () => {
            for (; isUnderWay; await new Promise((resolve) => setTimeout(resolve, 3000))) await report(50.1);
          })();
          await page.goto(bed.server.address + path);
          await page.getByRole('heading', { name: 'Boat' }).waitFor();
          await page.getByText('Live').waitFor();
          await page.getByText('34 mph').waitFor();
          await page.getByText(/^Position: \d+:\d\d:\d\d/).waitFor();
          await page.getByText('6.9 mi from Harbour in a straight line').waitFor();
          await page.getByText('About 12 min at this speed').waitFor();
          isUnderWay = false;
          await way;
          await page.locator('[aria-label="Map with the position of Boat"][aria-busy="false"]').waitFor();
          assert.deepEqual(await findings(page), []);
          await assertFits(page);
          await report(50.2, 0);
          await page.getByText('At Harbour').waitFor();
          await owner.delete(`/devices/${id}/links/${linkId}`);
          await page.getByRole('heading', { name: 'This link has ended' }).waitFor();
          assert.equal(await page.getByText('Boat').count(), 0, 'nothing of it is left on the page');
        });
        const secret = path.split('#')[1]!;
        assert.ok(asked.length > 3);
        assert.deepEqual(
          asked.filter((one) => one.includes(secret)),
          [],
          'the secret stands in no address and no referrer',
        );
        assert.deepEqual(
          asked.filter((one) => /\/(session|api\/(devices|users|live))/.test(one)),
          [],
          'it asks for nothing that needs a sign-in',
        );
      });

  for (const size of ['phone', 'laptop'] as const)
    test(`a link of a group shows its devices as they come and go, on a ${size}`, async () => {
      const { owner, id } = await tracked('Van 1');
      const report = async (deviceKey: string, lat: number) => {
        const point = { timestamp: new Date().toISOString(), location: { lat, lng: 8.68 }, speed: 0, accuracy: 5 };
        const { status, text } = await bed.api('POST', '/ingest/reports', {
          token: deviceKey,
          body: { points: [point] },
        });
        assert.equal(status, 200, text);
      };
      const { id: group } = await owner.make('/users/me/groups', { name: 'Vans' });
      await owner.make(`/users/me/groups/${group}/addDevices`, { ids: [id] });
      let url = '';
      await bed.visit(`/groups/${group}`, { as: owner, size }, async (page) => {
        await page.getByRole('button', { name: 'Share live positions' }).click();
        const dialog = page.getByRole('dialog', { name: 'Share the live positions of Vans' });
        await dialog.getByLabel('Also show where they were in the last hour').check();
        assert.deepEqual(await findings(page), []);
        await assertFits(page);
        await dialog.getByRole('button', { name: 'Add link' }).click();
        url = await page.getByRole('dialog', { name: 'Link added' }).locator('code').innerText();
      });
      await bed.visit(url.slice(bed.server.address.length), { size, allows: [/status of 403/] }, async (page) => {
        await page.getByRole('heading', { name: 'Vans' }).waitFor();
        await page.getByRole('button', { name: /^Van 1.* \d+:\d\d:\d\d/ }).waitFor();
        const other = await owner.client.createDevice({ body: { name: 'Van 2' } });
        await report(other.deviceKey!, 50.11);
        await owner.make(`/users/me/groups/${group}/addDevices`, { ids: [other.id] });
        await page.getByRole('button', { name: /^Van 2/ }).click();
        await page.getByText('2 devices').waitFor();
        await page.locator('[aria-label="Map with the position of Vans"][aria-busy="false"]').waitFor();
        assert.deepEqual(await findings(page), []);
        await assertFits(page);
        await owner.make(`/users/me/groups/${group}/removeDevices`, { ids: [other.id, id] });
        await page.getByText('No devices at the moment').waitFor();
        await bed.visit('/links', { as: owner, size }, async (list) => {
          await list.getByRole('link', { name: 'Vans' }).waitFor();
          await assertFits(list);
          await list.getByRole('button', { name: 'Revoke the link to Vans' }).click();
          await list.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
          await list.getByText('No links').waitFor();
        });
        await page.getByRole('heading', { name: 'This link has ended' }).waitFor();
      });
    });

  test('a link of a group shows when each of its devices arrives', async () => {
    const { owner, id, report } = await tracked('Van 1');
    const standing = await owner.client.createDevice({ body: { name: 'Van 2' } });
    const { id: group } = await owner.make('/users/me/groups', { name: 'Vans' });
    await owner.make(`/users/me/groups/${group}/addDevices`, { ids: [id, standing.id] });
    const destination = { lat: 50.2, lng: 8.68 };
    const { url } = await owner.make('/users/me/groupLinks', {
      groupId: group,
      destination,
      destinationName: 'Harbour',
    });
    const path = new URL(url, bed.server.address).href.slice(bed.server.address.length);
    await bed.visit(path, { size: 'phone' }, async (page) => {
      const van = page.getByRole('button', { name: /^Van 1/ });
      await report(50.1);
      await van.getByText('6.9 mi from Harbour in a straight line · About 12 min at this speed').waitFor();
      assert.deepEqual(await findings(page), []);
      await assertFits(page);
      await report(50.2, 0);
      await van.getByText('At Harbour').waitFor();
    });
  });

  test('only the sites of its list show it in a frame', async () => {
    const { link } = await tracked('Bus');
    const site = createServer((request, response) => {
      const framed = new URL(request.url!, 'http://site').searchParams.get('framed')!;
      response
        .setHeader('content-type', 'text/html')
        .end(`<title>site</title><main><iframe src="${framed}"></iframe></main>`);
    });
    await new Promise<void>((resolve) => site.listen(0, '127.0.0.1', resolve));
    const origin = `http://127.0.0.1:${(site.address() as AddressInfo).port}`;
    try {
      const [open, closed] = [await link({ origins: [origin] }), await link()];
      const framed = ({ path }: { path: string }) =>
        `${origin}/?framed=${encodeURIComponent(bed.server.address + path)}`;
      const allows = [/frame-ancestors/, /Failed to load resource/, /status of 40/];
      await bed.visit('/l/nothing', { alsoAsks: origin, allows }, async (page) => {
        await page.goto(framed(open));
        await page.frameLocator('iframe').getByRole('heading', { name: 'Bus' }).waitFor();
        const refused = page.waitForEvent('console', (said) => said.text().includes('frame-ancestors'));
        await page.goto(framed(closed));
        await refused;
        // The handle of a link that may be framed does not open the secret of another.
        const mixed = `${open.path.split('#')[0]}#${closed.path.split('#')[1]}`;
        await page.goto(framed({ path: mixed }));
        await page.frameLocator('iframe').getByRole('heading', { name: 'This link has ended' }).waitFor();
      });
    } finally {
      site.close();
    }
  });
});
