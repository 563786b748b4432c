import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { Notification } from '../api/notifications.ts';
import { inboxRows } from './inbox-rows.ts';

const NOON = Date.parse('2026-11-15T12:00:00Z');

const row = (id: number, second: number, type: string, meta: object = {}, more: Partial<Notification> = {}) =>
  ({
    id,
    deviceId: 1,
    userId: 1,
    timestamp: new Date(NOON + second * 1000).toISOString(),
    params: { type, meta },
    status: 'valid',
    severity: 'info',
    unread: false,
    dismissedOn: null,
    escalatedAt: null,
    ...more,
  }) as unknown as Notification;
const speeding = (id: number, second: number, more?: Partial<Notification>, lasted = 0) =>
  row(id, second, 'speed', { limit: 80, lasted }, more);
const alarm = (id: number, second: number, more?: Partial<Notification>, value = 'overspeed') =>
  row(id, second, 'alarm', { value }, more);
const ids = (rows: readonly Notification[]) =>
  inboxRows(rows).map(({ notification, alarms }) => [notification.id, ...alarms.map(({ id }) => id)]);

test('a speed alert and the alarm of the tracker for the same moment are one row, whichever came first', () => {
  assert.deepEqual(ids([alarm(3, 5), speeding(2, 0), row(1, -10, 'newLoc')]), [[2, 3], [1]]);
  assert.deepEqual(ids([speeding(2, 0), alarm(1, 0), alarm(4, -60)]), [[2, 1, 4]]);
  assert.deepEqual(ids([speeding(2, 300, {}, 300), alarm(1, 0)]), [[2, 1]], 'the alert waits for five minutes');
});

test('other events keep their rows', () => {
  assert.deepEqual(ids([speeding(2, 300), alarm(1, 0)]), [[2], [1]], 'another time');
  assert.deepEqual(ids([speeding(2, 0), alarm(1, 0, { deviceId: 7 })]), [[2], [1]], 'another device');
  assert.deepEqual(ids([speeding(2, 0), alarm(1, 0, {}, 'sos')]), [[2], [1]], 'another alarm');
  assert.deepEqual(ids([speeding(2, 0, { status: 'retracted' }), alarm(1, 0)]), [[2], [1]], 'the alert was retracted');
  assert.deepEqual(ids([speeding(3, 0), speeding(2, 0), alarm(1, 0)]), [[3, 1], [2]], 'an alarm is in one row');
});

test('a row is unread, open and severe if any part of it is', () => {
  const dismissedOn = '2026-11-15T13:00:00Z';
  const told = (alarmMore: Partial<Notification>) =>
    inboxRows([speeding(2, 0, { dismissedOn }), alarm(1, 0, alarmMore)])[0]!.notification;
  const open = told({ unread: true, severity: 'critical' });
  assert.deepEqual([open.unread, open.severity, open.dismissedOn], [true, 'critical', null]);
  const done = told({ dismissedOn });
  assert.deepEqual([done.unread, done.severity, done.dismissedOn], [false, 'info', dismissedOn]);
});
