import assert from 'node:assert/strict';
import { test } from 'node:test';
import { spanOf } from './day-range.ts';
import { fileNameOf } from './file-name.ts';

// East of Greenwich a day begins on the day before, in UTC.
process.env.TZ = 'Europe/Berlin';

test('a file of a day has the name of the device and the date of the viewer', () => {
  const day = spanOf('2026-11-14');
  assert.equal(new Date(day.from).toISOString().slice(0, 10), '2026-11-13');
  assert.equal(fileNameOf('Van 3', day, false), 'Van 3 2026-11-14');
});

test('a file of a trip has its hour, too', () => {
  const from = new Date('2026-11-14T09:05').getTime();
  assert.equal(fileNameOf('Van 3', { from, to: from + 60_000 }, true), 'Van 3 2026-11-14 09.05');
});

test('a name that no file may have is made one', () => {
  const day = spanOf('2026-11-14');
  assert.equal(fileNameOf('../etc/pass\u0000wd: "north" <7>', day, false), 'etc pass wd north 7 2026-11-14');
  assert.equal(fileNameOf('', day, false), '2026-11-14');
  assert.equal(fileNameOf('x'.repeat(300), day, false), `${'x'.repeat(80)} 2026-11-14`);
});
