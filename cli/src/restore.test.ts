import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { copyFile, mkdir, readdir, readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { eventually } from '@trackway/server/testing/eventually.ts';
import { asAdmin, serve, signedIn, tempFolder, trackway } from './testing/trackway.ts';

test('a backup made while the server writes is restored into an empty place, and in place of a damaged database', async (t) => {
  const { address, data, child, ended } = await serve(t, { ...asAdmin, TRACKWAY_RATE_LIMIT: '0' });
  const { client } = await signedIn(address);
  const { id } = await client.createDevice({ body: { name: 'gateway' } });
  let written = 0;
  let enough = false;
  const writing = (async () => {
    for (; !enough; written++) await client.createGatewayReading({ id, body: { type: 'temp', value: written } });
  })();
  await eventually('the server writes', () => written > 10);
  const file = join(await tempFolder(), 'backup.db');
  const before = written;
  const backup = await trackway(['backup', file, '--data', data]);
  assert.equal(backup.code, 0, backup.err);
  enough = true;
  await writing;

  const busy = await trackway(['restore', file, '--data', data, '--replace']);
  assert.equal(busy.code, 1);
  assert.match(busy.err, /^A server is using the folder .+ Stop it first\.\n$/);
  child.kill('SIGTERM');
  await ended;

  const countAt = async (folder: string) => {
    const server = await serve(t, { TRACKWAY_DATA: folder });
    const { client: there } = await signedIn(server.address);
    const { count } = await there.countGatewayReadings({ id });
    server.child.kill('SIGTERM');
    assert.deepEqual(await server.ended, [0, null]);
    return count;
  };

  const fresh = join(await tempFolder(), 'fresh');
  const restored = await trackway(['restore', file, '--data', fresh]);
  assert.equal(restored.code, 0, restored.err);
  assert.match(restored.out, /^Restored: .+trackway\.db \(1 user\)\.\nIts secrets are encrypted: .+trackway\.key/);
  await copyFile(join(data, 'trackway.key'), join(fresh, 'trackway.key'));
  assert.ok((await countAt(fresh)) >= before, 'all that was there when the backup began');

  await writeFile(join(data, 'trackway.db'), Buffer.alloc(100_000, 7));
  const refused = await trackway(['restore', file, '--data', data]);
  assert.equal(refused.code, 1);
  assert.match(refused.err, /^There is a database in .+ add --replace/);
  const replaced = await trackway(['restore', file, '--data', data, '--replace']);
  assert.equal(replaced.code, 0, replaced.err);
  const [aside] = (await readdir(data)).filter((name) => name.startsWith('before-'));
  assert.match(replaced.out, new RegExp(`kept in .+${aside}`));
  assert.deepEqual(await readFile(join(data, aside!, 'trackway.db')), Buffer.alloc(100_000, 7));
  assert.ok((await countAt(data)) >= before);
});

test('what is damaged, or something else, replaces nothing', async (t) => {
  const { data, child, ended } = await serve(t, asAdmin);
  const folder = await tempFolder();
  const file = join(folder, 'backup.db');
  assert.equal((await trackway(['backup', file, '--data', data])).code, 0);
  child.kill('SIGTERM');
  await ended;
  const listed = (await readdir(data)).sort();

  const cut = join(folder, 'cut.db');
  await copyFile(file, cut);
  await truncate(cut, 40_000);
  const text = join(folder, 'text');
  await writeFile(text, 'no database at all');
  const empty = join(folder, 'empty');
  await writeFile(empty, '');
  for (const [given, reason] of [
    [cut, /is damaged and was not restored/],
    [text, /is damaged and was not restored: file is not a database/],
    [empty, /is not a backup of Trackway/],
    [join(folder, 'none'), /^There is no file /],
  ] as const) {
    const answer = await trackway(['restore', given, '--data', data, '--replace']);
    assert.equal(answer.code, 1);
    assert.match(answer.err, reason);
    assert.deepEqual((await readdir(data)).sort(), listed);
  }
  const postgres = await trackway(['restore', file, '--database-url', 'postgres://me:s3cret@db/x']);
  assert.match(postgres.err, /use pg_restore/);
});

const isRoot = process.getuid?.() === 0 && process.platform === 'linux';
if (!isRoot) console.error('\n*** NOT TESTED: a backup to a full disk, since it needs root to mount one ***\n');

test('a backup to another disk that is full blames that disk', { skip: !isRoot }, async (t) => {
  const { address, data } = await serve(t, asAdmin);
  await signedIn(address);
  const disk = join(await tempFolder(), 'disk');
  await mkdir(disk);
  execFileSync('mount', ['-t', 'tmpfs', '-o', 'size=64k', 'tmpfs', disk]);
  try {
    const { code, err } = await trackway(['backup', join(disk, 'copy.db'), '--data', data]);
    assert.equal(code, 1);
    assert.equal(err, `Cannot write the file ${join(disk, 'copy.db')}: the disk with ${disk} is full.\n`);
    assert.deepEqual(await readdir(disk), [], 'nothing is left of it');
  } finally {
    execFileSync('umount', [disk]);
  }
});
