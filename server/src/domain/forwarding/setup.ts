import type { ForwardingSetup } from '@trackway/contract/forwarding.ts';
import type { Call } from '../../calls.ts';
import type { Store } from '../schema/tables.ts';
import type { Forwarders } from './forwarders.ts';
import { forwardedTypes, requireQueueArn } from './queue-address.ts';

/** The one forwarder of a device that operation setupSqsForwarding owns. */
export function forwardingSetup(store: Store, forwarders: Forwarders) {
  return async (call: Call, { sqsArn, types }: ForwardingSetup): Promise<{ status: string }> => {
    const wanted = forwardedTypes(types);
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
      if (sqsArn === '') {
        if (current) await forwarders.remove(tx, current, now);
        return { status: 'off' };
      }
      const target = requireQueueArn(sqsArn);
      const same =
        current?.target === target &&
        current.active === 1 &&
        JSON.stringify(JSON.parse(current.types)) === JSON.stringify(wanted);
      if (same) return { status: 'ok' };
      if (current) await forwarders.remove(tx, current, now);
      const settings = { kind: 'sqs', target, types: wanted, origin: 'setup' } as const;
      await forwarders.add(tx, settings, { deviceId, caller, field: 'sqsArn', now });
      return { status: 'ok' };
    });
  };
}
