import assert from 'node:assert/strict';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '@trackway/server/domain/history/manifest.ts';
import { asAdmin, serve, signedIn, tempFolder, trackway } from '../testing/trackway.ts';

test('an archive is written while the server runs, and says what is in it', async (t) => {
  const { address, data } = await serve(t, asAdmin);
  const { client } = await signedIn(address);
  const { id } = await client.createDevice({ body: { name: 'Van' } });
  const timestamp = '2020-01-15T12:00:00.000Z';
  await client.createPoint({ id, body: { timestamp, location: { lat: 1, lng: 2 } } });
  const folder = join(await tempFolder(), 'archive');
  const { code, out, err } = await trackway(['archive', '--to', folder, '--before', '2020-03-01', '--data', data]);
  assert.equal(code, 0, err);
  assert.match(out, /^positions +1 +1$/m);
  assert.match(out, /^Archive: .+archive, 1 file, [\d.]+ MB\.$/m);
  const { files } = await readManifest(folder);
  assert.deepEqual(
    files.map(({ firstAt, rows }) => [firstAt, rows]),
    [[timestamp, 1]],
  );
  assert.deepEqual(await readdir(join(folder, 'positions')), ['month=2020-01']);
});

test('it explains what is wrong', async (t) => {
  const { data } = await serve(t);
  const folder = await tempFolder();
  const tried = async (...words: string[]) => {
    const { code, err } = await trackway(['archive', ...words, '--data', data]);
    assert.notEqual(code, 0);
    return err;
  };
  assert.match(await tried(), /Missing flag: --to/);
  assert.match(await tried('--to', 's3://bucket'), /must be a folder on this machine/);
  assert.match(await tried('--to', folder, '--before', 'May'), /--before must be a date/);
  const tomorrow = new Date(Date.now() + 86_400_000).toISOString().slice(0, 10);
  assert.match(await tried('--to', folder, '--before', tomorrow, '--remove'), /at the latest/);
});
