import { message } from '@trackway/contract/resources/message.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import { sql } from 'kysely';
import type { Call } from '../../calls.ts';
import { presentRow } from '../../platform/storage/shape.ts';
import { invalidField } from '../../refusals.ts';
import { recordDeviceAudit } from '../audit/record.ts';
import { appendLiveEvents } from '../live/append-live-events.ts';
import { countRows } from '../rows.ts';
import { endDependants } from '../schema/dependants.ts';
import { lockDevices } from '../schema/lock-device.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Tx } from '../schema/tables.ts';
import { type Quotas, requireRoom, UNLIMITED } from '../users/quotas.ts';

/** A message to a device for a command. */
interface CommandMessage {
  readonly message: string;
  readonly config?: string;
}

/**
 * Rejects another message while too many wait for the device, or for all devices of the sending user. Called in the
 * transaction that queues it.
 */
export async function requireMessageRoom(tx: Tx, quotas: Quotas, { deviceId, caller }: Call): Promise<void> {
  const waiting = tx
    .selectFrom('messages')
    // Written exactly like the condition of the partial indexes.
    .where(sql<boolean>`"mobileTerminated" = 1 AND "sent" IS NULL AND "state" = 'queued'`);
  const refusal = (field: string, whose: string) => (most: number) =>
    invalidField('message', field, 'quota', `has ${most} pending messages${whose}: delete some first`);
  // Simultaneous calls wait here, so that the limit also applies to them.
  await lockDevices(tx, [deviceId]);
  const most = quotas.deviceMessages;
  const count = most > 0 ? await countRows(waiting.where('deviceId', '=', deviceId)) : 0;
  if (most > 0 && count >= most) throw refusal('deviceId', '')(most);
  const { userId } = caller;
  const ofUser = (_: unknown, userIds: readonly number[]) => waiting.where('userId', 'in', userIds);
  await requireRoom(tx, { quotas, caller, userId }, 'messages', ofUser, refusal('userId', ' for devices'));
}

/** Queues messages for devices. */
export function messageQueue(quotas: Quotas = UNLIMITED) {
  const shape = shapeOf(message);
  return {
    /** Queues a command of the caller, and records it. */
    async add(tx: Tx, call: Call, given: CommandMessage): Promise<Shown<typeof message>> {
      const { deviceId, caller, now } = call;
      await requireMessageRoom(tx, quotas, call);
      await recordDeviceAudit(tx, call, { action: 'command.sent', deviceId, detail: { command: given.message } });
      const row = await tx
        .insertInto('messages')
        .values({
          config: null,
          ...given,
          deviceId,
          userId: caller.userId,
          mobileTerminated: 1,
          created: now,
          sent: null,
        })
        .returningAll()
        .executeTakeFirstOrThrow();
      return presentRow(shape, { ...row });
    },

    /** Publishes a message to live streams: the last statement of its transaction. */
    announce: (tx: Tx, shown: Shown<typeof message>, now: number) =>
      appendLiveEvents(tx, [{ kind: 'message', deviceId: shown.deviceId, event: shown }], now),

    /** Cancels a message; false if the device already has it. */
    async takeBack(tx: Tx, deviceId: number, messageId: number): Promise<boolean> {
      const waiting = await tx
        .selectFrom('messages')
        .select('id')
        .where('deviceId', '=', deviceId)
        .where('id', '=', messageId)
        .where('sent', 'is', null)
        .forUpdate()
        .executeTakeFirst();
      if (waiting === undefined) return false;
      await endDependants(tx, 'messages', [messageId]);
      await tx.deleteFrom('messages').where('deviceId', '=', deviceId).where('id', '=', messageId).execute();
      return true;
    },
  };
}
