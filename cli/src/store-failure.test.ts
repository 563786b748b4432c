import assert from 'node:assert/strict';
import { test } from 'node:test';
import { readSettings } from '@trackway/server/platform/settings.ts';
import { SETTINGS } from '@trackway/server/settings.ts';
import { dataPlace } from './data-place.ts';
import { storeFailure } from './store-failure.ts';

const settings = (databaseUrl: string) => ({ ...readSettings(SETTINGS, {}).values, databaseUrl, data: '/srv/x' });
const secret = settings('postgres://me:s3%40cret@db.example:5433/track%20ing');

test('where the data is never shows a password', () => {
  assert.equal(dataPlace(secret), 'PostgreSQL at db.example:5433, database track ing');
  assert.equal(dataPlace(settings('')), '/srv/x');
  assert.match(dataPlace(settings('postgres:///things?host=/run/pg')), /at \/run\/pg, database things/);
});

test('what the driver says is told without the password, however it spells it', () => {
  for (const message of ['bad s3%40cret here', 'bad s3@cret here'])
    assert.match(storeFailure(new Error(message), secret), /can not be used: bad \*\*\* here\./);
  assert.match(
    storeFailure(Object.assign(new Error('x'), { code: '28P01' }), secret),
    /refuses the user or the password/,
  );
  assert.match(storeFailure(new Error('timeout expired'), secret), /it does not answer/);
});

test('what the file system says is told with the folder', () => {
  for (const code of ['EACCES', 'EROFS', 'ENOENT', 'ENOSPC'])
    assert.match(storeFailure(Object.assign(new Error('x'), { code }), settings('')), /\/srv\/x/);
  const extended = Object.assign(new Error('attempt to write a readonly database'), { errcode: 8 | (6 << 8) });
  assert.match(storeFailure(extended, settings('')), /can not be written to/);
});
