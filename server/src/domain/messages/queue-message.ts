import { message } from '@trackway/contract/resources/message.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Kysely } from 'kysely';
import { presentRow } from '../../platform/storage/shape.ts';
import { appendLiveEvents } from '../live/append-live-events.ts';
import { endDependants } from '../schema/dependants.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store, Tables } from '../schema/tables.ts';

/** A message to a device that follows from a command. */
export interface CommandMessage {
  readonly deviceId: number;
  readonly userId: number;
  readonly message: string;
  readonly config?: string;
}

/** Queues messages for devices. */
export function messageQueue(store: Pick<Store, 'storeKind'>) {
  const shape = shapeOf(message);
  return {
    async add(tx: Kysely<Tables>, given: CommandMessage, now: number): Promise<Shown<typeof message>> {
      const row = await tx
        .insertInto('messages')
        .values({ config: null, ...given, mobileTerminated: 1, created: now, sent: null })
        .returningAll()
        .executeTakeFirstOrThrow();
      return presentRow(shape, { ...row });
    },

    /** Tells live streams of a message: the last statement of its transaction. */
    announce: (tx: Kysely<Tables>, shown: Shown<typeof message>, now: number) =>
      appendLiveEvents(tx, store.storeKind, [{ kind: 'message', deviceId: shown.deviceId, event: shown }], now),

    /** Takes back a message; false where the device has it already. */
    async takeBack(tx: Kysely<Tables>, deviceId: number, messageId: number): Promise<boolean> {
      const gone = await tx
        .deleteFrom('messages')
        .where('deviceId', '=', deviceId)
        .where('id', '=', messageId)
        .where('sent', 'is', null)
        .executeTakeFirst();
      const isGone = gone.numDeletedRows > 0n;
      if (isGone) await endDependants(tx, 'messages', [messageId]);
      return isGone;
    },
  };
}
