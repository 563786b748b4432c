import type { Channel as Kind } from '@trackway/contract/channels.ts';
import type { Channel } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition, ChannelParts, ChannelSetup, Environment } from './definition.ts';
import { email } from './email.ts';
import { mqtt } from './mqtt.ts';
import { push } from './push.ts';
import { sqs } from './sqs.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

/** The list of channels. One that the contract names does not compile until it is here. */
const DEFINITIONS = {
  push,
  email,
  http: webhook,
  sqs,
  mqtt,
  telegram,
} satisfies { readonly [K in Kind]: unknown };

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;
type SettingsOf<D> = D extends ChannelDefinition<infer S> ? S : never;

/** What all channels together read of the settings. */
export type ChannelSettings = Intersection<SettingsOf<(typeof DEFINITIONS)[Kind]>>;

function ofEach<T>(make: (definition: ChannelDefinition<ChannelSettings>) => T): Record<Kind, T> {
  const made = Object.entries(DEFINITIONS).map(([kind, definition]) => [kind, make(definition)]);
  return Object.fromEntries(made) as Record<Kind, T>;
}

export const createChannels = (settings: ChannelSettings, parts: ChannelParts): Record<Kind, Channel> =>
  ofEach((definition) => definition.open(settings, parts));

export const setupOf = (
  settings: ChannelSettings,
  environment: Environment = process.env,
): Record<Kind, ChannelSetup> => ofEach((definition) => definition.setup(settings, environment));

/** Which channels are set up. */
export const channelsSetUp = (settings: ChannelSettings): Record<string, boolean> =>
  Object.fromEntries(Object.entries(setupOf(settings)).map(([kind, { missing }]) => [kind, missing === null]));
