import type { Channel } from '@trackway/contract/channels.ts';
import type { IconName } from '../ui/icons.ts';

/** The icon of each channel, and the type of its address field. */
export const CHANNEL_LOOKS: Readonly<
  Record<Channel, { readonly icon: IconName; readonly fieldType?: 'email' | 'url' | 'text' }>
> = {
  push: { icon: 'bell' },
  email: { icon: 'mail', fieldType: 'email' },
  http: { icon: 'link', fieldType: 'url' },
  sqs: { icon: 'list', fieldType: 'text' },
  mqtt: { icon: 'signal' },
  telegram: { icon: 'message', fieldType: 'text' },
  ntfy: { icon: 'phone', fieldType: 'text' },
};
