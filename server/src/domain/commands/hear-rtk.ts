import type { RtkStatus } from '@trackway/contract/resources/commands/rtk.ts';
import { fingerprint } from '../../platform/secrets.ts';
import type { ReportedMessage, ReportedRtk } from '../../reports.ts';
import type { Store } from '../schema/tables.ts';
import { readStatus, setRtkState } from './rtk-state.ts';

/** The newest lines of a device that are kept. */
const KEPT_LINES = 1000;

/** What a report says of a receiver: its status, lines of its log, answers to commands. */
export function rtkHearing(store: Store) {
  return {
    /** The status is merged: what a report does not mention stays. */
    async heard(deviceId: number, { log, ...said }: ReportedRtk, now: number): Promise<void> {
      const at = new Date(now).toISOString();
      await store.transaction(async (tx) => {
        const status: Partial<RtkStatus> = {
          ...(await readStatus(tx, deviceId)),
          ...said,
          connected: at,
          ...(said.location && { locationUpdated: at }),
        };
        await setRtkState(tx, deviceId, { status: JSON.stringify(status) });
        if (log.length === 0) return;
        const lines = log.slice(-KEPT_LINES).map(({ timestamp, ...line }) => ({
          ...line,
          deviceId,
          timestamp: timestamp ?? now,
          hash: timestamp === undefined ? null : fingerprint(JSON.stringify([timestamp, line])),
        }));
        for (let start = 0; start < lines.length; start += AT_ONCE)
          await tx
            .insertInto('rtkLogs')
            .values(lines.slice(start, start + AT_ONCE))
            .onConflict((on) => on.doNothing())
            .execute();
        const oldest = await tx
          .selectFrom('rtkLogs')
          .select('id')
          .where('deviceId', '=', deviceId)
          .orderBy('id', 'desc')
          .offset(KEPT_LINES)
          .limit(1)
          .executeTakeFirst();
        if (oldest)
          await tx.deleteFrom('rtkLogs').where('deviceId', '=', deviceId).where('id', '<=', oldest.id).execute();
      });
    },

    /** A message whose JSON names a command is the answer to it. */
    async answered(deviceId: number, messages: readonly ReportedMessage[]): Promise<void> {
      for (const { message } of messages) {
        const messageId = message === undefined ? undefined : commandNamed(message);
        if (messageId === undefined) continue;
        await store.query
          .updateTable('rtkCommands')
          .set({ response: Buffer.from(message!, 'utf8').toString('base64') })
          .where('deviceId', '=', deviceId)
          .where('messageId', '=', messageId)
          .execute();
      }
    },
  };
}

const AT_ONCE = 100;
const MOST_ANSWER = 65_536;

function commandNamed(text: string): number | undefined {
  if (text.length > MOST_ANSWER || !text.startsWith('{') || !text.includes('"messageId"')) return undefined;
  try {
    const { messageId } = JSON.parse(text) as { messageId?: unknown };
    return typeof messageId === 'number' && Number.isSafeInteger(messageId) ? messageId : undefined;
  } catch {
    return undefined;
  }
}
