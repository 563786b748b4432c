import type { Content } from '../../../platform/outbox/channel.ts';

/** The form in which machines get news: the one that consumers of the published service parse. */

export interface EnvelopeMessage {
  readonly notification: object;
  readonly datapoint?: object;
  readonly reading?: object;
  readonly message?: object;
  /** Why a notification that was sent before does not hold any more. */
  readonly correction?: { readonly status: string; readonly reason: string };
  readonly device: { readonly id: number; readonly imei: string | null };
}

const TEXT = 'text/plain; charset=UTF-8';
const JSON_TYPE = 'application/json';
/** Published receivers look for it before they parse the body. */
const HEADERS = { 'x-amz-sns-message-type': 'Notification' };

/** What a machine gets; the envelope bears the id of the message, which is the same over all attempts. */
export function contentFor(
  kind: 'http' | 'sqs' | 'mqtt',
  message: EnvelopeMessage,
  { isRaw = false, now }: { isRaw?: boolean; now: number },
): (messageId: string) => Content {
  const text = JSON.stringify(message);
  if (isRaw || kind === 'mqtt') return () => ({ text, type: JSON_TYPE });
  return (messageId) => {
    const enveloped = envelope(messageId, message.device.id, text, now);
    return kind === 'http' ? { text: enveloped, type: TEXT, headers: HEADERS } : { text: enveloped, type: JSON_TYPE };
  };
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

/** The topic below which things of a device are published, unless a forwarder names another. */
export const topicOf = (userId: number, deviceId: number) => `users/${userId}/devices/${deviceId}`;
