import { CHANNELS, type MachineChannel } from '@trackway/contract/channels.ts';
import { gatewayReading } from '@trackway/contract/resources/gateway-reading.ts';
import { notification } from '@trackway/contract/resources/notification.ts';
import { point } from '@trackway/contract/resources/point.ts';
import type { Selectable } from 'kysely';
import type { Content } from '../../platform/outbox/channel.ts';
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

/** What machines get: the form that consumers of the published service parse. */

export interface EnvelopeMessage {
  readonly notification: object;
  readonly datapoint?: object;
  readonly reading?: object;
  readonly message?: object;
  /** Why a notification that was sent before was retracted. */
  readonly correction?: { readonly status: string; readonly reason: string };
  readonly device: { readonly id: number; readonly imei: string | null };
}

const TEXT = 'text/plain; charset=UTF-8';
const JSON_TYPE = 'application/json';
/** Published receivers look for it before they parse the body. */
const HEADERS = { 'x-amz-sns-message-type': 'Notification' };

interface MachineContentOptions {
  /** Whether the message goes without an envelope, whatever the channel. */
  readonly isRaw?: boolean;
  readonly now: number;
}

/** What a channel for machines sends. The envelope holds the id of the message, which all attempts share. */
export function machineContent(
  channel: MachineChannel,
  message: EnvelopeMessage,
  { isRaw = false, now }: MachineContentOptions,
): (messageId: string) => Content {
  const text = JSON.stringify(message);
  if (isRaw || CHANNELS[channel].form === 'json') return () => ({ text, type: JSON_TYPE });
  return (messageId) => ({ text: envelope(messageId, message.device.id, text, now), type: TEXT, headers: HEADERS });
}

function envelope(messageId: string, deviceId: number, message: string, now: number): string {
  return JSON.stringify({
    Type: 'Notification',
    MessageId: messageId,
    TopicArn: `arn:trackway:sns:local:0:device-${deviceId}`,
    Timestamp: new Date(now).toISOString(),
    Message: message,
  });
}

/** The topic below which everything about a device is published, unless a forwarder names another. */
export const topicOf = (userId: number, deviceId: number) => `users/${userId}/devices/${deviceId}`;
