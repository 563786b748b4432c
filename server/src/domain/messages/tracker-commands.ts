import { message } from '@trackway/contract/resources/message.ts';
import type { Kysely, Updateable } from 'kysely';
import type { CommandToSend, TrackerDesk } from '../../calls.ts';
import { presentRow } from '../../platform/storage/shape.ts';
import { appendLiveEvents } from '../live/append-live-events.ts';
import type { MessageRow } from '../schema/rows/device-rows.ts';
import { shapeOf } from '../schema/shape.ts';
import type { Store, Tables } from '../schema/tables.ts';
import { settleCommands } from './settle-commands.ts';

/** An engine is stopped by a fix that is not older than this, and not faster. */
const FIX_MS = 60_000;
const MOST_KMH = 20;
const MAX_FAILURE = 1000;

type Commands = Pick<TrackerDesk, 'nextCommand' | 'commandReturned' | 'commandFailed' | 'commandConfirmed'>;

interface StoredCommand {
  readonly name: string;
  readonly parameters: Readonly<Record<string, string | number | boolean>>;
  readonly force: boolean;
}

/** Messages on their way down to trackers. Each goes out at most once. */
export function trackerCommands(store: Store): Commands & { expire(now: number): Promise<void> } {
  const shape = shapeOf(message);
  const oldest = store.prepare<Pick<MessageRow, 'message' | 'command' | 'expires'> & { readonly id: number }>(
    'messages.toTracker',
    `SELECT "id", "message", "command", "expires" FROM "messages"
     WHERE "deviceId" = ? AND "mobileTerminated" = 1 AND "sent" IS NULL AND "state" = 'queued' ORDER BY "id" LIMIT 1`,
  );

  /** Undefined where it is no longer in the state it was in. */
  const change = (
    messageId: number,
    from: 'queued' | 'written',
    values: Updateable<MessageRow>,
    now: number,
    alsoIn?: (tx: Kysely<Tables>) => Promise<unknown>,
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
      await appendLiveEvents(tx, store.storeKind, [{ kind: 'message', deviceId: row.deviceId, event }], now);
      return true;
    });

  /** Why an engine must not be stopped now. */
  async function dangerOf(deviceId: number, now: number): Promise<string | undefined> {
    const fix = await store.query
      .selectFrom('points')
      .select(['timestamp', 'speed'])
      .where('deviceId', '=', deviceId)
      .where('locationLat', 'is not', null)
      .orderBy('timestamp', 'desc')
      .limit(1)
      .executeTakeFirst();
    if (fix === undefined || Math.abs(now - fix.timestamp) > FIX_MS)
      return 'The engine was not stopped: there is no position of the last 60 seconds.';
    if (fix.speed === null || fix.speed > MOST_KMH)
      return `The engine was not stopped: ${fix.speed === null ? 'the speed is not known' : `the vehicle moves at ${Math.round(fix.speed)} km/h`}.`;
    return undefined;
  }

  return {
    async nextCommand(deviceId, now): Promise<CommandToSend | undefined> {
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
        if (!(await change(id, 'queued', { state: 'written' }, now))) continue;
        if (command === undefined) return { messageId: id, text: text! };
        return { messageId: id, command: { name: command.name, parameters: command.parameters } };
      }
    },

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

    /** Gives up what could not be sent in its time. */
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
