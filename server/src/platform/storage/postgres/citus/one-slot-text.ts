/**
 * Statements for a database that is spread by slot. Where all rows that a statement names are of one
 * slot, as those of a batch are, it says so by a single number everywhere: `"slot" = $3` instead of a list, a join or a
 * rest of a division. Then Citus knows before it runs that one worker has all of it, and sends it there whole.
 */
export interface OneSlotText {
  readonly sql: string;
  /** What says the slot: parameters with slots, and those with ids of devices. */
  readonly slots: readonly number[];
  readonly ids: readonly number[];
  /** The parameter that is added, if any. */
  readonly added: number | undefined;
  /** The table for whose rows ids are taken before; the parameter before the one that is added has them. */
  readonly newIdsOf?: string | undefined;
}
