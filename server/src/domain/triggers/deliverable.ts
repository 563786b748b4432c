import type { Violation } from '@trackway/contract/accept.ts';
import { CHANNEL_KINDS, DELIVERY_KEYS, specOf } from '@trackway/contract/channels.ts';
import { invalid } from '../../refusals.ts';
import { addressOf, type Wanted } from '../sending/wanted-channels.ts';

/**
 * Refuses a delivery that can not work: by something that is no channel, or by one that has no address. What was so
 * before is left alone, so that a client can send back what it read.
 */
export function requireDeliverable(wanted: Wanted, before?: Wanted): void {
  const violations: Violation[] = [];
  for (const [key, value] of Object.entries(wanted.delivery)) {
    if (DELIVERY_KEYS.includes(key) || value === false || value === null || isSame(value, before?.delivery[key]))
      continue;
    const message = `has ${key.slice(0, 60)}, which is not one of ${DELIVERY_KEYS.join(', ')}`;
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
