import { SEVERITIES } from '@trackway/contract/severities.ts';
import type { Notification } from '../api/notifications.ts';

/** The longest time between a speed alert, plus its waiting time, and a tracker's own alarm about the same event. */
const MAX_GAP_MS = 120_000;

/** A row of the inbox: a notification together with the tracker's own alarms about the same event. */
export interface InboxRow {
  /** Unread, open and as severe as any of them. */
  readonly notification: Notification;
  readonly alarms: readonly Notification[];
}

/** The times of a tracker's alarms about the same event; undefined if it is no speed alert. */
export function alarmTimes({ params, status, timestamp }: Notification): { from: number; to: number } | undefined {
  if (params.type !== 'speed' || status !== 'valid') return undefined;
  const at = Date.parse(timestamp);
  return { from: at - Number(metaOf(params).lasted ?? 0) * 1000 - MAX_GAP_MS, to: at + MAX_GAP_MS };
}

/** One row for each event: a speed alert takes in the overspeed alarms of the tracker. The order is kept. */
export function inboxRows(rows: readonly Notification[]): InboxRow[] {
  const taken = new Set<Notification>();
  const alarmsOf = (speeding: Notification) => {
    const times = alarmTimes(speeding);
    const alarms = times === undefined ? [] : rows.filter((one) => !taken.has(one) && isAlarmIn(one, speeding, times));
    for (const alarm of alarms) taken.add(alarm);
    return alarms;
  };
  const found = rows.map((notification) => ({ notification, alarms: alarmsOf(notification) }));
  return found
    .filter(({ notification }) => !taken.has(notification))
    .map(({ notification, alarms }) => ({ notification: alarms.reduce(together, notification), alarms }));
}

function isAlarmIn(
  { params, status, deviceId, userId, timestamp }: Notification,
  speeding: Notification,
  { from, to }: { from: number; to: number },
): boolean {
  const at = Date.parse(timestamp);
  return (
    params.type === 'alarm' &&
    metaOf(params).value === 'overspeed' &&
    status === 'valid' &&
    deviceId === speeding.deviceId &&
    userId === speeding.userId &&
    from <= at &&
    at <= to
  );
}

const together = (a: Notification, b: Notification): Notification => ({
  ...a,
  unread: a.unread || b.unread,
  severity: SEVERITIES.indexOf(b.severity) > SEVERITIES.indexOf(a.severity) ? b.severity : a.severity,
  dismissedOn: b.dismissedOn === null ? null : a.dismissedOn,
  escalatedAt: a.escalatedAt ?? b.escalatedAt,
});

const metaOf = (params: Notification['params']) => (params.meta ?? {}) as Readonly<Record<string, unknown>>;
