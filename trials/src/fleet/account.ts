import type { Store } from '../../../server/src/domain/schema/tables.ts';
import type { FleetReport } from './reports.ts';

/** What a store holds, held against what was acknowledged. */
export interface Account {
  readonly lost: readonly string[];
  readonly doubled: readonly string[];
}

/** Devices are created in the order of the fleet, so their ids follow. */
const indexOf = (deviceId: number | null) => Number(deviceId) - 1;

/** Items of reports: each that was acknowledged is stored, and none twice. */
export async function accountOfItems(store: Store, acknowledged: readonly FleetReport[]): Promise<Account> {
  const stored = countOf(await storedItems(store));
  const expected = new Set(acknowledged.flatMap(({ items }) => items));
  return {
    lost: [...expected].filter((item) => !stored.has(item)),
    doubled: [...stored].filter(([, count]) => count > 1).map(([item]) => item),
  };
}

async function storedItems({ query }: Store): Promise<string[]> {
  const points = await query.selectFrom('points').select(['deviceId', 'timestamp']).execute();
  const readings = await query
    .selectFrom('gatewayReadings')
    .select(['deviceId', 'timestamp', 'type', 'value'])
    .execute();
  const messages = await query
    .selectFrom('messages')
    .select(['deviceId', 'message'])
    .where('mobileTerminated', '=', 0)
    .execute();
  const impossible = await query.selectFrom('quarantine').select(['deviceId', 'report']).execute();
  return [
    ...points.map(({ deviceId, timestamp }) => `point ${indexOf(deviceId)} ${timestamp}`),
    ...readings.map(({ deviceId, timestamp, type, value }) =>
      type === 'mark' ? `untimed ${indexOf(deviceId)} ${value}` : `reading ${indexOf(deviceId)} ${timestamp} ${type}`,
    ),
    ...messages.map(({ deviceId, message }) => `message ${indexOf(deviceId)} ${message}`),
    ...impossible.map(({ deviceId, report }) => `impossible ${indexOf(deviceId)} ${/mark-\d+/.exec(report)?.[0]}`),
  ];
}

/** Notifications and outbox rows: each message of a device and each notification has one. */
export async function accountOfNotifications({ query }: Store): Promise<Account> {
  const notifications = await query.selectFrom('notifications').select(['id', 'messageId']).execute();
  const messages = await query.selectFrom('messages').select('id').where('mobileTerminated', '=', 0).execute();
  const rows = await query.selectFrom('outbox').select(['notificationId', 'channel']).execute();
  const received = countOf(notifications.flatMap(({ messageId }) => (messageId === null ? [] : [`${messageId}`])));
  const sent = countOf(rows.map(({ notificationId, channel }) => `${notificationId} ${channel}`));
  return {
    lost: [
      ...messages.filter(({ id }) => !received.has(`${id}`)).map(({ id }) => `notification of message ${id}`),
      ...notifications.filter(({ id }) => !sent.has(`${id} http`)).map(({ id }) => `outbox row of notification ${id}`),
    ],
    doubled: [
      ...[...received].filter(([, count]) => count > 1).map(([id]) => `notification of message ${id}`),
      ...[...sent].filter(([, count]) => count > 1).map(([key]) => `outbox row of notification ${key}`),
    ],
  };
}

export function countOf(lines: readonly string[]): Map<string, number> {
  const counts = new Map<string, number>();
  for (const line of lines) counts.set(line, (counts.get(line) ?? 0) + 1);
  return counts;
}
