import type { Kysely } from 'kysely';
import { may } from '../rights.ts';
import type { ForwarderRow } from '../schema/rows/sending-rows.ts';
import type { Tables } from '../schema/tables.ts';

/** A forwarder, as far as sending needs to know it. */
export interface Forwarder {
  readonly id: number;
  readonly userId: number;
  readonly kind: ForwarderRow['kind'];
  readonly target: string;
  readonly types: ReadonlySet<string>;
  /** Whether messages go without their envelope. */
  readonly isRaw: boolean;
  /** Whether it also sends a correction when a notification is retracted. */
  readonly wantsCorrections: boolean;
  /** Set for a user who listens with credentials for the broker. It is not a forwarder created by a user. */
  readonly isListener?: true;
}

/** The enabled forwarders of a device whose users may still manage it. */
export async function readForwarders(on: Kysely<Tables>, deviceId: number): Promise<Forwarder[]> {
  const rows = await on
    .selectFrom('forwarders as f')
    .select(['f.id', 'f.userId', 'f.kind', 'f.target', 'f.types', 'f.raw', 'f.corrections'])
    .where('f.deviceId', '=', deviceId)
    .where('f.active', '=', 1)
    .where(may('manage', 'f.userId', 'f.deviceId'))
    .orderBy('f.id')
    .execute();
  return rows.map((row) => ({
    id: row.id,
    userId: row.userId,
    kind: row.kind,
    target: row.target,
    types: new Set(JSON.parse(row.types) as string[]),
    isRaw: row.raw !== 0,
    wantsCorrections: row.corrections !== 0,
  }));
}
