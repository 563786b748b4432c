import { type notificationOperations as contract, notification } from '@trackway/contract/notification.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { modelNotFound } from '../../refusals.ts';
import { children, countOf, type Family, listOf, type Shown } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { explain } from './explain.ts';

/** Notifications belong to the user they tell; others see them only as admins. */
function aboutDevice({ caller, deviceId }: Call): Scope {
  return caller.admin
    ? children('deviceId', deviceId)
    : { sql: '"deviceId" = ? AND "userId" = ?', cells: [deviceId, caller.userId] };
}

export function notificationOperations(store: Store): Handlers<Exclude<keyof typeof contract, 'tryTrigger'>> {
  const rows = collectionOf(store, 'notifications', notification, { timeRange: 'timestamp' });
  const ofUser: Family = { name: 'notification', rows, scope: (call) => children('userId', call.userId) };
  const ofDevice: Family = { name: 'notification', rows, scope: aboutDevice };

  return {
    listNotifications: (call) => listOf(ofUser, call) as Promise<Shown>,
    countNotifications: (call) => countOf(ofUser, call),
    listDeviceNotifications: (call) => listOf(ofDevice, call) as Promise<Shown>,
    countDeviceNotifications: (call) => countOf(ofDevice, call),

    async explainNotification({ caller, key }) {
      const row = await store.query.selectFrom('notifications').selectAll().where('id', '=', key).executeTakeFirst();
      if (row === undefined || (row.userId !== caller.userId && !caller.admin))
        throw modelNotFound('notification', key);
      return explain(rows.present(row as never), row) as Shown;
    },
  };
}
