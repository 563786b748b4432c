/**
 * Statements for a database that is spread by slot. Where all rows that a statement names are at one place, as those of a
 * batch are, it says so everywhere: `"slot" = $3`, or `"slot" = ANY($3)` where several slots are there, instead of a join or
 * a rest of a division. Then Citus knows before it runs that one worker has all of it, and sends it there whole.
 */
export interface OneSlotText {
  /** For rows of one slot, and for those of several at one place. */
  readonly one: string;
  readonly several: string;
  /** What says the slot: parameters with slots, and those with ids of devices. */
  readonly slots: readonly number[];
  readonly ids: readonly number[];
  /** The parameter that is added, if any. */
  readonly added: number | undefined;
  /** The table for whose rows ids are taken before; the parameter before the one that is added has them. */
  readonly newIdsOf?: string | undefined;
}

/** How a text says that a column is one of the slots of a parameter, and that it is the same as another besides. */
export interface SlotForm {
  is(column: string, parameter: number): string;
  areSame(column: string, other: string, parameter: number): string;
}

export const ONE_SLOT: SlotForm = {
  is: (column, parameter) => `${column} = $${parameter}`,
  areSame: (column, other, parameter) => `${column} = $${parameter} AND ${other} = $${parameter}`,
};

export const SEVERAL_SLOTS: SlotForm = {
  is: (column, parameter) => `${column} = ANY($${parameter})`,
  areSame: (column, other, parameter) =>
    `${column} = ANY($${parameter}) AND ${other} = ANY($${parameter}) AND ${column} = ${other}`,
};
