import type { Egress } from '../../platform/egress/client.ts';
import type { Channel } from '../../platform/outbox/channel.ts';
import type { Vault } from '../../platform/vault.ts';
import type { VapidKeys } from './vapid.ts';

/** Configuration state of a channel, for `doctor`, the settings page and the reasons of deliveries. */
export interface ChannelSetup {
  /** What the operator must configure before it can send, in a sentence that names the setting; null if configured. */
  readonly missing: string | null;
  /** Whether some of its settings are set, so that the missing ones were probably forgotten. */
  readonly isBegun?: boolean;
  /** A description for the operator of what it does with these settings. */
  readonly about?: string;
  /** A problem for the operator to check although the channel works. */
  readonly warning?: string;
}

/** Dependencies of channels in addition to their settings. */
export interface ChannelParts {
  /** Calls addresses that users specify. */
  readonly egress: Egress;
  readonly pushKeys: VapidKeys;
  /** Decrypts the secrets in messages. */
  readonly vault: Vault;
  /** Whether the user of a destination has proven access to its queue. */
  readonly queueRight: (destinationId: number) => Promise<'proven' | 'named' | 'held'>;
}

export type Environment = Readonly<Record<string, string | undefined>>;

/** How a channel sends. The contract defines its address and message format. */
export interface ChannelDefinition<Settings> {
  /** Whether it can send with these settings. Makes no requests. */
  setup(settings: Settings, environment: Environment): ChannelSetup;
  /** Opens the channel. Libraries are imported on first use, so that an unused channel costs nothing. */
  open(settings: Settings, parts: ChannelParts): Channel;
}
