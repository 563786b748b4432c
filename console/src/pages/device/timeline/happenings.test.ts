import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Trip } from '../../../api/devices.ts';
import type { Activity, TimelineEntry } from '../../../api/timeline.ts';
import { byDay, happeningsOf, type Recorded } from './happenings.ts';

const at = (hour: number) => new Date(2026, 10, 15, hour).toISOString();
const NOTHING: Recorded = { trips: [], stops: [], activity: undefined, notifications: [], entries: [] };
const FROM = Date.parse(at(0));
const trip = (id: number, hour: number) => ({ id, start: at(hour), end: at(hour + 1) }) as Trip;
const entry = (type: string, hour: number): TimelineEntry => ({
  ...{ type, timestamp: at(hour + 1), at: at(hour) },
  ...{ description: '', meta: {} },
});
const log = (states: readonly [string, number][]) =>
  ({ known: { ignition: true }, log: states.map(([state, hour]) => ({ state, start: at(hour) })) }) as Activity;

test('all in one order, newest first; what began before belongs to earlier days', () => {
  const recorded = {
    ...NOTHING,
    trips: [trip(1, -2), trip(2, 9)],
    entries: [entry('devicemessage/up', 10), entry('activation/created', 8)],
  };
  const found = happeningsOf(recorded, FROM);
  assert.deepEqual(
    found.map(({ at: time, group }) => [new Date(time).getHours(), group]),
    [
      [10, 'messages'],
      [9, 'drives'],
      [8, 'device'],
    ],
  );
});

test('changes of the ignition are shown, but not if it is unknown', () => {
  const activity = log([
    ['off', 1],
    ['idle', 2],
    ['movingWithIgnitionOn', 3],
    ['off', 4],
  ]);
  const changes = happeningsOf({ ...NOTHING, activity }, FROM).map((one) => one.kind === 'ignition' && one.isOn);
  assert.deepEqual(changes, [false, true]);
  assert.deepEqual(happeningsOf({ ...NOTHING, activity: { ...activity, known: { ignition: false } } }, FROM), []);
});

test('days of the viewer, newest first', () => {
  const days = byDay(happeningsOf({ ...NOTHING, trips: [trip(1, 1), trip(2, 25), trip(3, 2)] }, FROM));
  assert.deepEqual(
    days.map(({ day, happenings }) => [day, happenings.length]),
    [
      ['2026-11-16', 1],
      ['2026-11-15', 2],
    ],
  );
});
