import { type TSchema, Type } from 'typebox';
import { QUEUE_ARN } from './queue-arn.ts';
import { MAILED } from './values.ts';

/** Where the address of a channel comes from. */
export type ChannelAddress =
  /** A parameter of the trigger. */
  | {
      readonly from: 'parameter';
      readonly name: string;
      /** A description of the parameter. */
      readonly what: string;
      /** Whether `delivery` may contain it too; naming it there enables the channel, unless the flag is false. */
      readonly isInDelivery?: true;
      /** Whether it defaults to the user's own e-mail address. */
      readonly isAccountByDefault?: true;
      /** A parameter with a secret for this address. It is stored encrypted with the destination and never returned. */
      readonly secret?: string;
    }
  /** The browsers that the user has subscribed. */
  | { readonly from: 'subscriptions' }
  /** A topic of the device, or one that a forwarder names below the topic of its user. */
  | { readonly from: 'topic' };

/** The format of an address. Of a URL the server also checks that it may be called. */
export type AddressForm = 'url' | { readonly pattern: RegExp; readonly wrong: string };

interface ChannelFacts {
  readonly address: ChannelAddress;
  readonly addressForm?: AddressForm;
  /** The operator's server that all messages go to. Without one, the address itself is the destination. */
  readonly server?: string;
  /** Whether an address belongs to the first account that uses it. */
  readonly isHeld?: true;
  /** Whether the holder of an address must have agreed, unless it is the user's own. */
  readonly isAgreed?: true;
  /** Whether messages are signed with a secret of the destination. */
  readonly isSigned?: true;
}

/**
 * Properties of a channel. Channels for people respect quiet hours and digests and drop old messages; machines get
 * everything, and forwarders can send to them.
 */
export type ChannelSpec = ChannelFacts &
  (
    | {
        readonly for: 'people';
        /** `text` has a subject, plain text and HTML; `screen` is a short notification on a screen. */
        readonly form: 'text' | 'screen';
      }
    | {
        readonly for: 'machines';
        /** `envelope` is the published format; `json` is the content of the envelope. */
        readonly form: 'envelope' | 'json';
      }
  );

/** Every channel. Each is a flag in a trigger's `delivery`. */
export const CHANNELS = {
  push: { for: 'people', form: 'screen', address: { from: 'subscriptions' } },
  email: {
    for: 'people',
    form: 'text',
    address: { from: 'parameter', name: 'email', what: 'e-mail address', isAccountByDefault: true },
    addressForm: {
      pattern: new RegExp(`^(?=\\S{1,320}$)${MAILED.source.slice(1)}`),
      wrong: 'is not an e-mail address',
    },
    server: 'smtp',
    isAgreed: true,
  },
  http: {
    for: 'machines',
    form: 'envelope',
    address: { from: 'parameter', name: 'endpoint', what: 'webhook address' },
    addressForm: 'url',
    isSigned: true,
  },
  sqs: {
    for: 'machines',
    form: 'envelope',
    address: { from: 'parameter', name: 'sqsArn', what: 'queue', isInDelivery: true },
    addressForm: { pattern: QUEUE_ARN, wrong: 'is not the ARN of a queue: arn:aws:sqs:region:account:name' },
    isHeld: true,
  },
  mqtt: { for: 'machines', form: 'json', address: { from: 'topic' }, server: 'broker' },
  telegram: {
    for: 'people',
    form: 'text',
    address: { from: 'parameter', name: 'telegramChat', what: 'Telegram chat' },
    addressForm: {
      pattern: /^(-?[1-9]\d{0,15}|@[A-Za-z]\w{3,31})$/,
      wrong: 'is not a Telegram chat: enter the id of a chat, or @channelname',
    },
  },
  ntfy: {
    for: 'people',
    form: 'screen',
    address: { from: 'parameter', name: 'ntfyTopic', what: 'ntfy topic', secret: 'ntfyToken' },
    addressForm: {
      pattern: /^(https?:\/\/[^\s/?#@\\]{1,255}\/)?[-\w]{1,64}$/i,
      wrong: 'is not an ntfy topic: enter its name at ntfy.sh, or its address, such as https://ntfy.example.com/topic',
    },
  },
} as const satisfies Record<string, ChannelSpec>;

export type Channel = keyof typeof CHANNELS;

export const CHANNEL_KINDS = Object.keys(CHANNELS) as readonly Channel[];

export const isChannel = (text: string): text is Channel => Object.hasOwn(CHANNELS, text);

/** The same as `CHANNELS`, typed for any channel instead of a certain one. */
export const specOf = (channel: Channel): ChannelSpec => CHANNELS[channel];

/** Message formats for people. */
export type PeopleForm = Extract<ChannelSpec, { readonly for: 'people' }>['form'];

type KindsFor<F extends ChannelSpec['for']> = {
  [K in Channel]: (typeof CHANNELS)[K] extends { readonly for: F } ? K : never;
}[Channel];
export type MachineChannel = KindsFor<'machines'>;

const kindsFor = <F extends ChannelSpec['for']>(whom: F) =>
  CHANNEL_KINDS.filter((kind) => specOf(kind).for === whom) as readonly Channel[] as readonly KindsFor<F>[];
export const PEOPLE_CHANNELS = kindsFor('people');
export const MACHINE_CHANNELS = kindsFor('machines');

/** The parameters of a trigger that contain addresses, by channel. */
export const ADDRESS_PARAMETERS: Readonly<Partial<Record<Channel, string>>> = Object.fromEntries(
  CHANNEL_KINDS.flatMap((kind) => {
    const { address } = specOf(kind);
    return address.from === 'parameter' ? [[kind, address.name]] : [];
  }),
);

/** The parameters of a trigger that contain secrets of addresses, by channel. */
export const SECRET_PARAMETERS: Readonly<Partial<Record<Channel, string>>> = Object.fromEntries(
  CHANNEL_KINDS.flatMap((kind) => {
    const { address } = specOf(kind);
    return address.from === 'parameter' && address.secret !== undefined ? [[kind, address.secret]] : [];
  }),
);

const addressesInDelivery = CHANNEL_KINDS.flatMap((kind) => {
  const { address } = specOf(kind);
  return address.from === 'parameter' && address.isInDelivery ? [address.name] : [];
});

function aboutChannel(kind: Channel): string {
  const { address } = specOf(kind);
  if (address.from === 'subscriptions') return `Send by ${kind} to the browsers the user has subscribed.`;
  if (address.from === 'topic') return `Send by ${kind} to \`users/{userId}/devices/{deviceId}/notifications\`.`;
  const orAccount = address.isAccountByDefault ? ', or to the user' : '';
  const withSecret = address.secret ? `, with the access token \`parameters.${address.secret}\`` : '';
  return `Send by ${kind} to \`parameters.${address.name}\`${orAccount}${withSecret}.`;
}

/** The schema of a trigger's `delivery`: a flag for each channel, a few addresses, and the format of messages. */
export const deliverySchema: TSchema = Type.Object({
  ...Object.fromEntries(
    CHANNEL_KINDS.map((kind) => [kind, Type.Optional(Type.Boolean({ description: aboutChannel(kind) }))]),
  ),
  ...Object.fromEntries(
    addressesInDelivery.map((name) => [
      name,
      Type.Optional(
        Type.String({ maxLength: 300, pattern: QUEUE_ARN.source, description: `The same as \`parameters.${name}\`.` }),
      ),
    ]),
  ),
  raw: Type.Optional(
    Type.Boolean({
      description: 'Whether webhooks and queues get the message as plain JSON, without its envelope. Default: false.',
    }),
  ),
});

export const DELIVERY_KEYS: readonly string[] = [...CHANNEL_KINDS, ...addressesInDelivery, 'raw'];

export const DEFAULT_DELIVERY = { push: true, email: false };
