import assert from 'node:assert/strict';
import test from 'node:test';
import { makePerson } from '../harness/people.ts';
import { type Voice, voiceOf } from '../harness/station.ts';
import { assertFits, inBrowser } from './harness.ts';

const DEPOT = { name: 'Depot', center: { lat: 52, lng: 5 }, radius: 200 };

inBrowser('Lists of geofences in the console', (bed) => {
  const newPerson = async (): Promise<Voice> => voiceOf(bed.api, await makePerson(bed.api, bed.admin, 'lists'));
  const newList = async (owner: Voice, name: string) =>
    (await owner.client.createGeofenceList({ userid: 0, body: { name, color: '#1f9d6b' } })).id;

  test('a list is made, filled, renamed, shared, no longer shared and deleted', async () => {
    const owner = await newPerson();
    const friend = await newPerson();
    const fence = await owner.make('/users/me/geofences', DEPOT);
    await bed.visit('/geofences', { as: owner }, async (page) => {
      await page.getByRole('link', { name: 'Geofence lists' }).click();
      await page.getByRole('button', { name: 'Add geofence list' }).click();
      await page.getByLabel('Name').fill('Places');
      await page.getByRole('dialog').getByRole('button', { name: 'Add geofence list' }).click();
      await page.getByRole('heading', { name: 'Places', level: 1 }).waitFor();

      await page.getByLabel('Add geofence').click();
      await page.getByRole('option', { name: 'Depot' }).click();
      const onIt = page.getByRole('list', { name: 'Geofences on this list' });
      await onIt.getByRole('link', { name: 'Depot' }).waitFor();
      await onIt.getByRole('button', { name: 'Remove Depot from the list' }).click();
      await page.getByText('No geofences yet.').waitFor();
      await page.getByRole('button', { name: 'Undo' }).click();
      await onIt.getByRole('link', { name: 'Depot' }).waitFor();

      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Name').fill('Depots');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'Depots', level: 1 }).waitFor();

      await page.getByRole('button', { name: 'Share' }).click();
      await page.getByLabel('E-mail address').fill(friend.email);
      await page.getByRole('dialog').getByRole('button', { name: 'Share' }).click();
      await page.getByRole('list', { name: 'Sharing' }).getByText(friend.email).waitFor();
    });
    const [shared] = (await friend.client.listGeofenceLists({ userid: 0 })).data;
    assert.equal(shared?.name, 'Depots');
    await bed.visit(`/geofences/lists/${shared?.id}`, { as: owner, size: 'phone', theme: 'dark' }, async (page) => {
      await page.getByRole('button', { name: `Stop sharing with ${friend.email}` }).click();
      await page.getByText('their geofences are removed from it').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Stop sharing' }).click();
      await page.getByText('Not shared').waitFor();
      await assertFits(page);
      await page.getByRole('button', { name: 'Delete' }).click();
      await page.getByRole('button', { name: 'Delete geofence list' }).click();
      await page.getByText('No geofence lists yet').waitFor();
    });
    assert.deepEqual((await friend.client.listGeofenceLists({ userid: 0 })).data, []);
    assert.equal((await owner.get(`/users/me/geofences/${fence.id}`)).status, 200, 'its geofences stay');
  });

  test('a member sees who shares it, adds their own, changes nothing of others, and leaves it', async () => {
    const owner = await newPerson();
    const member = await newPerson();
    const listid = await newList(owner, 'Yards');
    const { id: fenceid } = await owner.make('/users/me/geofences', DEPOT);
    await owner.client.putGeofenceOnList({ userid: 0, fenceid, listid });
    await owner.client.shareGeofenceList({ userid: 0, listid, body: { email: member.email } });
    await member.make('/users/me/geofences', { ...DEPOT, name: 'Harbour' });
    await bed.visit('/geofences/lists', { as: member }, async (page) => {
      await page.getByRole('link', { name: /Yards.*1 geofence.*Shared with you/ }).click();
      await page.getByText(`Shared with you by ${owner.email}`).waitFor();
      await page.getByText('From another member').waitFor();
      for (const name of ['Edit', 'Delete', 'Remove Depot from the list'])
        assert.equal(await page.getByRole('button', { name }).count(), 0, name);
      await page.getByLabel('Add geofence').fill('harb');
      await page.getByRole('option', { name: 'Harbour' }).click();
      await page.getByRole('link', { name: 'Harbour' }).click();
      await page.getByRole('heading', { name: 'Harbour', level: 1 }).waitFor();
      await page.getByRole('link', { name: 'Yards' }).click();
      await page.getByRole('button', { name: 'Leave' }).click();
      await page.getByRole('button', { name: 'Leave geofence list' }).click();
      await page.getByText('You left “Yards”').waitFor();
      await page.getByText('No geofence lists yet').waitFor();
      await page.goto(`${bed.server.address}/geofences/lists/${listid}`);
      await page.getByRole('heading', { name: 'Geofence list not found' }).waitFor();
    });
  });
});
