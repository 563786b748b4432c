import { type messageOperations as contract, message } from '@trackway/contract/resources/message.ts';
import type { Sent } from '@trackway/contract/schema.ts';
import type { Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import { recordDeletedData, recordDeviceAudit } from '../audit/record.ts';
import {
  changedFields,
  children,
  countOf,
  familyOf,
  listOf,
  readOf,
  refuseMoved,
  removeAllOf,
  rowOf,
} from '../family.ts';
import { appendLiveEvents } from '../live/append-live-events.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { commandOf, supportedBy } from './named-command.ts';

/** @param queued is told of a device that a message waits for */
export function messageOperations(
  store: Store,
  queued: (deviceId: number) => void = () => {},
): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'messages', message);
  const family = familyOf('message', rows, (call) => children('deviceId', call.deviceId));

  return {
    listMessages: (call) => listOf(family, call),
    countMessages: (call) => countOf(family, call),
    getMessage: (call) => readOf(family, call),
    async deleteMessage(call) {
      await rowOf(family, call);
      await store.transaction(async (tx) => {
        await rows.remove(call.key, tx, { deviceId: call.deviceId });
        await recordDeletedData(tx, call, { messages: [call.key] });
      });
      return undefined;
    },
    async deleteMessages(call) {
      await recordDeletedData(store.query, call, { messages: 'all' });
      return removeAllOf(family, call);
    },

    async createMessage(call) {
      const values = call.body;
      requireContent(values);
      const state = values.mobileTerminated === false ? null : ('queued' as const);
      const service = { created: call.now, deviceId: call.deviceId, userId: call.caller.userId, state };
      const made = await store.transaction(async (tx) => {
        const shown = rows.present(await rows.insert({ ...values, ...service }, tx));
        await appendLiveEvents(
          tx,
          store.storeKind,
          [{ kind: 'message', deviceId: call.deviceId, event: shown }],
          call.now,
        );
        return shown;
      });
      queued(call.deviceId);
      return made;
    },

    async sendCommand(call) {
      const { deviceId, caller, now } = call;
      const told = commandOf(call.body, now);
      const supported = await supportedBy(store, deviceId);
      if (supported !== undefined && !supported.includes(told.name))
        throw invalidField('command', 'command', 'unsupported', 'is not known to the protocol of this device');
      const made = await store.transaction(async (tx) => {
        const row = await tx
          .insertInto('messages')
          .values({
            config: null,
            message: told.text,
            mobileTerminated: 1,
            created: now,
            sent: null,
            deviceId,
            userId: caller.userId,
            expires: told.expires,
            command: JSON.stringify({ name: told.name, parameters: told.parameters, force: told.force }),
          })
          .returningAll()
          .executeTakeFirstOrThrow();
        await recordDeviceAudit(tx, call, { action: 'command.sent', deviceId, detail: { command: told.text } });
        const shown = rows.present({ ...row });
        await appendLiveEvents(tx, store.storeKind, [{ kind: 'message', deviceId, event: shown }], now);
        return shown;
      });
      queued(deviceId);
      return made;
    },

    async updateMessage(call) {
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId, userId: before.userId as number | null });
      const values = call.body;
      const shown = rows.present(before);
      const [changed] = changedFields(values, shown);
      if (changed !== undefined && before.sent !== null) {
        throw invalidField(
          'message',
          changed,
          'sent',
          'cannot be changed: the device has already received this message',
        );
      }
      requireContent({ ...shown, ...values });
      const row = await rows.update(call.key, values, undefined, { deviceId: call.deviceId });
      if (row === undefined) throw childNotFound('message', call.key);
      return rows.present(row);
    },
  };
}

/** A message says something: to people's devices as text, or as bytes in config. */
function requireContent(values: Sent<typeof message>): void {
  if (!values.message && !values.config) {
    throw invalidField('message', 'message', 'presence', "can't be blank: give message or config");
  }
}
