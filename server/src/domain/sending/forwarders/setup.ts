import type { ForwardingSetup } from '@trackway/contract/resources/forwarding.ts';
import type { Call } from '../../../calls.ts';
import { Refusal } from '../../../platform/errors.ts';
import type { Store } from '../../schema/tables.ts';
import { forwardedTypes, requireQueueArn } from '../queues/queue-address.ts';
import type { Forwarders } from './forwarders.ts';

const setUpByAnother = () =>
  new Refusal(403, 'Another user has set up the queue of this device: only they or its owner can change it.', {
    code: 'ACCESS_DENIED',
  });

/** The one forwarder of a device that operation setupSqsForwarding owns. */
export function forwardingSetup(store: Store, forwarders: Forwarders) {
  return async (call: Call, { sqsArn, types: sent }: ForwardingSetup): Promise<{ status: string }> => {
    const wanted = forwardedTypes(sent);
    const { deviceId, caller, now } = call;
    return store.transaction(async (tx) => {
      await forwarders.takeTurns(tx, deviceId);
      const current = await tx
        .selectFrom('forwarders')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .where('origin', '=', 'setup')
        .executeTakeFirst();
      if (sqsArn === undefined || sqsArn === null) return { status: current ? 'ok' : 'off' };
      // Only the owner of the device may replace or end what another has set up on it.
      if (current && current.userId !== caller.userId && call.right !== 'own') throw setUpByAnother();
      if (sqsArn === '') {
        if (current) await forwarders.remove(tx, current, now);
        return { status: 'off' };
      }
      const target = requireQueueArn(sqsArn);
      const types = JSON.stringify(wanted);
      const isThere = current?.target === target;
      if (isThere && current.active === 1 && JSON.stringify(JSON.parse(current.types)) === types)
        return { status: 'ok' };
      const settings = { kind: 'sqs', target, types: wanted, origin: 'setup' } as const;
      // What waits for the same queue goes on waiting.
      if (isThere && current.userId === caller.userId) {
        const user = { userId: caller.userId, isAdmin: caller.admin };
        const destinationId = await forwarders.aim(tx, settings, user, 'sqsArn', now);
        await forwarders.change(tx, current.id, deviceId, { types, active: 1, destinationId });
        return { status: 'ok' };
      }
      if (current) await forwarders.remove(tx, current, now);
      await forwarders.add(tx, settings, { deviceId, caller, field: 'sqsArn', now });
      return { status: 'ok' };
    });
  };
}
