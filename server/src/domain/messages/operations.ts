import { type messageOperations as contract, message } from '@trackway/contract/message.ts';
import type { Handlers } from '../../calls.ts';
import { childNotFound, invalidField } from '../../refusals.ts';
import {
  children,
  countOf,
  type Family,
  listOf,
  readOf,
  refuseMoved,
  removeAllOf,
  removeOf,
  rowOf,
  type Shown,
} from '../family.ts';
import { appendLiveEvents } from '../live/append-live-events.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';

export function messageOperations(store: Store): Handlers<keyof typeof contract> {
  const rows = collectionOf(store, 'messages', message);
  const family: Family = { name: 'message', rows, scope: (call) => children('deviceId', call.deviceId) };

  return {
    listMessages: (call) => listOf(family, call) as Promise<Shown>,
    countMessages: (call) => countOf(family, call),
    getMessage: (call) => readOf(family, call),
    deleteMessage: (call) => removeOf(family, call),
    deleteMessages: (call) => removeAllOf(family, call),

    async createMessage(call) {
      const values = call.body as Record<string, unknown>;
      requireContent(values);
      const service = { created: call.now, deviceId: call.deviceId, userId: call.caller.userId };
      return store.transaction(async (tx) => {
        const shown = rows.present(await rows.insert({ ...values, ...service }, tx));
        await appendLiveEvents(
          tx,
          store.storeKind,
          [{ kind: 'message', deviceId: call.deviceId, event: shown }],
          call.now,
        );
        return shown as Shown;
      });
    },

    async updateMessage(call) {
      const before = await rowOf(family, call);
      refuseMoved(call.sent, { id: call.key, deviceId: call.deviceId, userId: before.userId as number | null });
      const values = call.body as Record<string, unknown>;
      const shown = rows.present(before);
      const changes = Object.keys(values).filter((name) => values[name] !== shown[name]);
      if (changes.length > 0 && before.sent !== null) {
        throw invalidField(
          'message',
          changes[0]!,
          'sent',
          'cannot be changed: the device has already received this message',
        );
      }
      requireContent({ ...shown, ...values });
      const row = await rows.update(call.key, values);
      if (row === undefined) throw childNotFound('message', call.key);
      return rows.present(row) as Shown;
    },
  };
}

/** A message must have content: a text, or bytes in config. */
function requireContent(values: Record<string, unknown>): void {
  if (!values.message && !values.config) {
    throw invalidField('message', 'message', 'presence', "can't be blank: give message or config");
  }
}
