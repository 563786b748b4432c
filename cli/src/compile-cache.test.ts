import assert from 'node:assert/strict';
import { chmod, mkdir, symlink, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { test } from 'node:test';
import { ownFolder } from './compile-cache.ts';
import { tempFolder } from './testing/trackway.ts';

test('compiled sources are stored only where other users cannot write', async () => {
  const parent = await tempFolder();
  const own = join(parent, 'own');
  assert.equal(ownFolder(own), own, 'it is created');
  assert.equal(ownFolder(own), own, 'and found again');
  await symlink(own, join(parent, 'link'));
  assert.equal(ownFolder(join(parent, 'link')), undefined, 'a link');
  await writeFile(join(parent, 'file'), '');
  assert.equal(ownFolder(join(parent, 'file')), undefined, 'a file');
  await mkdir(join(parent, 'open'));
  await chmod(join(parent, 'open'), 0o777);
  if (process.getuid) assert.equal(ownFolder(join(parent, 'open')), undefined, 'a folder that others can write to');
});
