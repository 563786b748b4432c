import { type Kysely, sql } from 'kysely';
import type { Tables } from '../schema/tables.ts';

const MINUTE_MS = 60_000;

/** The device has these messages, so what they ask for begins. */
export async function settleCommands(tx: Kysely<Tables>, messageIds: readonly number[], now: number): Promise<void> {
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
    .where('waitingId', 'in', [...messageIds])
    .execute();
}
