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
    name: 'Browser notifications',
    hint: 'To every browser in which you switched them on.',
    clause: () => 'notify my browsers',
  },
  email: {
    icon: 'mail',
    name: 'E-mail',
    field: { label: 'To', hint: 'Empty: the address of your account.', type: 'email' },
    clause: (address) => (address ? `e-mail ${address}` : 'e-mail me'),
  },
  http: {
    icon: 'link',
    name: 'Webhook',
    field: { label: 'Address to post to', hint: 'https://… of a server of yours. Messages are signed.', type: 'url' },
    clause: (address) => (URL.canParse(address) ? `post to ${new URL(address).host}` : 'post to a webhook'),
    forwarder: {
      name: 'Webhook',
      hint: 'Each message is posted to an address, signed.',
      target: 'Address',
      targetHint: 'https://example.org/trackway',
    },
  },
  sqs: {
    icon: 'list',
    name: 'SQS queue',
    field: { label: 'ARN of the queue', hint: 'arn:aws:sqs:region:account:name', type: 'text' },
    clause: (address) => (address ? `send to the queue ${address.split(':').at(-1)}` : 'send to a queue'),
    forwarder: {
      name: 'Queue (SQS)',
      hint: 'Amazon SQS or anything that speaks its protocol.',
      target: 'ARN of the queue',
      targetHint: 'arn:aws:sqs:region:account:name',
    },
  },
  mqtt: {
    icon: 'signal',
    name: 'MQTT',
    hint: 'To the broker of this server, topic users/…/devices/…/notifications.',
    clause: () => 'publish by MQTT',
    forwarder: {
      name: 'MQTT topic',
      hint: 'Published by the broker that this server is connected to.',
      target: 'Topic',
      targetHint: 'Below users/…/ with your own number; its usual topic where left empty.',
    },
  },
  telegram: {
    icon: 'message',
    name: 'Telegram',
    field: { label: 'Chat', hint: 'The id of a chat with the bot of this server, or @channelname.', type: 'text' },
    clause: (address) => (address ? `write to ${address} on Telegram` : 'write to a Telegram chat'),
  },
} as const satisfies Readonly<Record<Channel, ChannelWords>> &
  Readonly<Record<MachineChannel, { readonly forwarder: ForwarderTexts }>>;
