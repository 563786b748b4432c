import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { notification } from '@trackway/contract/resources/notification.ts';
import { point } from '@trackway/contract/resources/point.ts';
import type { Selectable } from 'kysely';
import { presentRow, type Row } from '../../../platform/storage/shape.ts';
import type { NotificationRow } from '../../schema/rows/rule-rows.ts';
import { shapeOf } from '../../schema/shape.ts';

/** Things as the API shows them. */

const pointShape = shapeOf(point);
const readingShape = shapeOf(gatewayReading);
const notificationShape = shapeOf(notification);

export type StoredNotification = Selectable<NotificationRow>;

export const presentPoint = (row: object) => presentRow(pointShape, row as Row);
export const presentReading = (row: object) => presentRow(readingShape, row as Row);
export const presentNotification = (row: object) => presentRow(notificationShape, row as Row);

/** Another device that a notification speaks of. */
export const otherDeviceOf = ({ params }: Pick<StoredNotification, 'params'>): number | undefined =>
  (JSON.parse(params) as { meta?: { otherDeviceId?: number } }).meta?.otherDeviceId;

/** The published form has a notification in every message, so one is made for forwarded data. It is not in the feed. */
export function madeNotification(
  type: 'newLoc' | 'newReading' | 'newMsg',
  made: { deviceId: number; userId: number; pointId: number | null; at: number; sentence: string },
  now: number,
): object {
  const { deviceId, userId, pointId, at, sentence } = made;
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
  };
}
