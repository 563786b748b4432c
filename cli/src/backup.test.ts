import assert from 'node:assert/strict';
import { copyFile, mkdir, readdir, rename, writeFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { DatabaseSync } from 'node:sqlite';
import { test } from 'node:test';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { asAdmin, serve, signedIn, tempFolder, trackway } from './testing/trackway.ts';

const READINGS = 'SELECT "id", "value" FROM "gatewayReadings" ORDER BY "id"';

function rowsOf(file: string, sql: string): unknown[] {
  const database = new DatabaseSync(file, { readOnly: true });
  try {
    return database.prepare(sql).all();
  } finally {
    database.close();
  }
}

test('a backup made while the server writes is complete, and a server runs on it', async (t) => {
  const { address, data } = await serve(t, { ...asAdmin, TRACKWAY_RATE_LIMIT: '0' });
  const { client } = await signedIn(address);
  const { id } = await client.createDevice({ body: { name: 'gateway' } });
  let written = 0;
  let enough = false;
  const writing = (async () => {
    for (; !enough; written++) await client.createGatewayReading({ id, body: { type: 'temp', value: written } });
  })();
  const file = join(await tempFolder(), 'copy.db');
  await eventually('the server writes', () => written > 0);
  const before = written;
  const { code, out, err } = await trackway(['backup', file, '--data', data]);
  const after = written;
  enough = true;
  await writing;
  assert.equal(code, 0, err);
  assert.match(out, /^Backup complete: .+copy\.db \([\d.]+ MB, [\d.]+ s\)\.\n$/);

  const copied = rowsOf(file, READINGS);
  assert.ok(after > before, 'the server wrote meanwhile');
  assert.ok(copied.length >= before && copied.length <= after + 1, `${before} ≤ ${copied.length} ≤ ${after + 1}`);
  assert.deepEqual(copied, rowsOf(join(data, 'trackway.db'), `${READINGS} LIMIT ${copied.length}`));
  assert.deepEqual(await readdir(dirname(file)), ['copy.db'], 'no other file is left');

  const restored = join(await tempFolder(), 'data');
  await mkdir(restored);
  await rename(file, join(restored, 'trackway.db'));
  await copyFile(join(data, 'trackway.key'), join(restored, 'trackway.key'));
  const again = await serve(t, { TRACKWAY_DATA: restored });
  const { client: there } = await signedIn(again.address);
  assert.equal((await there.countGatewayReadings({ id })).count, copied.length);
});

test('it never overwrites a file, and explains why it fails', async (t) => {
  const { data } = await serve(t);
  const folder = await tempFolder();
  const file = join(folder, 'there');
  await writeFile(file, 'mine');
  const there = await trackway(['backup', file, '--data', data]);
  assert.equal(there.code, 1);
  assert.equal(there.err, `The file ${file} already exists. Choose another name.\n`);
  const astray = await trackway(['backup', join(folder, 'no', 'copy.db'), '--data', data]);
  assert.equal(astray.code, 1);
  assert.match(astray.err, /^Cannot write the file .+: the folder does not exist\.\n$/);
  const nothing = await trackway(['backup', join(folder, 'copy.db'), '--data', folder]);
  assert.match(nothing.err, /^No database found in /);
  const postgres = await trackway(['backup', join(folder, 'copy.db'), '--database-url', 'postgres://me:s3cret@db/x']);
  assert.equal(postgres.code, 1);
  assert.match(postgres.err, /pg_dump/);
  assert.match(
    (await trackway(['backup', '--help'])).out,
    /To restore a backup: stop the server, run "trackway restore"/,
  );
});
