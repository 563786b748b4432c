import { CHANNELS, type MachineChannel } from '@trackway/contract/channels.ts';
import type { Content } from '../../platform/outbox/channel.ts';

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
