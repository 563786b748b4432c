import { type Channel, specOf } from '@trackway/contract/channels.ts';
import type { DestinationAddress } from '../../platform/outbox/destinations.ts';

/**
 * The destination that an address of a channel leads to. The operator's mail server and broker serve all users and
 * belong to none of them. Elsewhere the address itself is the destination, one for each user, so that what goes wrong
 * for one user never holds up another.
 */
export function destinationOf(kind: Channel, address: string, userId: number): DestinationAddress {
  const { server, isSigned = false } = specOf(kind);
  return server === undefined
    ? { kind, target: address, ownerId: userId, isSigned }
    : { kind, target: server, ownerId: null, isSigned };
}
