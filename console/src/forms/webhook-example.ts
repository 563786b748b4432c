import type { TriggerDraft } from './trigger-draft.ts';

/** A position that stands for all of them. */
const AT = '2026-06-01T12:00:00.000Z';
const [DEVICE, POINT, NOTIFICATION] = [7, 4711, 42];

/** What a webhook or a queue gets from a trigger: the main fields of the message, with made-up values. */
export function webhookExample(
  { deviceId = DEVICE, type, name, isPlain }: Pick<TriggerDraft, 'deviceId' | 'type' | 'name' | 'isPlain'>,
  sentence: string,
): string {
  const message = {
    notification: {
      id: NOTIFICATION,
      timestamp: AT,
      deviceId,
      pointId: POINT,
      severity: 'info',
      params: { type, name: name.trim() || type, zones: [], message: sentence },
    },
    datapoint: { id: POINT, timestamp: AT, location: { lat: 52.3702, lng: 4.8952 }, speed: 31 },
    device: { id: deviceId, imei: '350000000000001' },
  };
  const sent = isPlain
    ? message
    : {
        Type: 'Notification',
        MessageId: '5f2d6c1e-0c58-4a53-9a52-2d9c1f8f6f10',
        TopicArn: `arn:trackway:sns:local:0:device-${deviceId}`,
        Timestamp: AT,
        Message: JSON.stringify(message),
      };
  return JSON.stringify(sent, null, 2);
}
