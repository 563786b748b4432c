import { type Channel, SECRET_PARAMETERS } from '@trackway/contract/channels.ts';
import { destinationsFor, keyOf, sealSecrets } from '../../platform/outbox/destinations.ts';
import type { Vault } from '../../platform/vault.ts';
import { invalidField } from '../../refusals.ts';
import type { Tx } from '../schema/tables.ts';
import { addressOf, channelsOf, destinationOf, type Wanted } from './targets.ts';

/** Secrets of addresses, which users enter with them. They are stored with the destination only, and never returned. */

export interface AddressSecret {
  readonly channel: Channel;
  readonly address: string;
  /** Null removes the stored one. */
  readonly secret: string | null;
}

const NAMES = Object.entries(SECRET_PARAMETERS) as [Channel, string][];

/** Removes the secrets from the parameters, before these are stored, and returns those of wanted channels. */
export function takeSecrets(wanted: Wanted): AddressSecret[] {
  return NAMES.flatMap(([channel, name]) => {
    const parameters = wanted.parameters as Record<string, unknown>;
    if (!Object.hasOwn(parameters, name)) return [];
    const sent = parameters[name];
    delete parameters[name];
    const isNone = sent === null || sent === '';
    if (!isNone && !(typeof sent === 'string' && /^[\x21-\x7e]{1,200}$/.test(sent)))
      throw invalidField('notificationTrigger', 'parameters', 'format', `${name} is not an access token`);
    const given = channelsOf(wanted).includes(channel) ? addressOf(channel, wanted) : undefined;
    return given ? [{ channel, address: given.value, secret: isNone ? null : (sent as string) }] : [];
  });
}

/** Where no address has a secret. */
export const NO_VAULT: Pick<Vault, 'seal'> = {
  seal: () => {
    throw new Error('The server has no key to encrypt secrets');
  },
};

/** Stores them encrypted with the destinations of the user. */
export async function keepSecrets(
  tx: Tx,
  vault: Pick<Vault, 'seal'>,
  userId: number,
  secrets: readonly AddressSecret[],
  now: number,
): Promise<void> {
  for (const { channel, address, secret } of secrets) {
    const to = destinationOf(channel, address, userId);
    const id = (await destinationsFor(tx, [to], now)).get(keyOf(to))!;
    const sealed = secret === null ? null : sealSecrets(vault, id, [{ secret, until: null }]);
    await tx.updateTable('destinations').set({ secrets: sealed }).where('id', '=', id).execute();
  }
}
