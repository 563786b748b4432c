import { parts } from '../slots/statement-parts.ts';
import { type Token, tokensOf } from '../slots/tokens.ts';
import { ONE_SLOT, type OneSlotText, SEVERAL_SLOTS, type SlotForm } from './one-slot-text.ts';

/**
 * An insert of given rows as Citus sends it to one worker whole: it must read the slot from a table that is spread alike,
 * and no sequence. So it is joined with the row of the slot in the table that has one for each, and the ids are taken
 * before. Any other form is collected at the coordinator, copied to its place, and committed in two phases.
 */
const INSERT =
  /^WITH given \(([^)]*)\) AS \(SELECT \* FROM unnest\(([^)]*)\)\) INSERT INTO "(\w+)" \(([^)]*)\)\s+SELECT\s+([\s\S]*?)\s+FROM given(?!\.|\s+JOIN\b)\b([\s\S]*)$/;
const SLOT_OF = /^(?:CAST\(COALESCE\()?(?:given\.)?"(\w+)"(?:, 0\))? % \d+(?: AS SMALLINT\))?$/;
const NEW_ID = 'newId';

/** Undefined where it is another form of statement, or rows of no slot. */
export function oneSlotInsert(sql: string, bySlot: string): OneSlotText | undefined {
  const [, columns, lists, table, names, selected, rest] = INSERT.exec(sql) ?? [];
  if (columns === undefined) return undefined;
  const given = columns.split(', ').map((name) => name.slice(1, -1));
  const into = names!.split(', ');
  const values = itemsOf(selected!);
  const slot = into.indexOf('"slot"');
  const key = slot === -1 ? undefined : SLOT_OF.exec(values[slot]!)?.[1];
  if (key === undefined || !given.includes(key)) return undefined;
  const slotOfRow = values[slot]!;
  values[slot] = 'home."slot"';
  const takesIds = /\bRETURNING "id"/.test(rest!) && !into.includes('"id"');
  const added = given.length + (takesIds ? 2 : 1);
  const withId = (list: string, id: string) => (takesIds ? `${list}, ${id}` : list);
  const textOf = ({
    is,
  }: SlotForm) => `WITH given (${withId(columns, `"${NEW_ID}"`)}) AS (SELECT * FROM unnest(${withId(lists!, `$${added - 1}::BIGINT[]`)}))
 INSERT INTO "${table}" (${withId(into.join(', '), '"id"')}) SELECT ${withId(values.join(', '), `given."${NEW_ID}"`)}
 FROM given JOIN (SELECT "slot" FROM "${bySlot}" WHERE ${is('"slot"', added)}) AS home ON home."slot" = ${slotOfRow}${rest}`;
  return {
    one: textOf(ONE_SLOT),
    several: textOf(SEVERAL_SLOTS),
    slots: [],
    ids: [given.indexOf(key) + 1],
    added,
    newIdsOf: takesIds ? table : undefined,
  };
}

const itemsOf = (selected: string): string[] => {
  const tokens = tokensOf(selected);
  const textOf = (item: readonly Token[]) => selected.slice(item[0]!.start, item.at(-1)!.end);
  return parts(tokens, 0, tokens.length).map(textOf);
};
