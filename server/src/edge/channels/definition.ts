import type { Egress } from '../../platform/egress/client.ts';
import type { Channel } from '../../platform/outbox/channel.ts';
import type { VapidKeys } from './vapid.ts';

/** What is set up of a channel, for `doctor`, the settings page and the reasons of deliveries. */
export interface ChannelSetup {
  /** What the operator must do before it can send, in a sentence that names the setting; null where it is set up. */
  readonly missing: string | null;
  /** Whether some of its settings are there, so that what is missing was most likely forgotten. */
  readonly isBegun?: boolean;
  /** What it does as it is set up, for the operator. */
  readonly about?: string;
  /** What the operator should look at though it works. */
  readonly warning?: string;
}

/** What every channel may use besides its settings. */
export interface ChannelParts {
  /** Calls addresses that users give. */
  readonly egress: Egress;
  readonly pushKeys: VapidKeys;
  /** What the user of a destination has on the queue that it leads to. */
  readonly queueRight: (destinationId: number) => Promise<'proven' | 'named' | 'held'>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a channel sends. Its address and the form of its messages are in the contract. */
export interface ChannelDefinition<Settings> {
  /** Whether it can send by these settings. Asks nobody. */
  setup(settings: Settings, environment: Environment): ChannelSetup;
  /** Opens it. Libraries are imported when something is first sent, so that a channel that is not used costs nothing. */
  open(settings: Settings, parts: ChannelParts): Channel;
}
