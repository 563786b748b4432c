import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { inBrowser } from './harness.ts';
import { goOn, settled } from './settled.ts';

const MINUTE = 60_000;

inBrowser('Leaving a page', (bed) => {
  test('of readings breaks nothing, wherever the pointer is', async () => {
    const owner = voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'reads'));
    const { id } = await owner.make('/devices', { name: 'Van 3' });
    for (const minutes of [30, 20, 10])
      await owner.make(`/devices/${id}/readings`, {
        type: 'humidity',
        value: minutes,
        timestamp: new Date(Date.now() - minutes * MINUTE).toISOString(),
      });
    // The harness fails on any error that a page says or throws.
    await bed.visit(`/devices/${id}/readings`, { as: owner }, async (page) => {
      for (const next of ['messages', 'config', '']) {
        await page.getByRole('img', { name: 'Chart of Humidity' }).waitFor();
        await settled(page);
        await page.getByRole('img', { name: 'Chart of Humidity' }).hover();
        await goOn(page, `/devices/${id}/${next}`);
        await page.mouse.move(200, 300);
        await goOn(page, `/devices/${id}/readings`);
      }
      await page.getByRole('img', { name: 'Chart of Humidity' }).hover();
    });
  });
});
