import assert from 'node:assert/strict';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { readManifest } from '@trackway/server/domain/history/manifest.ts';
import { unzip } from '@trackway/server/testing/unzip.ts';
import { asAdmin, serve, signedIn, tempFolder, trackway } from '../testing/trackway.ts';

test('a device is exported, erased with a record that can be checked, and taken out of an archive', async (t) => {
  const { address, data } = await serve(t, asAdmin);
  const { client } = await signedIn(address);
  const { id } = await client.createDevice({ body: { name: 'Van' } });
  const { id: other } = await client.createDevice({ body: { name: 'Other' } });
  const point = { timestamp: '2020-01-15T12:00:00.000Z', location: { lat: 1, lng: 2 } };
  await client.createPoint({ id, body: point });
  await client.createPoint({ id: other, body: point });
  const folder = await tempFolder();
  const run = async (...words: string[]) => {
    const { code, out, err } = await trackway([...words, '--data', data]);
    assert.equal(code, 0, err);
    return out;
  };

  await run('export', 'device', String(id), '--to', join(folder, 'van.zip'));
  const files = unzip(await readFile(join(folder, 'van.zip')));
  assert.equal(JSON.parse(files.get('positions.jsonl')!).timestamp, point.timestamp);
  assert.match(await run('export', 'user', 'boss@example.com', '--to', join(folder, 'boss.zip')), /^Exported to /);

  const archive = join(folder, 'archive');
  await run('archive', '--to', archive, '--before', '2020-03-01');
  await run('backup', join(folder, 'copy.db'));

  const refused = await trackway(['erase', 'device', String(id), '--data', data]);
  assert.match(refused.err, /To confirm, add the name of the device: --confirm "Van"/);
  const record = join(folder, 'record.json');
  const said = await run('erase', 'device', String(id), '--confirm', 'Van', '--record', record);
  assert.ok(said.includes(`archive ${archive} on `) && said.includes(`backup ${join(folder, 'copy.db')} on `), said);
  await assert.rejects(client.getDevice({ id }), /Unknown "device" id/);
  assert.match(await run('erase', 'verify', record), /^The record is valid: this installation erased the device /);
  await writeFile(record, (await readFile(record, 'utf8')).replace('points', 'p0ints'));
  assert.match((await trackway(['erase', 'verify', record, '--data', data])).err, /^The record is not valid/);

  assert.match(await run('erase', 'archive', archive), /^Erased 1 rows in 1 file of /);
  const left = (await readManifest(archive)).files;
  assert.deepEqual(
    left.map(({ bucket, rows }) => [bucket, rows]),
    [[other % 64, 1]],
  );
  const last = await trackway(['erase', 'user', 'boss@example.com', '--confirm', 'boss@example.com', '--data', data]);
  assert.match(last.err, /last admin/);
});
