import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Stop, Trip } from '../../../api/devices.ts';
import { entriesOf } from './entries.ts';

process.env.TZ = 'Europe/Berlin';
const HOUR = 3_600_000;
const at = (time: string) => new Date(time).getTime();
const day = { from: at('2026-11-14T00:00'), to: at('2026-11-15T00:00') };
const iso = (time: string) => new Date(time).toISOString();
const stop = (id: number, start: string, end: string) =>
  ({ id, start: iso(start), end: iso(end), duration: (at(end) - at(start)) / 1000 }) as Stop;

test('a stop over midnight counts as long as it lasted on the day that is shown', () => {
  const [night, evening] = entriesOf(
    [],
    [stop(1, '2026-11-13T14:14', '2026-11-14T15:15'), stop(2, '2026-11-14T20:00', '2026-11-15T07:00')],
    day,
  );
  assert.deepEqual([night!.from, night!.to], [day.from, at('2026-11-14T15:15')]);
  assert.equal((night!.to - night!.from) / HOUR, 15.25);
  assert.equal(night!.began, at('2026-11-13T14:14'));
  assert.deepEqual([evening!.from, evening!.to], [at('2026-11-14T20:00'), day.to]);
});

test('a trip over midnight stays whole, since its distance is', () => {
  const trip = { id: 1, start: iso('2026-11-13T23:40'), end: iso('2026-11-14T00:20') } as Trip;
  const [entry] = entriesOf([trip], [], day);
  assert.deepEqual([entry!.from, entry!.to], [at('2026-11-13T23:40'), at('2026-11-14T00:20')]);
});
