import type { SlotKeys } from '../../placement.ts';
import { recentlyUsed } from '../../recently-used.ts';
import { nameSlots } from './name-slots.ts';
import type { SlotParameter } from './statement-parts.ts';
import { unnamedTables } from './unnamed-tables.ts';

/** What PostgreSQL is sent for a statement and its parameters. */
export type SlotNamer = (
  sql: string,
  cells: readonly unknown[],
) => {
  readonly sql: string;
  readonly cells: readonly unknown[];
  /** Which of several texts it is that stand for the same statement. */
  readonly form?: string;
  /** What is sent after it, where the statement is one for each slot. */
  readonly more?: readonly { readonly sql: string; readonly cells: readonly unknown[]; readonly form?: string }[];
  /** Ids to take first, as a list in this cell of it and of what is sent after it. */
  readonly newIds?: NewIds;
};

export interface NewIds {
  readonly table: string;
  readonly count: number;
  readonly cell: number;
}

/** Texts whose form with slots is remembered. Those with lists of parameters differ by how many these are. */
const REMEMBERED = 3000;

/** Set by tests: a statement that names no slot, and is not known to be about many, is refused. */
const STRICT = 'TRACKWAY_STRICT_SLOTS';

/** Names the slots in all statements on a store; without any tables that have them, statements stay as they are. */
export function slotNamer(keys: SlotKeys | undefined): SlotNamer {
  if (keys === undefined) return (sql, cells) => ({ sql, cells });
  const isStrict = process.env[STRICT] === '1';
  const named = recentlyUsed(REMEMBERED, (sql) => {
    const statement = nameSlots(sql, keys);
    if (isStrict) requireSlots(statement.sql, keys);
    return statement;
  });
  return (text, cells) => {
    const { sql, more } = named(text);
    if (more.length === 0) return { sql, cells };
    return { sql, cells: [...cells, ...more.map((parameter) => slotCell(parameter, cells, keys.slots))] };
  };
}

/** Fails for a statement that should name a slot and does not. */
export function requireSlots(sql: string, keys: SlotKeys): void {
  const mayBe = (table: string) =>
    keys.spanning?.some(
      ({ tables, form }) =>
        (tables?.includes(table) ?? true) && new RegExp(form, 'i').test(sql.replaceAll(/\s+/g, ' ')),
    );
  // Views are named where that is possible, and need not be.
  const isView = (table: string) => keys.views?.[table] !== undefined;
  const unnamed = unnamedTables(sql, keys).filter((table) => !isView(table) && !mayBe(table));
  if (unnamed.length > 0) throw new Error(`A statement does not name the slot of ${unnamed.join(', ')}: ${sql}`);
}

function slotCell({ of, form }: SlotParameter, cells: readonly unknown[], slots: number): unknown {
  const [first] = of;
  const cell = cells[first! - 1];
  switch (form) {
    case 'one':
      return cell === null || cell === undefined ? null : Number(cell) % slots;
    case 'oneOrFirst':
      return Number(cell ?? 0) % slots;
    case 'many':
      return listOf(
        of.map((number) => cells[number - 1]),
        slots,
      );
    case 'list':
      return listOf(Array.isArray(cell) ? cell : String(cell).slice(1, -1).split(','), slots);
    case 'json':
      return listOf(JSON.parse(String(cell)) as unknown[], slots);
  }
}

/** The slots of ids, each once, as PostgreSQL writes lists. */
function listOf(ids: readonly unknown[], slots: number): string {
  const found = new Set<number>();
  for (const id of ids) if (id !== null && id !== '' && id !== 'NULL') found.add(Number(id) % slots);
  return `{${[...found].join(',')}}`;
}
