/**
 * Where a table is, if PostgreSQL is spread over several servers:
 * - `distributed`: its rows are spread by their slot, a number that follows from the column `by`;
 * - `reference`: every server has all of it, so each write is one for all servers;
 * - `local`: the server that one connects to has it, tables that it would be joined with must be read separately.
 */
export type Placement =
  | {
      readonly place: 'distributed';
      readonly by: string;
      /** A column that names the same device as `by` wherever it is set, so that a condition on it determines the slot too. */
      readonly alsoBy?: string;
    }
  | { readonly place: 'reference'; readonly by?: string }
  /** One of these with slots is of devices too, but is looked through for all of them, or together with others. */
  | { readonly place: 'local'; readonly by?: string };

export type Placements = Readonly<Record<string, Placement>>;

/** The column that determines the slot, for tables with slots, and how many slots there are. */
export interface SlotKeys {
  readonly slots: number;
  readonly columns: Readonly<Record<string, string>>;
  /** A second column for some of them: where it is set, it has the same value. */
  readonly also?: Readonly<Record<string, string>>;
  /** The table with one row for each slot, if there is one. */
  readonly bySlot?: string | undefined;
  /** The tables with slots that are completely on one server. */
  readonly unspread?: readonly string[];
  /** The reference tables, which every server has a copy of in a distributed database. */
  readonly references?: readonly string[];
  /** Views of one table with slots, by the same column: named only where rows are spread. */
  readonly views?: Readonly<Record<string, string>>;
  /** Whether rows are spread over servers. */
  readonly isSpread?: true;
  /** Where they are, a number for each slot: slots of the same number are always at one server together. */
  readonly groups?: readonly number[];
  readonly spanning?: readonly SpanningStatements[];
}

/** The same where rows are spread over servers: views are named too, so that one server is asked. */
export const spreadKeys = (keys: SlotKeys, groups: readonly number[]): SlotKeys => ({
  ...keys,
  columns: { ...keys.columns, ...keys.views },
  isSpread: true,
  groups,
});

/** Statements that are about rows of many slots, and why they may be. */
export interface SpanningStatements {
  readonly why: string;
  /** The tables whose slot they need not name; all without it. */
  readonly tables?: readonly string[];
  /** A regular expression for their text, regardless of case. */
  readonly form: string;
}

/** The tables with slots, out of what migrations say; undefined where none does. */
export function slotKeysOf(
  migrations: readonly {
    readonly placements?: Placements;
    readonly slots?: number;
    readonly slotViews?: Readonly<Record<string, string>>;
    readonly spanning?: readonly SpanningStatements[];
  }[],
): SlotKeys | undefined {
  const saying = migrations.findLast(({ placements }) => placements !== undefined);
  if (saying?.placements === undefined || saying.slots === undefined) return undefined;
  const columns = Object.entries(saying.placements).flatMap(([table, placement]) =>
    // What is known by the slot alone names it anyway.
    'by' in placement && placement.by !== undefined && placement.by !== 'slot' ? [[table, placement.by] as const] : [],
  );
  const also = Object.entries(saying.placements).flatMap(([table, placement]) =>
    'alsoBy' in placement && placement.alsoBy !== undefined ? [[table, placement.alsoBy] as const] : [],
  );
  const [bySlot] =
    Object.entries(saying.placements).find(([, placement]) => 'by' in placement && placement.by === 'slot') ?? [];
  const unspread = columns.flatMap(([table]) => (saying.placements![table]!.place === 'distributed' ? [] : [table]));
  return {
    slots: saying.slots,
    columns: Object.fromEntries(columns),
    also: Object.fromEntries(also),
    bySlot,
    unspread,
    references: Object.keys(saying.placements).filter((table) => saying.placements![table]!.place === 'reference'),
    views: saying.slotViews ?? {},
    spanning: saying.spanning,
  };
}

/** Where tables are, according to the last migration that declares it. */
export const placementsOf = (migrations: readonly { readonly placements?: Placements }[]): Placements | undefined =>
  migrations.findLast(({ placements }) => placements !== undefined)?.placements;
