import type { TriggerDraft } from './trigger-draft.ts';

/** An example position. */
const AT = '2026-06-01T12:00:00.000Z';
const [DEVICE, POINT, NOTIFICATION] = [7, 4711, 42];

/** An example of a webhook or queue message of a trigger: its main fields, with made-up values. */
export function webhookExample(
  { type, name, isPlain }: Pick<TriggerDraft, 'type' | 'name' | 'isPlain'>,
  sentence: string,
): string {
  const message = {
    notification: {
      id: NOTIFICATION,
      timestamp: AT,
      deviceId: DEVICE,
      pointId: POINT,
      severity: 'info',
      params: { type, name: name.trim() || type, zones: [], message: sentence },
    },
    datapoint: { id: POINT, timestamp: AT, location: { lat: 52.3702, lng: 4.8952 }, speed: 31 },
    device: { id: DEVICE, imei: '350000000000001' },
  };
  const sent = isPlain
    ? message
    : {
        Type: 'Notification',
        MessageId: '5f2d6c1e-0c58-4a53-9a52-2d9c1f8f6f10',
        TopicArn: `arn:trackway:sns:local:0:device-${DEVICE}`,
        Timestamp: AT,
        Message: JSON.stringify(message),
      };
  return JSON.stringify(sent, null, 2);
}
