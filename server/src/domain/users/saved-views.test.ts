import assert from 'node:assert/strict';
import { test } from 'node:test';
import { MOST_VIEWS } from '@trackway/contract/resources/fleet-tools/saved-view.ts';
import { onEitherEngine } from '../../testing/databases.ts';
import { callOf, makeUser } from '../../testing/people.ts';
import { MIGRATIONS } from '../schema/migrations.ts';
import type { Tables } from '../schema/tables.ts';
import { savedViewOperations } from './saved-views.ts';

const VIEW = { page: 'devices', name: 'Low batteries', settings: { battery: 'low', columns: ['place'] } };
const textOf = (answer: unknown) => (answer as { text: string }).text;

onEitherEngine<Tables>('saved views', { migrations: MIGRATIONS }, (open) => {
  test('each user has their own, and finds them in every browser', async () => {
    const store = await open();
    const [jane, joe] = [await makeUser(store, 'jane@example.com'), await makeUser(store, 'joe@example.com')];
    const views = savedViewOperations(store);
    const made = (await views.createSavedView(callOf(jane, { body: VIEW }))) as { id: number };
    const ofJane = textOf(await views.listSavedViews(callOf(jane)));
    assert.deepEqual(
      JSON.parse(ofJane).map(({ name, settings }: typeof VIEW) => ({ name, settings })),
      [{ name: VIEW.name, settings: VIEW.settings }],
    );
    assert.deepEqual(JSON.parse(textOf(await views.listSavedViews(callOf(joe)))), []);
    await assert.rejects(async () => views.deleteSavedView(callOf(joe, { key: made.id })), { statusCode: 404 });
    const changed = { settings: { battery: 'any' } };
    await views.updateSavedView(callOf(jane, { key: made.id, body: changed }));
    assert.match(textOf(await views.getSavedView(callOf(jane, { key: made.id }))), /"battery":"any"/);
  });

  test('there are not endlessly many, nor endless ones', async () => {
    const store = await open();
    const jane = await makeUser(store, 'jane@example.com');
    const views = savedViewOperations(store);
    const long = { ...VIEW, settings: { columns: 'x'.repeat(4001) } };
    await assert.rejects(async () => views.createSavedView(callOf(jane, { body: long })), { statusCode: 422 });
    for (let count = 0; count < MOST_VIEWS; count++) await views.createSavedView(callOf(jane, { body: VIEW }));
    await assert.rejects(async () => views.createSavedView(callOf(jane, { body: VIEW })), { statusCode: 422 });
  });
});
