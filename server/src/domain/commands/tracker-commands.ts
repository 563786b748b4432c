import { message } from '@trackway/contract/resources/message.ts';
import { sql, type Updateable } from 'kysely';
import type { CommandToSend, TrackerGateway } from '../../calls.ts';
import { presentRow } from '../../platform/storage/shape.ts';
import { type CommandRules, commandRefusal } from '../devices/known-trackers.ts';
import { appendLiveEvents } from '../live/append-live-events.ts';
import { forgetOld } from '../schema/forget-old.ts';
import type { MessageRow } from '../schema/rows/device-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store, Tx } from '../schema/tables.ts';

/** Maximum age and speed of the last fix for stopping an engine. */
const FIX_MS = 60_000;
const MOST_KMH = 20;
const MAX_FAILURE = 1000;

type Commands = Pick<
  TrackerGateway,
  'nextCommand' | 'commandsHeld' | 'commandReturned' | 'commandFailed' | 'commandConfirmed'
>;

interface StoredCommand {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly force: boolean;
}

/** Messages to trackers. Each is sent at most once. */
export function trackerCommands(store: Store): Commands & { expire(now: number): Promise<void> } {
  const shape = shapeOf(message);
  const oldest = store.prepare<Pick<MessageRow, 'message' | 'command' | 'expires'> & { readonly id: number }>(
    'messages.toTracker',
    `SELECT "id", "message", "command", "expires" FROM "messages"
     WHERE "deviceId" = ? AND "mobileTerminated" = 1 AND "sent" IS NULL AND "state" = 'queued' ORDER BY "id" LIMIT 1`,
  );

  const rulesOf = store.prepare<CommandRules & { readonly keyHash: string | null; readonly allowKeyless: number }>(
    'devices.commandRules',
    `SELECT "keyHash", "allowKeyless", "commandProtocols", "commandsFrom" FROM "devices"
     WHERE "id" = ? AND "deletedAt" IS NULL AND "active" = 1`,
  );

  /** Undefined if its state has changed meanwhile. */
  const change = (
    messageId: number,
    from: 'queued' | 'written',
    values: Updateable<MessageRow>,
    now: number,
    alsoIn?: (tx: Tx) => Promise<unknown>,
  ): Promise<boolean> =>
    store.transaction(async (tx) => {
      const row = await tx
        .updateTable('messages')
        .set(values)
        .where('id', '=', messageId)
        .where('state', '=', from)
        .returningAll()
        .executeTakeFirst();
      if (row === undefined) return false;
      await alsoIn?.(tx);
      const event = presentRow(shape, { ...row });
      await appendLiveEvents(tx, [{ kind: 'message', deviceId: row.deviceId, event }], now);
      return true;
    });

  /** Why an engine must not be stopped now. */
  async function dangerOf(
    deviceId: number,
    now: number,
  ): Promise<'noPosition' | 'speedUnknown' | 'moving' | undefined> {
    const fix = await store.query
      .selectFrom('points')
      .select(['timestamp', 'speed'])
      .where('deviceId', '=', deviceId)
      .where('locationLat', 'is not', null)
      .orderBy('timestamp', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (fix === undefined || Math.abs(now - fix.timestamp) > FIX_MS) return 'noPosition';
    if (fix.speed === null) return 'speedUnknown';
    if (fix.speed > MOST_KMH) return 'moving';
    return undefined;
  }

  async function commandsHeld(deviceId: number, reason: string): Promise<boolean> {
    const waiting = await oldest.get(deviceId);
    if (waiting === undefined) return false;
    await store.query
      .updateTable('messages')
      .set({ failure: reason })
      .where('deviceId', '=', deviceId)
      .where('mobileTerminated', '=', 1)
      .where('state', '=', 'queued')
      .where('sent', 'is', null)
      .where((of) => of.or([of('failure', 'is', null), of('failure', '!=', reason)]))
      .execute();
    return true;
  }

  return {
    async nextCommand({ deviceId, keyHash }, link, now): Promise<CommandToSend | undefined> {
      // Checked when the command is sent: the permissions of the connection may have changed since its last frame.
      const device = await rulesOf.get(deviceId);
      if (device === undefined || (keyHash === undefined ? device.allowKeyless === 0 : device.keyHash !== keyHash))
        return undefined;
      const refusal = commandRefusal(device, link, keyHash !== undefined);
      if (refusal !== undefined) {
        await commandsHeld(deviceId, refusal);
        return undefined;
      }
      for (;;) {
        const row = await oldest.get(deviceId);
        if (row === undefined) return undefined;
        const { id, message: text, expires } = row;
        if (expires !== null && expires <= now) {
          await change(id, 'queued', { state: 'expired' }, now);
          continue;
        }
        const command = row.command === null ? undefined : (JSON.parse(row.command) as StoredCommand);
        const failure =
          command?.name === 'engineStop' && !command.force
            ? await dangerOf(deviceId, now)
            : command === undefined && !text
              ? 'unsupported'
              : undefined;
        if (failure !== undefined) {
          await change(id, 'queued', { state: 'failed', failure }, now);
          continue;
        }
        if (!(await change(id, 'queued', { state: 'written', failure: null }, now))) continue;
        if (command === undefined) return { messageId: id, text: text! };
        return { messageId: id, command: { name: command.name, parameters: command.parameters } };
      }
    },

    commandsHeld,

    async commandReturned(messageId) {
      await store.query
        .updateTable('messages')
        .set({ state: 'queued' })
        .where('id', '=', messageId)
        .where('state', '=', 'written')
        .execute();
    },

    async commandFailed(_deviceId, messageId, failure, now) {
      await change(messageId, 'written', { state: 'failed', failure: failure.slice(0, MAX_FAILURE) }, now);
    },

    async commandConfirmed(deviceId, messageId, reply, now) {
      const replyId = reply === undefined ? null : await newestOf(store, deviceId, reply.text);
      if (reply?.isFailure) {
        const failure = reply.text.slice(0, MAX_FAILURE) || 'The device refused.';
        await change(messageId, 'written', { state: 'failed', failure, replyId }, now);
        return;
      }
      const values = { state: 'confirmed', sent: now, replyId } as const;
      await change(messageId, 'written', values, now, (tx) => settleCommands(tx, [messageId], now));
    },

    /** Gives up messages that could not be sent in time. */
    async expire(now) {
      const late = await store.query
        .selectFrom('messages')
        .select('id')
        .where('expires', 'is not', null)
        .where('expires', '<=', now)
        .where('state', '=', 'queued')
        .limit(1000)
        .execute();
      for (const { id } of late) await change(id, 'queued', { state: 'expired' }, now);
    },
  };
}

async function newestOf({ query }: Store, deviceId: number, text: string): Promise<number | null> {
  const row = await query
    .selectFrom('messages')
    .select('id')
    .where('deviceId', '=', deviceId)
    .where('mobileTerminated', '=', 0)
    .where('message', '=', text)
    .orderBy('id', 'desc')
    .limit(1)
    .executeTakeFirst();
  return row?.id ?? null;
}

const MINUTE_MS = 60_000;

/** The device has received these messages, so their effects begin. */
export async function settleCommands(tx: Tx, messageIds: readonly number[], now: number): Promise<void> {
  await tx
    .updateTable('transients')
    .set({
      sent: now,
      end: sql<
        number | null
      >`CASE WHEN "duration" > 0 THEN CAST(${now} AS BIGINT) + "duration" * ${sql.lit(MINUTE_MS)} END`,
    })
    .where('messageId', 'in', [...messageIds])
    .where('sent', 'is', null)
    .execute();
  await tx
    .updateTable('rtkCommands')
    .set({ sent: now, receivedAck: now })
    .where('queuedMessageId', 'in', [...messageIds])
    .execute();
}

const KEPT_MS = 90 * 86_400_000;
const SLICE = 500;

/** Deletes modes long after their end and commands long after they were sent, in small steps. */
export async function forgetOldCommands(store: Store, now: number): Promise<void> {
  const before = now - KEPT_MS;
  await forgetModes(store, before);
  await forgetOld(store, 'rtkCommands', 'created', before);
}

/** A mode lasts, so an old row of the index may still be kept. */
async function forgetModes({ query }: Store, before: number): Promise<void> {
  for (let count = SLICE; count === SLICE; ) {
    const old = await query
      .selectFrom('transients')
      .select('id')
      .where('triggeredAt', '<', before)
      .where(sql<number>`COALESCE("end", "sent", "triggeredAt")`, '<', before)
      .limit(SLICE)
      .execute();
    count = old.length;
    const ids = old.map(({ id }) => id);
    if (count > 0) await query.deleteFrom('transients').where('id', 'in', ids).execute();
    await new Promise((resolve) => setImmediate(resolve));
  }
}
