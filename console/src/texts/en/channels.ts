import type { Channel, MachineChannel } from '@trackway/contract/channels.ts';

export interface ChannelWords {
  /** Of the set in ui/icons.ts. */
  readonly icon: string;
  readonly name: string;
  readonly hint?: string;
  /** The address that a trigger gives it, where it needs one. */
  readonly field?: { readonly label: string; readonly hint: string; readonly type: 'email' | 'url' | 'text' };
  /** What a trigger does by it: "When the van leaves the depot, e-mail me." */
  clause(address: string): string;
}

interface ForwarderTexts {
  readonly name: string;
  readonly hint: string;
  readonly target: string;
  readonly targetHint: string;
}

/** Everything the console says about a channel. One that the contract names does not compile until it is here. */
export const channels = {
  push: {
    icon: 'bell',
    name: 'Browser push',
    hint: 'Sent to every browser where you have switched it on.',
    clause: () => 'send me a browser notification',
  },
  email: {
    icon: 'mail',
    name: 'E-mail',
    field: {
      label: 'To',
      hint: 'Leave it empty to use the address of your account. Another address is asked by mail first.',
      type: 'email',
    },
    clause: (address) => (address ? `e-mail ${address}` : 'e-mail me'),
  },
  http: {
    icon: 'link',
    name: 'Webhook',
    field: {
      label: 'Webhook URL',
      hint: 'For example https://example.org/trackway. Requests are signed.',
      type: 'url',
    },
    clause: (address) => (URL.canParse(address) ? `call the webhook at ${new URL(address).host}` : 'call a webhook'),
    forwarder: {
      name: 'Webhook',
      hint: 'Posts each item to a URL, with a signature.',
      target: 'URL',
      targetHint: 'https://example.org/trackway',
    },
  },
  sqs: {
    icon: 'list',
    name: 'SQS queue',
    field: { label: 'Queue ARN', hint: 'arn:aws:sqs:region:account:name', type: 'text' },
    clause: (address) => (address ? `send to the SQS queue ${address.split(':').at(-1)}` : 'send to an SQS queue'),
    forwarder: {
      name: 'SQS queue',
      hint: 'Amazon SQS or a compatible queue.',
      target: 'Queue ARN',
      targetHint: 'arn:aws:sqs:region:account:name',
    },
  },
  mqtt: {
    icon: 'signal',
    name: 'MQTT',
    hint: 'Published to the broker of this server under users/…/devices/…/notifications.',
    clause: () => 'publish over MQTT',
    forwarder: {
      name: 'MQTT topic',
      hint: 'Publishes to the MQTT broker that this server is connected to.',
      target: 'Topic',
      targetHint: 'Must start with users/ and your user ID. Leave it empty to use the default topic.',
    },
  },
  telegram: {
    icon: 'message',
    name: 'Telegram',
    field: { label: 'Chat', hint: 'The ID of a chat with this server’s bot, or @channelname.', type: 'text' },
    clause: (address) => (address ? `send to ${address} on Telegram` : 'send to a Telegram chat'),
  },
} as const satisfies Readonly<Record<Channel, ChannelWords>> &
  Readonly<Record<MachineChannel, { readonly forwarder: ForwarderTexts }>>;
