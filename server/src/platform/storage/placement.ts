/**
 * Where a table is, if PostgreSQL is spread over several servers:
 * - `distributed`: its rows are spread by the column `by`, which names their device;
 * - `reference`: every server has all of it, so each write is one for all servers;
 * - `local`: the coordinator has it, and tables that it would be joined with must be read separately.
 */
export type Placement =
  | { readonly place: 'distributed'; readonly by: string }
  | { readonly place: 'reference' }
  | { readonly place: 'local' };

export type Placements = Readonly<Record<string, Placement>>;

/** Statements about rows of many devices, and why they may be. */
export interface SpanningStatements {
  readonly why: string;
  /** The tables whose device they need not name; all without it. */
  readonly tables?: readonly string[];
  /** A regular expression for their text, regardless of case. */
  readonly form: string;
}

/** Where tables are, according to the last migration that declares it. */
export const placementsOf = (migrations: readonly { readonly placements?: Placements }[]): Placements | undefined =>
  migrations.findLast(({ placements }) => placements !== undefined)?.placements;

/** The column of each distributed table by which it is distributed. */
export const distributionColumns = (placements: Placements): Record<string, string> =>
  Object.fromEntries(
    Object.entries(placements).flatMap(([table, placement]) =>
      placement.place === 'distributed' ? [[table, placement.by]] : [],
    ),
  );

export const referenceTables = (placements: Placements): string[] =>
  Object.keys(placements).filter((table) => placements[table]!.place === 'reference');
