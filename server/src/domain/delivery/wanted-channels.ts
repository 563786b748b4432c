import { CHANNEL_KINDS, type Channel, specOf } from '@trackway/contract/channels.ts';

/** The channels of a trigger, and the addresses it gives them. */
export interface Wanted {
  readonly delivery: Readonly<Record<string, unknown>>;
  readonly parameters: Readonly<Record<string, unknown>>;
}

interface GivenAddress {
  /** Where the trigger holds it. */
  readonly field: 'delivery' | 'parameters';
  readonly name: string;
  readonly value: string;
}

export const channelsOf = (wanted: Wanted): Channel[] =>
  CHANNEL_KINDS.filter(
    (channel) =>
      wanted.delivery[channel] === true ||
      (wanted.delivery[channel] !== false && addressOf(channel, wanted)?.field === 'delivery'),
  );

/** The address that a trigger gives to a channel. */
export function addressOf(channel: Channel, { delivery, parameters }: Wanted): GivenAddress | undefined {
  const { address } = specOf(channel);
  if (address.from !== 'parameter') return undefined;
  const { name } = address;
  const inDelivery = address.isInDelivery ? textOf(delivery[name]) : undefined;
  if (inDelivery !== undefined) return { field: 'delivery', name, value: inDelivery };
  const value = textOf(parameters[name]);
  return value === undefined ? undefined : { field: 'parameters', name, value };
}

/** Some addresses are numbers, which a client may send as such. */
function textOf(value: unknown): string | undefined {
  if (Number.isSafeInteger(value)) return String(value);
  return typeof value === 'string' && value !== '' ? value : undefined;
}

/** The end of a sentence about what is wrong with the form of an address; undefined where nothing is. */
export function wrongForm(channel: Channel, address: string): string | undefined {
  const { addressForm } = specOf(channel);
  if (addressForm === undefined || addressForm === 'url') return undefined;
  return addressForm.pattern.test(address) ? undefined : addressForm.wrong;
}
