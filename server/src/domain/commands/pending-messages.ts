import { message } from '@trackway/contract/resources/message.ts';
import { presentRow, type Row } from '../../platform/storage/shape.ts';
import type { Vault } from '../../platform/vault.ts';
import { appendLiveEvents, type LiveEvent } from '../live/append-live-events.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store } from '../schema/tables.ts';
import { ntripPasswords } from './ntrip-password.ts';
import { settleCommands } from './tracker-commands.ts';

/** Maximum number of messages in one response; the others follow in the next ones. */
const AT_ONCE = 20;

/** The messages pending for a device, in order, until it confirms them. */
export function pendingMessages(store: Store, vault: Vault) {
  const shape = shapeOf(message);
  const withPassword = ntripPasswords(store, vault);
  const waiting = store.prepare<Row>(
    'messages.waiting',
    `SELECT ${shape.map(({ name }) => `"${name}"`).join(', ')} FROM "messages"
     WHERE "deviceId" = ? AND "mobileTerminated" = 1 AND "sent" IS NULL AND "state" = 'queued'
       AND ("expires" IS NULL OR "expires" > ?) ORDER BY "id" LIMIT ${AT_ONCE}`,
  );
  return {
    next: async (deviceId: number, now: number) =>
      withPassword(
        deviceId,
        (await waiting.all(deviceId, now)).map((row) => presentRow(shape, row)),
      ),

    async taken(deviceId: number, ids: readonly number[], now: number): Promise<void> {
      if (ids.length === 0) return;
      await store.transaction(async (tx) => {
        const taken = await tx
          .updateTable('messages')
          .set({ sent: now, state: 'confirmed' })
          .where('deviceId', '=', deviceId)
          .where('id', 'in', [...ids])
          .where('mobileTerminated', '=', 1)
          .where('sent', 'is', null)
          .returningAll()
          .execute();
        if (taken.length === 0) return;
        await settleCommands(
          tx,
          taken.map(({ id }) => id),
          now,
        );
        const events = taken.map((row): LiveEvent => ({ kind: 'message', deviceId, event: presentRow(shape, row) }));
        await appendLiveEvents(tx, events, now);
      });
    },
  };
}
