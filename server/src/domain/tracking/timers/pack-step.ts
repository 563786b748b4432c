import type { Kysely } from 'kysely';
import type { Work } from '../../../platform/storage/work.ts';
import type { Tables } from '../../schema/tables.ts';

export interface OldToPack {
  readonly deviceId: number;
  /** What is from before this may be packed. */
  readonly before: number;
}

/** A piece of packing in a transaction of its own; how many rows that were. */
export const packStep =
  (pack: (tx: Kysely<Tables>, asked: OldToPack) => Promise<number>) => (): Work<Tables, OldToPack, number, number> => ({
    run: (tx, asked) => pack(tx, asked),
    committed: (packed) => packed,
  });
