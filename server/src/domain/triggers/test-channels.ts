import { specOf } from '@trackway/contract/channels.ts';
import type { Handlers } from '../../calls.ts';
import { type Posting, post } from '../../platform/outbox/post.ts';
import type { Vault } from '../../platform/vault.ts';
import { keepSecrets, NO_VAULT, takeSecrets } from '../delivery/address-secrets.ts';
import { deliveryRows } from '../delivery/deliveries.ts';
import { queuesAsked, recipientsAsked } from '../delivery/notify.ts';
import { addresseesOf, People } from '../delivery/people.ts';
import { DEFAULT_POLICY, type SendingPolicy } from '../delivery/sending-policy.ts';
import { type CheckTarget, channelsOf } from '../delivery/targets.ts';
import { testContent } from '../delivery/test-message.ts';
import type { DeviceAccess } from '../devices/access.ts';
import { children } from '../family.ts';
import type { Store } from '../schema/tables.ts';
import { escalationOf, requireDeliverable, triggerChecks } from './checks.ts';

interface TestParts {
  readonly access: DeviceAccess;
  readonly checkTarget: CheckTarget;
  readonly policy?: SendingPolicy;
  readonly vault?: Pick<Vault, 'seal'>;
  /** Lets the outbox send at once. */
  readonly wake: () => void;
}

const NOTHING = { target: null, ownerId: null, address: null, content: { text: '', type: 'text/plain' } };
/** A test is about no device. */
const NO_DEVICE = 0;

/** Sends a test to everyone whom a trigger would notify. */
export function channelTests(
  store: Store,
  { access, checkTarget, policy = DEFAULT_POLICY, vault = NO_VAULT, wake }: TestParts,
): Handlers<'testChannels'> {
  const { requireAddresses } = triggerChecks(store, access, checkTarget, policy);
  const deliveries = deliveryRows(store);
  return {
    async testChannels(call) {
      const { userId, now } = call;
      const wanted = escalationOf(call.body, 'delivery');
      requireDeliverable(wanted);
      const secrets = takeSecrets(wanted);
      const isRaw = wanted.delivery.raw === true;
      const ids = await store.transaction(async (tx) => {
        await requireAddresses(tx, call, userId, wanted);
        await keepSecrets(tx, vault, userId, secrets, now);
        const people = await People.read(tx, [userId], now);
        const about = {
          person: people.get(userId)!,
          subscriptions: people.subscriptionsOf(userId),
          deviceId: NO_DEVICE,
          wanted,
          mayUse: queuesAsked(tx, now),
          whyNotMailed: recipientsAsked(tx, policy, now),
        };
        const postings: Posting[] = [];
        for (const kind of channelsOf(wanted)) {
          const test = { kind, userId, deviceId: null, what: 'test' };
          const addressees = await addresseesOf(kind, about);
          if ('reason' in addressees) postings.push({ ...test, ...NOTHING, ...addressees });
          else
            for (const addressee of addressees) {
              const target = specOf(kind).address.from === 'subscriptions' ? addressee.target! : '';
              const { content } = await testContent(store, { kind, target, userId, isRaw }, now);
              postings.push({ ...test, ...addressee, content });
            }
        }
        return post(tx, postings, now);
      });
      wake();
      const shown = [];
      for (const id of ids) shown.push(deliveries.present((await deliveries.find(children('userId', userId), id))!));
      return shown;
    },
  };
}
