import { auditEntry, type auditOperations as contract } from '@trackway/contract/resources/accounts/audit-entry.ts';
import { parseTime } from '@trackway/contract/values.ts';
import { type Call, type Handlers, TextStream } from '../../calls.ts';
import type { Scope } from '../../platform/collection.ts';
import { countOf, familyOf, listOf } from '../family.ts';
import { collectionOf } from '../schema/collection.ts';
import type { Store } from '../schema/tables.ts';
import { auditCsv } from './csv.ts';
import { byCaller, recordAudit } from './record.ts';

const EVERYTHING: Scope = { sql: '1 = 1', cells: [] };
const MONTH_MS = 30 * 86_400_000;

/** What a user did, and what was done to their account and devices. */
export const concerning = (userId: number): Scope => ({
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
