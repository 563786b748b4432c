import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { notification } from '@trackway/contract/resources/notification.ts';
import { point } from '@trackway/contract/resources/point.ts';
import type { Selectable } from 'kysely';
import { presentRow, type Row } from '../../platform/storage/shape.ts';
import type { NotificationRow } from '../schema/rows/rule-rows.ts';
import { shapeOf } from '../schema/shape.ts';

/** Things as the API shows them. */

const pointShape = shapeOf(point);
const readingShape = shapeOf(gatewayReading);
const notificationShape = shapeOf(notification);

export type StoredNotification = Selectable<NotificationRow>;

export const presentPoint = (row: object) => presentRow(pointShape, row as Row);
export const presentReading = (row: object) => presentRow(readingShape, row as Row);
/** A notification as lists show it. */
export const presentNotification = (row: Acknowledgeable) =>
  presentRow(notificationShape, {
    ...(row as object as Row),
    message: messageOf(row),
    dismissedOn: row.acknowledgedAt,
    dismissedBy: row.acknowledgedBy,
  });

type Acknowledgeable = Pick<StoredNotification, 'params' | 'acknowledgedAt' | 'acknowledgedBy'>;

/** A notification as machines get it: where a reading decided it, `pointId` is the id of that reading. */
export function sentNotification(row: StoredNotification) {
  const shown = presentNotification(row);
  return { ...shown, pointId: shown.readingId ?? shown.pointId };
}

const messageOf = ({ params }: Pick<StoredNotification, 'params'>) =>
  (JSON.parse(params) as { message?: string }).message ?? null;

/** A position that decided a trigger names that trigger in `notifSent`. */
export const decidingPoint = (row: object, { triggerId }: Pick<StoredNotification, 'triggerId'>) => ({
  ...presentPoint(row),
  notifSent: { [triggerId]: true },
});

/** Another device that a notification speaks of. */
export const otherDeviceOf = ({ params }: Pick<StoredNotification, 'params'>): number | undefined =>
  (JSON.parse(params) as { meta?: { otherDeviceId?: number } }).meta?.otherDeviceId;

/** The published form has a notification in every message, so one is made for forwarded data. It is not in the feed. */
export function madeNotification(
  type: 'newLoc' | 'newReading' | 'newMsg',
  made: {
    deviceId: number;
    userId: number;
    pointId: number | null;
    readingId?: number;
    at: number;
    sentence: string;
  },
  now: number,
): object {
  const { deviceId, userId, pointId, readingId = null, at, sentence } = made;
  return {
    id: null,
    created: new Date(now).toISOString(),
    timestamp: new Date(at).toISOString(),
    params: { type, name: type, zones: [], message: sentence, meta: {} },
    deviceId,
    pointId,
    userId,
    triggerId: null,
    status: 'valid',
    reason: null,
    late: false,
    message: sentence,
    readingId,
    dismissedOn: null,
    dismissedBy: null,
    severity: 'info',
    unread: false,
    note: null,
    escalatedAt: null,
  };
}
