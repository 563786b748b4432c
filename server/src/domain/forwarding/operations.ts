import {
  type forwardingOperations as contract,
  type ForwardingSetup,
  forwarder,
} from '@trackway/contract/forwarding.ts';
import type { Kysely } from 'kysely';
import type { Call, Handlers } from '../../calls.ts';
import { children, type Family, listOf, type Shown } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { forwardedTypes, requireQueueArn } from './queue-address.ts';

const NOT_DELIVERED = 'Stored. This version does not deliver to queues yet.';

export function forwardingOperations(store: Store): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'forwarders', forwarder);
  const family: Family = {
    name: 'forwarder',
    rows,
    scope: ({ deviceId, right, caller }) =>
      right === 'own'
        ? children('deviceId', deviceId)
        : { sql: '"deviceId" = ? AND "userId" = ?', cells: [deviceId, caller.userId] },
  };

  async function setUp(call: Call, { sqsArn, types }: ForwardingSetup): Promise<{ status: string }> {
    const wanted = forwardedTypes(types);
    const { deviceId } = call;
    return store.transaction(async (tx) => {
      // Locking the device's row makes calls for one device take turns, on either engine.
      await tx.updateTable('devices').set({ id: deviceId }).where('id', '=', deviceId).execute();
      const current = await tx
        .selectFrom('forwarders')
        .selectAll()
        .where('deviceId', '=', deviceId)
        .where('origin', '=', 'setup')
        .executeTakeFirst();
      if (sqsArn === undefined || sqsArn === null) return { status: current ? 'ok' : 'off' };
      if (sqsArn === '') {
        if (current) await tx.deleteFrom('forwarders').where('id', '=', current.id).execute();
        return { status: 'off' };
      }
      const target = requireQueueArn(sqsArn);
      const same = current?.target === target && JSON.stringify(JSON.parse(current.types)) === JSON.stringify(wanted);
      if (same) return { status: 'ok' };
      if (current) await tx.deleteFrom('forwarders').where('id', '=', current.id).execute();
      await tx
        .insertInto('forwarders')
        .values({
          deviceId,
          userId: call.caller.userId,
          kind: 'sqs',
          target,
          types: JSON.stringify(wanted),
          status: NOT_DELIVERED,
          origin: 'setup',
          created: call.now,
        })
        .execute();
      return { status: 'ok' };
    });
  }

  return {
    setupSqsForwarding: (call) => setUp(call, call.parameters as ForwardingSetup),
    setupSqsForwardingByPost: (call) => setUp(call, call.body),
    listForwarders: (call) => listOf(family, call) as Promise<Shown>,
  };
}

/** A user who loses a share loses their forwarders on the device. */
export async function endForwardersOf(tx: Kysely<Tables>, deviceId: number, userId: number): Promise<void> {
  await tx.deleteFrom('forwarders').where('deviceId', '=', deviceId).where('userId', '=', userId).execute();
}
