import { type notificationOperations as contract, notification } from '@trackway/contract/resources/notification.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { columnsOf } from '../../platform/storage/shape.ts';
import type { StoreKind } from '../../platform/storage/store-kind.ts';
import { modelNotFound } from '../../refusals.ts';
import { spanOf } from '../date-range.ts';
import { isWithinToken, withinToken } from '../devices/access.ts';
import { children, countOf, familyOf, listOf, ownerOf, searchOf } from '../family.ts';
import { heardBySentence, shownGateways } from '../heard-by.ts';
import { storedPosition } from '../positions/pack.ts';
import { hasRights } from '../rights.ts';
import { collectionOf } from '../schema/collection.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { presentNotification } from '../sending/envelopes/presented.ts';
import { attentionOperations } from './attention.ts';
import { explain } from './explain.ts';

/** Notifications belong to the user they tell; others see them only as admins. */
function aboutDevice({ caller, deviceId }: Call): Scope {
  return caller.admin
    ? children('deviceId', deviceId)
    : { sql: '"deviceId" = ? AND "userId" = ?', cells: [deviceId, caller.userId] };
}

/** Notifications with what lists show of them besides their columns. */
const SHOWN: Readonly<Record<StoreKind, string>> = {
  sqlite: shown(`json_extract("params", '$.message')`),
  postgres: shown(`("params" ->> 'message') COLLATE "C"`),
};

function shown(message: string): string {
  const stored = shapeOf(notification)
    .flatMap(columnsOf)
    .filter((name) => !['message', 'dismissedOn', 'dismissedBy'].includes(name))
    .map((name) => `"${name}"`);
  return `(SELECT ${stored.join(', ')}, ${message} AS "message", "acknowledgedAt" AS "dismissedOn",
  "acknowledgedBy" AS "dismissedBy" FROM "notifications") AS "notifications"`;
}

/** The gateways by which the position was found that decided, for whoever may still see the device. */
async function heardByOf(
  { query }: Store,
  { pointId, deviceId }: { readonly pointId: number | null; readonly deviceId: number },
  userId: number,
): Promise<string | null> {
  if (pointId === null || !(await hasRights(query, userId, [{ deviceId, right: 'view' }]))) return null;
  const point = await storedPosition(query, deviceId, pointId, ['heardBy', 'locationType']);
  return point?.locationType === 'gateway' ? point.heardBy : null;
}

const MOST_ACTIVITY = 10_000;
/** Where a reading decided, the published name of its id is that of the position. */
const COLUMNS = shapeOf(notification)
  .flatMap(columnsOf)
  .map((name) => (name === 'pointId' ? `COALESCE("readingId", "pointId") AS "pointId"` : `"${name}"`))
  .join(', ');

export function notificationOperations(
  store: Store,
): Handlers<Exclude<keyof typeof contract, 'tryTrigger'> | 'getRecentActivity'> {
  const rows = collectionOf(store, 'notifications', notification, { timeRange: 'timestamp' });
  const from = { sql: SHOWN[store.storeKind], cells: [] };
  const ofUser = familyOf('notification', rows, (call) => ({
    ...withinToken(call.caller, children('userId', call.userId), 'deviceId'),
    from,
  }));
  const ofDevice = familyOf('notification', rows, (call) => ({ ...aboutDevice(call), from }));

  return {
    listNotifications: (call) => listOf(ofUser, call),
    countNotifications: (call) => countOf(ofUser, call),
    ...attentionOperations(store),
    listDeviceNotifications: (call) => listOf(ofDevice, call),
    countDeviceNotifications: (call) => countOf(ofDevice, call),

    async getRecentActivity(call) {
      const { from, to } = spanOf(call.parameters.dateRange, call.now);
      const scope = ofUser.scope(call);
      return searchOf(store, {
        sql: `SELECT ${COLUMNS} FROM ${SHOWN[store.storeKind]} WHERE (${scope.sql}) AND "timestamp" >= ? AND "timestamp" <= ?
          AND "status" <> 'retracted' ORDER BY "timestamp" DESC, "id" DESC LIMIT ${MOST_ACTIVITY}`,
        cells: [...scope.cells, from, to],
        shape: rows.shape,
        owner: ownerOf(call),
      });
    },

    async explainNotification({ caller, key }) {
      const row = await store.query.selectFrom('notifications').selectAll().where('id', '=', key).executeTakeFirst();
      if (row === undefined || (row.userId !== caller.userId && !caller.admin) || !isWithinToken(caller, row.deviceId))
        throw modelNotFound('notification', key);
      const explained = explain(presentNotification(row), row);
      const viewer = { userId: caller.userId, reaches: (id: number) => isWithinToken(caller, id) };
      const heardBy = await shownGateways(store, await heardByOf(store, row, caller.userId), viewer);
      if (heardBy.length === 0) return explained;
      const sentence = `${explained.sentence} ${heardBySentence(heardBy)}`;
      return { ...explained, because: { ...explained.because, heardBy }, sentence };
    },
  };
}
