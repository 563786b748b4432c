import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import test from 'node:test';
import { gt06 } from '@trackway/simulator/trackers/gt06.ts';
import { imeiOf } from '@trackway/simulator/trackers/voices.ts';
import writeExcelFile from 'write-excel-file/node';
import { makePerson } from '../harness/people.ts';
import { voiceOf } from '../harness/station.ts';
import { connectTracker } from '../harness/tracker.ts';
import { findings } from './axe.ts';
import { assertFits, inBrowser } from './harness.ts';
import { countSteps } from './steps.ts';

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
      await page.getByRole('menuitem', { name: 'Add tag' }).click();
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

  test('many may report without a key at once, and it is undone at once', async () => {
    const owner = await person('keyless');
    await owner.make('/devices', { name: 'Van 1', imei: '356307042449016', allowKeyless: true });
    await owner.make('/devices', { name: 'Van 2', imei: '356307042449024' });
    await owner.make('/devices', { name: 'Boat', imei: '356307042449032' });
    const allowed = async () =>
      (await owner.get('/devices?filter[order]=name')).body.map((one: { allowKeyless: boolean }) => one.allowKeyless);
    await bed.visit('/devices', { as: owner, size: 'phone' }, async (page) => {
      await page.getByLabel('Select Van 1').check();
      await page.getByLabel('Select Van 2').check();
      await page.getByRole('button', { name: 'Actions' }).click();
      await page.getByRole('menuitem', { name: 'Allow without a key' }).click();
      await page.getByText('Anyone who knows the number can report for the device.').waitFor();
      await assertFits(page);
      await page.getByRole('button', { name: 'Apply' }).click();
      await page.getByText('Done for 2 devices.').waitFor();
      assert.deepEqual(await allowed(), [false, true, true]);
      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone').waitFor();
      assert.deepEqual(await allowed(), [false, true, false], 'one that was allowed before stays so');
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
      const apply = async (received: string) => {
        await page.getByRole('button', { name: 'Apply' }).click();
        await page.getByText(received).waitFor();
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
      await page.getByRole('dialog').getByLabel('Group', { exact: true }).selectOption('Add group');
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
      await dialog.getByLabel('Select all results').check();
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

  test('a group shows the devices of the groups below it, what its devices do, and the alerts for them', async () => {
    const owner = await person('keeper');
    const { id: van } = await owner.make('/devices', { name: 'Van 1' });
    const { id: west } = await owner.make('/users/me/groups', { name: 'Westmere' });
    const { id: north } = await owner.make('/users/me/groups', { name: 'North', parentId: west });
    await owner.make(`/users/me/groups/${north}/addDevices`, { ids: [van] });
    const rule = { type: 'speed', parameters: { limit: 80 }, appliesTo: 'group', groupId: west };
    const { id } = await owner.make('/users/me/rules', { name: 'Too fast', ...rule });
    await bed.visit('/groups', { as: owner }, async (page) => {
      await page.getByRole('link', { name: 'Westmere' }).getByText('1 device in subgroups').waitFor();
      await page.getByRole('link', { name: 'North' }).getByText('1 device', { exact: true }).waitFor();
    });
    await owner.make('/devices', { name: 'Elsewhere' });
    await bed.visit(`/groups/${west}`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByText('No devices directly in this group. 1 device in subgroups.').waitFor();
      await page.getByRole('link', { name: 'Show on map' }).click();
      await page.getByRole('button', { name: 'Group: Westmere' }).waitFor();
      await page.getByRole('button', { name: '1 offline' }).waitFor();
      await assertFits(page);
      await page.getByRole('button', { name: 'Group: Westmere' }).click();
      await page.getByRole('button', { name: '2 offline' }).waitFor();
    });
    await bed.visit(`/groups/${north}`, { as: owner, size: 'phone' }, async (page) => {
      await page.getByRole('list', { name: 'Devices' }).getByText('Offline').waitFor();
      const rules = page.getByRole('list', { name: 'Alerts' });
      await rules.getByText('For Westmere').waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      await rules.getByRole('link', { name: 'Too fast' }).click();
      await page.waitForURL(`**/alerts/rules/${id}`);
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
    const { id } = await owner.make('/devices', { name: 'Van 1', imei: '111' });
    const { id: jane } = await owner.make('/users/me/drivers', { name: 'Jane' });
    await owner.make(`/devices/${id}/driver`, { driverId: jane });
    const driver = async () => (await owner.get(`/devices/${id}/driver`)).body.driverName;
    await bed.visit('/devices', { as: owner }, async (page) => {
      await page.getByText('Van 1').waitFor();
      await page.getByRole('button', { name: 'Import and export' }).click();
      await page.getByRole('menuitem', { name: 'Import devices' }).click();
      const table = 'imei;name;tags;driver\n111;Van One;depot:north;Tom\n222;Van Two;;\n333;;;\n';
      await page
        .getByLabel('Spreadsheet (XLSX or CSV)')
        .setInputFiles({ name: 'fleet.csv', mimeType: 'text/csv', buffer: Buffer.from(table) });
      await page.getByText('Name: Van 1 → Van One · Tags: (empty) → depot:north · Driver: (empty) → Tom').waitFor();
      await page.getByText('A new device needs a name. (line 4)').waitFor();
      const names = async () =>
        (await owner.get('/devices?filter[order]=imei')).body.map((one: { name: string }) => one.name);
      assert.deepEqual(await names(), ['Van 1'], 'nothing is changed before it is confirmed');
      await page.getByRole('button', { name: 'Import 2 rows' }).click();
      await page.getByText('Done for 2 devices.').waitFor();
      assert.deepEqual(await names(), ['Van One', 'Van Two']);
      assert.equal(await driver(), 'Tom');

      await page.getByRole('button', { name: 'Import and export' }).click();
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('menuitem', { name: 'Export as CSV' }).click(),
      ]);
      const text = await readFile(await download.path(), 'utf8');
      assert.match(text, /^\uFEFFid,name,type,imei,serial,iccid,tags,color,plate,status/);
      assert.match(text, /,Van One,,111,,,depot:north,/);

      await page.getByRole('button', { name: 'Undo' }).click();
      await page.getByText('Undone').waitFor();
      assert.deepEqual(await names(), ['Van 1']);
      assert.equal(await driver(), 'Jane', 'the driver before');
    });
  });

  test('fifty vans of a spreadsheet with foreign headings report at once', async (t) => {
    const owner = bed.admin;
    const fleet = Array.from({ length: 50 }, (_, van) => [
      `Sprinter ${van + 1}`,
      Number(imeiOf(van + 100)),
      `B-TW ${van}`,
    ]);
    const sheet = [
      ['Fuhrpark'],
      ['Fahrzeug', 'IMEI-Nr.', 'Nummer', 'Abteilung', 'Fahrer'],
      ...fleet.map((row) => [...row, 'Nord', 'Anna']),
    ];
    const cells = sheet.map((row) =>
      row.map((value) => ({ value, type: typeof value === 'number' ? Number : String })),
    );
    const buffer = await writeExcelFile(cells as never).toBuffer();
    await bed.visit('/devices', { as: owner, size: 'phone' }, async (page) => {
      // Opening the list is the first.
      const steps = countSteps(1);
      const { step } = steps;
      await step(page.getByRole('button', { name: 'Import and export' }).click());
      await step(page.getByRole('menuitem', { name: 'Import devices' }).click());
      const [template] = await Promise.all([
        page.waitForEvent('download'),
        page.getByRole('button', { name: 'Download template' }).click(),
      ]);
      assert.match(await readFile(await template.path(), 'utf8'), /^\uFEFFName,IMEI,Serial number,Plate/);
      const mimeType = 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet';
      const file = page.getByLabel('Spreadsheet (XLSX or CSV)');
      await step(file.setInputFiles({ name: 'Fuhrpark.xlsx', mimeType, buffer }));
      assert.equal(await page.getByLabel('IMEI-Nr.').inputValue(), 'imei');
      await step(page.getByLabel('Nummer').selectOption({ label: 'Plate' }));
      await page.getByText('New: 50').waitFor();
      await assertFits(page);
      assert.deepEqual(await findings(page), []);
      await step(page.getByRole('button', { name: 'Import 50 rows' }).click());
      await page.getByText('Done for 50 devices.').waitFor();
      assert.ok(steps.taken <= 8, `${steps.taken} steps to vans that report`);
    });
    const imei = imeiOf(149);
    const tracker = await connectTracker(t, gt06, imei, bed.server.trackersPort);
    await tracker.logIn();
    tracker.report([{ timestamp: Date.now(), location: { lat: 52.2, lng: 5.2 }, speed: 0 }]);
    await tracker.confirmed(1);
    const { body } = await owner.get(`/devices?filter=${encodeURIComponent(JSON.stringify({ where: { imei } }))}`);
    assert.equal(body[0].name, 'Sprinter 50');
    const vehicle = await bed.api('GET', `/v2/devices/${body[0].id}/vehicle`, { token: bed.admin.token });
    assert.equal(vehicle.body.plate, 'B-TW 49');
    assert.equal((await owner.get(`/devices/${body[0].id}/points`)).body.length, 1, 'its position was stored');
    assert.equal((await owner.get(`/devices/${body[0].id}/driver`)).body.driverName, 'Anna');
    const groups = (await owner.get('/users/me/groups')).body;
    assert.deepEqual(
      groups.map(({ name }: { name: string }) => name),
      ['Nord'],
    );
    assert.equal((await owner.get('/users/me/groupMembers')).body.length, 50);
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
      await page.getByRole('dialog').getByLabel('Device', { exact: true }).fill('Walk');
      await page.getByRole('option', { name: 'Walker' }).click();
      await page.getByText('The import of “walk.gpx” was interrupted after 10 positions.').waitFor();
      await page.getByLabel('File').setInputFiles({ name: 'walk.gpx', mimeType: 'application/gpx+xml', buffer });
      assert.deepEqual(await findings(page), []);
      await page.getByRole('button', { name: 'Resume' }).click();
      await page.getByText('61 positions imported, 0 already known, 0 rejected.').waitFor();
      await page.getByText('Trips and stops are complete.').waitFor();
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
      await page.getByLabel('Select all devices in the list').check();
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
