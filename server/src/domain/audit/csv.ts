import type { Store } from '../schema/tables.ts';

const SLICE = 500;
const COLUMNS = [
  'id',
  'at',
  'action',
  'actorId',
  'actor',
  'tokenId',
  'address',
  'userId',
  'deviceId',
  'count',
  'detail',
] as const;

/**
 * The entries of a time range as CSV, read in slices.
 *
 * @param userId whose entries; undefined for all of them
 */
export async function* auditCsv(
  store: Store,
  userId: number | undefined,
  { from, to }: { readonly from: number; readonly to: number },
): AsyncGenerator<string> {
  yield `${COLUMNS.join(',')}\r\n`;
  let after = { at: from, id: 0 };
  for (;;) {
    const { at, id } = after;
    let next = store.query
      .selectFrom(userId === undefined ? 'auditEntries' : 'auditTrail')
      .select([...COLUMNS])
      .where('at', '>=', at)
      .where('at', '<', to)
      .where((when) => when.or([when('at', '>', at), when('id', '>', id)]))
      .orderBy('at')
      .orderBy('id')
      .limit(SLICE);
    if (userId !== undefined)
      next = next.where((when) => when.or([when('userId', '=', userId), when('actorId', '=', userId)]));
    const rows = await next.execute();
    const last = rows.at(-1);
    if (last === undefined) return;
    yield rows.map((row) => lineOf({ ...row, at: new Date(row.at).toISOString() })).join('');
    after = { at: last.at, id: last.id };
  }
}

type Line = Readonly<Record<(typeof COLUMNS)[number], string | number | null>>;

const lineOf = (line: Line) => `${COLUMNS.map((column) => cellOf(line[column])).join(',')}\r\n`;

/** A spreadsheet would run what begins like a formula, and a name may be of a stranger's choice. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
