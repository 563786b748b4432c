import { type Channel, specOf } from '@trackway/contract/channels.ts';
import type { Posting } from '../../../platform/outbox/post.ts';
import { isServiceAddress } from '../../users/service-accounts/service-address.ts';
import { destinationOf } from '../destination-of.ts';
import { topicOf } from '../envelopes/envelope.ts';
import { addressOf, type Wanted, wrongForm } from '../wanted-channels.ts';
import type { Person, Subscription } from './people.ts';

/** Where a notification is sent by one channel. */
export type Addressee = Pick<Posting, 'target' | 'ownerId' | 'isSigned' | 'address'>;

/** Why a notification is not sent by a channel. */
export interface NoAddressee {
  readonly state: 'suppressed' | 'dead';
  readonly reason: string;
}

export interface NotificationFor {
  readonly person: Person;
  readonly subscriptions: readonly Subscription[];
  readonly deviceId: number;
  readonly wanted: Wanted;
  /** The end of a sentence about why this person may not use an address; undefined where they may. */
  readonly mayUse: (address: string, person: Person) => Promise<string | undefined>;
  /** Why nothing is mailed to an address for this person; undefined where it may be. */
  readonly whyNotMailed: (address: string, person: Person) => Promise<string | undefined>;
}

const dead = (reason: string): NoAddressee => ({ state: 'dead', reason });

/** To whom a notification goes by a channel, or why it goes nowhere. */
export async function addresseesOf(channel: Channel, about: NotificationFor): Promise<Addressee[] | NoAddressee> {
  const { person, subscriptions, deviceId, wanted, mayUse, whyNotMailed } = about;
  const { address: source, server, isHeld, isAgreed } = specOf(channel);
  switch (source.from) {
    case 'subscriptions':
      if (subscriptions.length === 0)
        return { state: 'suppressed', reason: 'No browser is subscribed to push notifications' };
      return subscriptions.map(({ endpoint, keys }) => ({
        ...destinationOf(channel, endpoint, person.id),
        address: JSON.stringify({ endpoint, keys }),
      }));
    case 'topic': {
      const address = `${topicOf(person.id, deviceId)}/notifications`;
      return [{ ...destinationOf(channel, address, person.id), address }];
    }
    case 'parameter': {
      const given = addressOf(channel, wanted);
      const address = given?.value ?? (source.isAccountByDefault ? person.email : undefined);
      if (address === undefined) return dead(`The trigger has no ${source.what}: set parameters.${source.name}`);
      if (channel === 'email' && isServiceAddress(address)) return dead('A service account gets no mail');
      const wrong = wrongForm(channel, address);
      if (wrong) return dead(`${given ? `${given.field}.${given.name}` : 'The address of the account'} ${wrong}`);
      const held = isHeld ? await mayUse(address, person) : undefined;
      if (held) return dead(`${address} ${held}`);
      const unwanted = isAgreed ? await whyNotMailed(address, person) : undefined;
      if (unwanted) return { state: 'suppressed', reason: unwanted };
      // At a server of the operator's the address says whom; elsewhere it is the destination.
      return [{ ...destinationOf(channel, address, person.id), address: server === undefined ? null : address }];
    }
  }
}
