import type { Kysely } from 'kysely';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Work, Workplace } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';

export interface OldToPack {
  readonly deviceId: number;
  /** What is from before this may be packed. */
  readonly before: number;
}

/** A piece of packing in a transaction of its own; how many rows that were. */
export const packStep =
  (pack: (tx: Kysely<Tables>, storeKind: StoreKind, asked: OldToPack) => Promise<number>) =>
  ({ storeKind }: Workplace<Tables>): Work<Tables, OldToPack, number, number> => ({
    run: (tx, asked) => pack(tx, storeKind, asked),
    committed: (packed) => packed,
  });
