import type { Channel as Kind } from '@trackway/contract/channels.ts';
import type { Egress } from '../../platform/egress/client.ts';
import type { Channel } from '../../platform/outbox/channel.ts';
import { emailChannel, whyNoMail } from './email.ts';
import { mqttChannel, NO_BROKER } from './mqtt.ts';
import { pushChannel } from './push.ts';
import { sqsChannel } from './sqs.ts';
import { hasCredentials, NO_CREDENTIALS } from './sqs-credentials.ts';
import type { VapidKeys } from './vapid.ts';
import { webhookChannel } from './webhook.ts';

/** The ways out. What each needs of libraries is brought in when it is first used. */

export interface ChannelSettings {
  readonly sqsEndpoint: string;
  readonly sqsAllow: string;
  readonly smtpUrl: string;
  readonly smtpFrom: string;
  readonly mqttUrl: string;
  readonly publicUrl: string;
  readonly adminEmail: string;
}

export interface ChannelOptions extends ChannelSettings {
  /** By which addresses are called that users give. */
  readonly egress: Egress;
  readonly pushKeys: VapidKeys;
}

export function createChannels(options: ChannelOptions): Record<Kind, Channel> {
  const { egress, pushKeys } = options;
  return {
    push: pushChannel({ egress, keys: pushKeys, subject: subjectOf(options) }),
    email: emailChannel({ url: options.smtpUrl, from: options.smtpFrom }),
    http: webhookChannel({ egress }),
    sqs: sqsChannel({ endpoint: options.sqsEndpoint, allow: options.sqsAllow }),
    mqtt: mqttChannel({ url: options.mqttUrl }),
  };
}

/** Of each way out the sentence what its operator must do first, or null where it is set up. */
export function missingSetup({ smtpUrl, smtpFrom, mqttUrl }: ChannelSettings): Record<Kind, string | null> {
  return {
    push: null,
    email: whyNoMail({ url: smtpUrl, from: smtpFrom }) ?? null,
    http: null,
    sqs: hasCredentials() ? null : NO_CREDENTIALS,
    mqtt: mqttUrl === '' ? NO_BROKER : null,
  };
}

/** Which of them are set up. */
export const channelsSetUp = (settings: ChannelSettings): Record<string, boolean> =>
  Object.fromEntries(Object.entries(missingSetup(settings)).map(([kind, missing]) => [kind, missing === null]));

/** Whom a push service may turn to; some refuse messages where it is no address that could be real. */
function subjectOf({ publicUrl, smtpFrom, adminEmail }: ChannelSettings): string {
  if (URL.canParse(publicUrl) && publicUrl.startsWith('https:')) return new URL(publicUrl).origin;
  const address = [smtpFrom, adminEmail].map((text) => /[^\s<>@]+@[^\s<>@]+/.exec(text)?.[0]).find(Boolean);
  return `mailto:${address ?? 'operator@trackway.invalid'}`;
}
