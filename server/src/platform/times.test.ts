import assert from 'node:assert/strict';
import { test } from 'node:test';
import { isTimeZone, minuteOfDay, offsetMinutes, wallText } from './times.ts';

test('names of the time zone database are time zones, and nothing else is', () => {
  for (const name of ['UTC', 'Europe/Berlin', 'America/Argentina/Buenos_Aires', 'Asia/Kathmandu', 'Etc/GMT+5'])
    assert.ok(isTimeZone(name), name);
  for (const name of ['', 'Berlin/Europe', '+01:00', '-0500', 'Europe/Berlin ', '../UTC', 'local', 'Europe/'])
    assert.ok(!isTimeZone(name), name);
});

test('a clock shows summer time, and offsets that are not whole hours', () => {
  const summer = Date.parse('2026-07-01T12:34:56Z');
  const winter = Date.parse('2026-01-01T12:34:56Z');
  assert.equal(minuteOfDay('Europe/Berlin', summer), 14 * 60 + 34);
  assert.equal(minuteOfDay('Europe/Berlin', winter), 13 * 60 + 34);
  assert.equal(offsetMinutes('Europe/Berlin', summer), 120);
  assert.equal(offsetMinutes('Asia/Kathmandu', winter), 345);
  assert.equal(offsetMinutes('America/New_York', winter), -300);
});

test('a moment is written by the clock of the reader', () => {
  const at = Date.parse('2026-06-01T12:05:00Z');
  assert.equal(wallText('Europe/Berlin', at), '1 Jun 2026, 14:05 (Europe/Berlin)');
});
