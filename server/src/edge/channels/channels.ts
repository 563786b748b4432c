import { randomUUID } from 'node:crypto';
import type { Channel as Kind } from '@trackway/contract/channels.ts';
import { timeNow } from '../../platform/clock.ts';
import type { Channel, SendOutcome } from '../../platform/outbox/channel.ts';
import type { ChannelDefinition, ChannelParts, ChannelSetup, Environment } from './definition.ts';
import { email } from './email.ts';
import { mqtt } from './mqtt.ts';
import { ntfy } from './ntfy.ts';
import { push } from './push.ts';
import { sqs } from './sqs.ts';
import { telegram } from './telegram.ts';
import { webhook } from './webhook.ts';

/** All channels. A channel of the contract that is missing here is a compile error. */
const DEFINITIONS = {
  push,
  email,
  http: webhook,
  sqs,
  mqtt,
  telegram,
  ntfy,
} satisfies { readonly [K in Kind]: unknown };

type Intersection<U> = (U extends unknown ? (one: U) => void : never) extends (all: infer I) => void ? I : never;
type SettingsOf<D> = D extends ChannelDefinition<infer S> ? S : never;

/** The settings of all channels together. */
type ChannelSettings = Intersection<SettingsOf<(typeof DEFINITIONS)[Kind]>>;

function ofEach<T>(make: (definition: ChannelDefinition<ChannelSettings>) => T): Record<Kind, T> {
  const made = Object.entries(DEFINITIONS).map(([kind, definition]) => [kind, make(definition)]);
  return Object.fromEntries(made) as Record<Kind, T>;
}

export const createChannels = (settings: ChannelSettings, parts: ChannelParts): Record<Kind, Channel> =>
  ofEach((definition) => reopened(definition, settings, parts));

/** Opens the channel again when its settings have changed; what is being sent then ends by the former one. */
function reopened(
  { open }: ChannelDefinition<ChannelSettings>,
  settings: ChannelSettings,
  parts: ChannelParts,
): Channel {
  const opened = () => ({ channel: open(settings, parts), of: JSON.stringify(settings), sending: 0 });
  let current = opened();
  const { batch, concurrency } = current.channel;
  return {
    batch,
    concurrency,
    isOrdered: (target) => current.channel.isOrdered(target),
    async send(destination, parcels, signal) {
      if (JSON.stringify(settings) !== current.of) {
        const former = current;
        current = opened();
        if (former.sending === 0) await former.channel.close();
      }
      const used = current;
      used.sending++;
      try {
        return await used.channel.send(destination, parcels, signal);
      } finally {
        used.sending--;
        if (used !== current && used.sending === 0) await used.channel.close();
      }
    },
    close: () => current.channel.close(),
  };
}

export const setupOf = (
  settings: ChannelSettings,
  environment: Environment = process.env,
): Record<Kind, ChannelSetup> => ofEach((definition) => definition.setup(settings, environment));

export const TEST_TEXT = 'This is a test by Trackway. The channel works.';

/** Sends a test at once, without the outbox. */
export async function sendTest(channel: Channel, target: string, address: string | null): Promise<SendOutcome> {
  const messageId = randomUUID();
  const content = { type: 'text/plain', subject: 'Trackway', text: TEST_TEXT };
  const parcel = { id: 0, messageId, group: messageId, address, content, createdAt: timeNow() };
  const [outcome] = await channel.send({ id: 0, target, secrets: [] }, [parcel], new AbortController().signal);
  return outcome!;
}

/** Whether each channel is configured. */
export const channelsSetUp = (settings: ChannelSettings): Record<string, boolean> =>
  Object.fromEntries(Object.entries(setupOf(settings)).map(([kind, { missing }]) => [kind, missing === null]));
