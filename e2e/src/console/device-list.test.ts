import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';

inBrowser('The list of devices', (bed) => {
  const person = async (name: string) => voiceOf(bed.api, await makePerson(bed.api, bed.admin, name));

  test('many are tagged at once, and it is undone at once', async () => {
    const owner = await person('tagger');
    for (const name of ['Van 1', 'Van 2', 'Boat']) await owner.make('/devices', { name, tags: ['depot:north'] });
    await bed.visit('/devices', { as: owner }, async (page) => {
      await page.getByLabel('Select Van 1').check();
      await page.getByLabel('Select Van 2').check();
      await page.getByText('2 devices selected').waitFor();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Add a tag' }).click();
      await page.getByLabel('Tag', { exact: true }).fill('depot:south');
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Done for 2 devices.').waitFor();
      const tags = async () =>
        (await owner.get('/devices?filter[order]=name')).body.map((one: { tags: string[] }) => one.tags);
      assert.deepEqual(await tags(), [['depot:north'], ['depot:south'], ['depot:south']]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone').waitFor();
      assert.deepEqual(await tags(), [['depot:north'], ['depot:north'], ['depot:north']]);
    });
  });

  test('many are put into a group that exists or is new, taken out of it, and each is undone', async () => {
    const owner = await person('grouper');
    for (const name of ['Van 1', 'Van 2', 'Boat']) await owner.make('/devices', { name });
    const all = (await owner.get('/devices?filter[order]=id')).body as { id: number; name: string }[];
    const { id: vans } = await owner.client.createDeviceGroup({ id: 'me', body: { name: 'Vans' } });
    await owner.client.addDeviceGroupDevices({ id: 'me', fk: vans, body: { ids: [all[0]!.id] } });
    const inside = async () => {
      const members = await owner.client.listGroupMembers({ id: 'me' });
      const groups = await owner.client.listDeviceGroups({ id: 'me' });
      return Object.fromEntries(
        groups.map((group) => [
          group.name,
          members
            .filter(({ groupId }) => groupId === group.id)
            .map(({ deviceId }) => all.find(({ id }) => id === deviceId)!.name),
        ]),
      );
    };
    await bed.visit('/devices', { as: owner }, async (page) => {
      const choose = async (action: string) => {
        await page.getByLabel('Select Van 1').check();
        await page.getByLabel('Select Van 2').check();
        await page.getByRole('button', { name: 'Actions' }).click();
        await page.getByRole('menuitem', { name: action }).click();
      };
      const apply = async (told: string) => {
        await page.getByRole('button', { name: 'Apply' }).click();
        await page.getByText(told).waitFor();
      };
      const undo = async () => {
        await page.getByRole('button', { name: 'Undo' }).click();
        await page.getByText('Undone').waitFor();
        await page.getByRole('button', { name: 'Dismiss' }).last().click();
        await page.getByText('Undone').waitFor({ state: 'detached' });
      };
      await choose('Add to a group');
      await page.getByRole('dialog').getByLabel('Group', { exact: true }).selectOption('Vans');
      await apply('Done for 2 devices.');
      assert.deepEqual(await inside(), { Vans: ['Van 1', 'Van 2'] });
      await undo();
      assert.deepEqual(await inside(), { Vans: ['Van 1'] }, 'what was in it before stays');

      await choose('Add to a group');
      await page.getByRole('dialog').getByLabel('Group', { exact: true }).selectOption('New group');
      await page.getByLabel('Name of the group').fill('Rented');
      await apply('Done for 2 devices.');
      assert.deepEqual(await inside(), { Vans: ['Van 1'], Rented: ['Van 1', 'Van 2'] });
      await undo();
      assert.deepEqual(await inside(), { Vans: ['Van 1'] });

      await choose('Remove from a group');
      await apply('Done for 1 device.');
      assert.deepEqual(await inside(), { Vans: [] });
      await undo();
      assert.deepEqual(await inside(), { Vans: ['Van 1'] });
    });
    await bed.visit(`/groups/${vans}`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByRole('button', { name: 'Add devices' }).click();
      const dialog = page.getByRole('dialog');
      assert.equal(await dialog.getByLabel('Van 1').count(), 0, 'it is in the group');
      await dialog.getByLabel('Boat').check();
      await dialog.getByLabel('Find devices by name').fill('van');
      await dialog.getByLabel('Boat').waitFor({ state: 'detached' });
      await dialog.getByLabel('Select all that are found').check();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      await dialog.getByRole('button', { name: 'Add 2 devices' }).click();
      await page.getByText('2 devices were added').waitFor();
      await page.getByRole('link', { name: 'Boat' }).waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByRole('link', { name: 'Boat' }).waitFor({ state: 'detached' });
      assert.deepEqual(await inside(), { Vans: ['Van 1'] });
    });
  });

  test('a group tells the devices of the groups below it, what its devices do, and the rules for them', async () => {
    const owner = await person('keeper');
    const { id: van } = await owner.make('/devices', { name: 'Van 1' });
    const { id: west } = await owner.make('/users/me/groups', { name: 'Westmere' });
    const { id: north } = await owner.make('/users/me/groups', { name: 'North', parentId: west });
    await owner.make(`/users/me/groups/${north}/addDevices`, { ids: [van] });
    const rule = { type: 'speed', parameters: { limit: 80 }, appliesTo: 'group', groupId: west };
    const { id } = await owner.make('/users/me/rules', { name: 'Too fast', ...rule });
    await bed.visit('/groups', { as: owner }, async (page) => {
      await page.getByRole('link', { name: 'Westmere' }).getByText('1 device in groups below').waitFor();
      await page.getByRole('link', { name: 'North' }).getByText('1 device', { exact: true }).waitFor();
    });
    await bed.visit(`/groups/${north}`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByRole('list', { name: 'Devices' }).getByText('Offline').waitFor();
      const rules = page.getByRole('list', { name: 'Rules' });
      await rules.getByText('For Westmere').waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      await rules.getByRole('link', { name: 'Too fast' }).click();
      await page.waitForURL(`**/notifications/rules/${id}`);
    });
  });

  test('a view is saved for every browser', async () => {
    const owner = await person('viewer');
    await owner.make('/devices', { name: 'Silent' });
    await bed.visit('/devices', { as: owner }, async (page) => {
      await page.getByLabel('Status', { exact: true }).selectOption('Moving');
      await page.getByText('No devices found').waitFor();
      await page.getByRole('button', { name: 'Columns' }).click();
      await page.getByRole('menuitemradio', { name: 'Type' }).click();
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitem', { name: 'Save this view' }).click();
      await page.getByLabel('Name of the view').fill('What moves');
      await page.getByRole('button', { name: 'Save', exact: true }).click();
      await page.getByText('View “What moves” saved').waitFor();
    });
    await bed.visit('/devices', { as: owner, size: 'phone' }, async (page) => {
      await page.getByText('Silent').waitFor();
      await assertFits(page);
      await page.getByRole('button', { name: 'Views' }).click();
      await page.getByRole('menuitemradio', { name: 'What moves' }).click();
      await page.getByText('No devices found').waitFor();
      assert.match(page.url(), /state=moving/);
    });
  });

  test('a table is imported after a look at what it changes, exported, and undone', async () => {
    const owner = await person('importer');
    await owner.make('/devices', { name: 'Van 1', imei: '111' });
    await bed.visit('/devices', { as: owner }, async (page) => {
      await page.getByText('Van 1').waitFor();
      await page.getByRole('button', { name: 'Import and export' }).click();
      await page.getByRole('menuitem', { name: 'Import from CSV' }).click();
      const table = 'imei;name;tags\n111;Van One;depot:north\n222;Van Two;\n333;;\n';
      await page
        .getByLabel('CSV file')
        .setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer: Buffer.from(table) });
      await page.getByText('name: Van 1 → Van One · tags: (empty) → depot:north').waitFor();
      await page.getByText('A new device needs a name.').waitFor();
      const names = async () =>
        (await owner.get('/devices?filter[order]=imei')).body.map((one: { name: string }) => one.name);
      assert.deepEqual(await names(), ['Van 1'], 'nothing is changed before it is confirmed');
      await page.getByRole('button', { name: 'Import 2 rows' }).click();
      await page.getByText('Done for 2 devices.').waitFor();
      assert.deepEqual(await names(), ['Van One', 'Van Two']);

      await page.getByRole('button', { name: 'Import and export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
      ]);
      const text = await readFile(await download.path(), 'utf8');
      assert.match(text, /^\uFEFFid,name,type,imei,serial,iccid,tags,color,status/);
      assert.match(text, /,Van One,,111,,,depot:north,/);

      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone').waitFor();
      assert.deepEqual(await names(), ['Van 1']);
    });
  });

  test('a history is imported, and one that was interrupted goes on with the same file', async () => {
    const owner = await person('historian');
    const { id } = await owner.make('/devices', { name: 'Walker' });
    const START = Date.parse('2026-03-01T09:00:00Z');
    const at = (minute: number) => ({
      time: START + minute * 60_000,
      lat: 47 + Math.min(minute, 30) * 0.004,
      lng: 11,
    });
    const places = Array.from({ length: 61 }, (_, minute) => at(minute));
    const buffer = Buffer.from(
      `<gpx version="1.1"><trk><trkseg>${places
        .map(
          ({ time, lat, lng }) =>
            `<trkpt lat="${lat}" lon="${lng}"><time>${new Date(time).toISOString()}</time></trkpt>`,
        )
        .join('')}</trkseg></trk></gpx>`,
    );
    // As a page leaves it that was closed after ten positions.
    const { id: fk } = await owner.client.createHistoryImport({ id, body: { name: 'walk.gpx' } });
    const points = places.slice(0, 10).map(({ time, lat, lng }) => [time, lat, lng] as [number, number, number]);
    await owner.client.addImportedPoints({ id, fk, body: { first: 0, points } });
    await bed.visit('/devices', { as: owner }, async (page) => {
      await page.getByText('Walker').waitFor();
      await page.getByRole('button', { name: 'Import and export' }).click();
      await page.getByRole('menuitem', { name: 'Import history' }).click();
      await page.getByLabel('Into device').fill('Walk');
      await page.getByRole('option', { name: 'Walker' }).click();
      await page.getByText('The import of “walk.gpx” was interrupted after 10 positions.').waitFor();
      await page.getByLabel('File').setInputFiles({ name: 'walk.gpx', mimeType: 'application/gpx+xml', buffer });
      assert.deepEqual(await findings(page), []);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('61 positions were imported, 0 were known before, 0 were refused.').waitFor();
      await page.getByText('Trips and stops are built.').waitFor();
    });
    const range = { from: '2026-03-01T00:00:00Z', to: '2026-03-02T00:00:00Z' };
    assert.equal((await owner.client.listTrips({ id, ...range })).length, 1);
    const imports = await owner.client.listHistoryImports({ id });
    assert.deepEqual(
      imports.map((one) => [one.id, one.status]),
      [[fk, 'done']],
    );
  });

  test('many are deleted only after their number was typed', async () => {
    const owner = await person('deleter');
    for (const name of ['A', 'B', 'C']) await owner.make('/devices', { name });
    await bed.visit('/devices', { as: owner }, async (page) => {
      await page.getByLabel('Select all devices of the list').check();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Delete' }).click();
      const remove = page.getByRole('dialog').getByRole('button', { name: 'Delete' });
      assert.ok(await remove.isDisabled());
      await page.getByLabel('Type 3 to confirm').fill('3');
      await remove.click();
      await page.getByText('No devices yet').waitFor();
      assert.deepEqual((await owner.get('/devices')).body, []);
    });
  });
});
