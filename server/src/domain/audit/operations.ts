import { auditEntry, type auditOperations as contract } from '@trackway/contract/resources/accounts/audit-entry.ts';
import { parseTime } from '@trackway/contract/values.ts';
import { type Call, type Handlers, TextStream } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { countOf, familyOf, listOf } from '../family.ts';
import { collectionOf } from '../schema/table.ts';
import type { Store } from '../schema/tables.ts';
import { byCaller, recordAudit } from './record.ts';

const EVERYTHING: Scope = { sql: '1 = 1', cells: [] };
const MONTH_MS = 30 * 86_400_000;

/** Entries of a user's actions, and of actions on their account and devices. */
const concerning = (userId: number): Scope => ({
  sql: '("userId" = ? OR "actorId" = ?)',
  cells: [userId, userId],
});

export function auditOperations(store: Store): Handlers<keyof typeof contract> {
  const options = { timeRange: 'at', indexed: ['action', 'userId', 'actorId', 'deviceId'] };
  const all = familyOf('auditEntry', collectionOf(store, 'auditEntries', auditEntry, options), () => EVERYTHING);
  const own = familyOf('auditEntry', collectionOf(store, 'auditTrail', auditEntry, options), ({ caller }) =>
    concerning(caller.userId),
  );
  const seenBy = ({ caller }: Call) => (caller.admin ? all : own);

  return {
    listAuditEntries: (call) => listOf(seenBy(call), call),
    countAuditEntries: (call) => countOf(seenBy(call), call),

    async exportAuditEntries(call) {
      const { now, parameters, caller } = call;
      const to = parameters.to === undefined ? now : parseTime(parameters.to)!;
      const from = parameters.from === undefined ? to - MONTH_MS : parseTime(parameters.from)!;
      const detail = { from: new Date(from).toISOString(), to: new Date(to).toISOString() };
      const entry = { action: 'audit.exported', ...byCaller(call), userId: caller.userId, detail } as const;
      await recordAudit(store.query, entry, now);
      const rows = auditCsv(store, caller.admin ? undefined : caller.userId, { from, to });
      return new TextStream('text/csv; charset=utf-8', 'audit-trail.csv', rows);
    },
  };
}

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
 * @param userId only entries of this user; undefined for all
 */
async function* auditCsv(
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

/** A spreadsheet would execute text that starts like a formula, and names may come from strangers. */
function cellOf(value: string | number | null): string {
  if (value === null) return '';
  if (typeof value === 'number') return String(value);
  const text = /^[=+\-@\t\r]/.test(value) ? `'${value}` : value;
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
