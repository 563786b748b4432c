import {
  type transientOperations as contract,
  MODES,
  transient,
} from '@trackway/contract/resources/commands/transient.ts';
import type { Shown } from '@trackway/contract/schema.ts';
import type { Call, Handlers } from '../../calls.ts';
import type { Row } from '../../platform/storage/shape.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { recordDeletedData, recordDeviceAudit } from '../audit/record.ts';
import { children, countOf, familyOf, listOf, readOf, refuseMoved, rowOf } from '../family.ts';
import { lockDevices } from '../schema/lock-device.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store, Tx } from '../schema/tables.ts';
import { type Quotas, UNLIMITED } from '../users/quotas.ts';
import { messageQueue } from './queue-message.ts';

type Transient = Shown<typeof transient>;

/** The command of each mode in messages to the device. */
const COMMANDS: Readonly<Record<number, string>> = {
  [MODES.flight]: 'flightMode',
  [MODES.sleep]: 'sleep',
  [MODES.wake]: 'wakeUp',
};

const commandOf = (type: number, minutes: number) => `${COMMANDS[type]}${minutes > 0 ? ` ${minutes}` : ''}`;

/** Temporary modes of a device: each is requested by a message to the device. */
export function transientOperations(store: Store, quotas: Quotas = UNLIMITED): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'transients', transient);
  const family = familyOf('transient', rows, (call) => children('deviceId', call.deviceId));
  const queue = messageQueue(quotas);

  const begin = (call: Call, type: number, duration: number): Promise<Transient> =>
    store.transaction(async (tx) => {
      const { deviceId, now } = call;
      await lockDevices(tx, [deviceId]);
      await replaceUnsent(tx, deviceId, type);
      const values = { deviceId, type, duration, triggeredAt: now, sent: null, end: null, sms: false };
      const row = await rows.insert(values, tx);
      const reported = await queue.add(tx, call, { message: commandOf(type, duration) });
      await tx
        .updateTable('transients')
        .set({ messageId: reported.id })
        .where('deviceId', '=', deviceId)
        .where('id', '=', row.id as number)
        .execute();
      await queue.announce(tx, reported, now);
      return rows.present(row);
    });

  async function replaceUnsent(tx: Tx, deviceId: number, type: number): Promise<void> {
    const unsent = await tx
      .selectFrom('transients')
      .select(['id', 'messageId'])
      .where('deviceId', '=', deviceId)
      .where('type', '=', type)
      .where('sent', 'is', null)
      .execute();
    for (const { id, messageId } of unsent) {
      // A mode that the device has received in the meantime stays.
      if (messageId !== null && !(await queue.takeBack(tx, deviceId, messageId))) continue;
      await rows.remove(id, tx, { deviceId });
    }
  }

  async function messageOf(tx: Tx, deviceId: number, id: number): Promise<number | null> {
    const ofDevice = tx.selectFrom('transients').select('messageId').where('deviceId', '=', deviceId);
    return (await ofDevice.where('id', '=', id).executeTakeFirst())?.messageId ?? null;
  }

  async function rewrite(tx: Tx, before: Row, duration: number): Promise<void> {
    const deviceId = before.deviceId as number;
    const messageId = await messageOf(tx, deviceId, before.id as number);
    if (before.sent === null && messageId === null) return;
    const rewritten = await tx
      .updateTable('messages')
      .set({ message: commandOf(before.type as number, duration) })
      .where('deviceId', '=', deviceId)
      .where('id', '=', messageId)
      .where('sent', 'is', null)
      .executeTakeFirst();
    if (rewritten.numUpdatedRows === 0n)
      throw invalidField('deviceTransient', 'duration', 'sent', 'cannot be changed: the device has received it');
  }

  return {
    flightMode: (call) => begin(call, MODES.flight, call.parameters.duration!),
    flightModeByPost: (call) => begin(call, MODES.flight, call.body.duration!),
    sleepDevice: (call) => begin(call, MODES.sleep, call.parameters.duration ?? 0),
    sleepDeviceByPost: (call) => begin(call, MODES.sleep, call.body.duration ?? 0),
    wakeUpDevice: (call) => begin(call, MODES.wake, call.parameters.duration ?? 0),
    wakeUpDeviceByPost: (call) => begin(call, MODES.wake, call.body.duration ?? 0),

    listTransients: (call) => listOf(family, call),
    countTransients: (call) => countOf(family, call),
    getTransient: (call) => readOf(family, call),

    async updateTransient(call) {
      const { key, deviceId, body } = call;
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: key, deviceId });
      const { duration } = body;
      if (duration === 0 && before.type === MODES.flight)
        throw invalidField('deviceTransient', 'duration', 'range', 'must be at least 1');
      const row = await store.transaction(async (tx) => {
        if (typeof duration === 'number' && duration !== before.duration) {
          await rewrite(tx, before, duration);
          const command = commandOf(before.type as number, duration);
          await recordDeviceAudit(tx, call, { action: 'command.sent', deviceId, detail: { command } });
        }
        return rows.update(key, body, tx, { deviceId });
      });
      if (row === undefined) throw childNotFound('transient', key);
      return rows.present(row);
    },

    async deleteTransient(call) {
      await rowOf(family, call);
      await store.transaction(async (tx) => {
        const messageId = await messageOf(tx, call.deviceId, call.key);
        if (messageId !== null) await queue.takeBack(tx, call.deviceId, messageId);
        await rows.remove(call.key, tx, { deviceId: call.deviceId });
        await recordDeletedData(tx, call, { transients: [call.key] });
      });
    },
  };
}
