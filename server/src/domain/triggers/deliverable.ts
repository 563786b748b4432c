import type { Violation } from '@trackway/contract/accept.ts';
import { CHANNEL_KINDS, specOf } from '@trackway/contract/channels.ts';
import { invalid } from '../../refusals.ts';
import { addressOf, type Wanted } from '../sending/wanted-channels.ts';

/** Keys of `delivery` that hold an address. */
const ADDRESSES: readonly string[] = CHANNEL_KINDS.flatMap((channel) => {
  const { address } = specOf(channel);
  return address.from === 'parameter' && address.isInDelivery ? [address.name] : [];
});

/**
 * Refuses a delivery that can not work: by something that is no channel, or by one that has no address. What was so
 * before is left alone, so that a client can send back what it read.
 */
export function requireDeliverable(wanted: Wanted, before?: Wanted): void {
  const violations: Violation[] = [];
  for (const [key, value] of Object.entries(wanted.delivery)) {
    const isKnown = (CHANNEL_KINDS as readonly string[]).includes(key) || ADDRESSES.includes(key);
    if (isKnown || value === false || value === null || isSame(value, before?.delivery[key])) continue;
    const message = `has ${key.slice(0, 60)}, which is not one of ${[...CHANNEL_KINDS, ...ADDRESSES].join(', ')}`;
    violations.push({ field: 'delivery', code: 'inclusion', message });
  }
  for (const channel of CHANNEL_KINDS) {
    const { address } = specOf(channel);
    if (address.from !== 'parameter' || address.isAccountByDefault || wanted.delivery[channel] !== true) continue;
    if (addressOf(channel, wanted) !== undefined) continue;
    if (before?.delivery[channel] === true && addressOf(channel, before) === undefined) continue;
    violations.push({
      field: 'parameters',
      code: 'presence',
      message: `${address.name} can't be blank for ${channel}`,
    });
  }
  if (violations.length > 0) throw invalid('notificationTrigger', violations);
}

const isSame = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);
