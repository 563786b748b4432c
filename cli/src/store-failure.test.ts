import assert from 'node:assert/strict';
import { test } from 'node:test';
import { SETTINGS } from '@trackway/server/app/settings.ts';
import { readSettings } from '@trackway/server/platform/settings.ts';
import { dataLocation } from './data-location.ts';
import { storeFailure } from './store-failure.ts';

const settings = (databaseUrl: string) => ({ ...readSettings(SETTINGS, {}).values, databaseUrl, data: '/srv/x' });
const secret = settings('postgres://me:s3%40cret@db.example:5433/track%20ing');

test('the location of the data never contains a password', () => {
  assert.equal(dataLocation(secret), 'PostgreSQL at db.example:5433, database track ing');
  assert.equal(dataLocation(settings('')), '/srv/x');
  assert.match(dataLocation(settings('postgres:///things?host=/run/pg')), /at \/run\/pg, database things/);
});

test('an error of the driver is shown without the password, in any spelling', () => {
  for (const message of ['bad s3%40cret here', 'bad s3@cret here'])
    assert.match(storeFailure(new Error(message), secret), /^Cannot use PostgreSQL at .+: bad \*\*\* here\./);
  assert.match(storeFailure(Object.assign(new Error('x'), { code: '28P01' }), secret), /wrong user or password/);
  assert.match(storeFailure(new Error('timeout expired'), secret), /no response/);
});

test('an error of the file system names the folder', () => {
  for (const code of ['EACCES', 'EROFS', 'ENOENT', 'ENOSPC'])
    assert.match(storeFailure(Object.assign(new Error('x'), { code }), settings('')), /\/srv\/x/);
  const extended = Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 | (6 << 8) });
  assert.match(storeFailure(extended, settings('')), /^Cannot write to the database in \/srv\/x/);
});
