import type { Kysely } from 'kysely';
import { queryRows, type RowsStatement, runRows } from '../../../platform/storage/bulk.ts';
import type { StoreKind } from '../../../platform/storage/store-kind.ts';
import type { Tables } from '../../schema/tables.ts';
import type { NormalizedReport } from './normalized/normalized-report.ts';

/** A report without what of it was received before. */
export interface NewOfReport {
  readonly report: NormalizedReport;
  /** The number of items that were received before, and are not quarantined. */
  readonly known: number;
}

const COLUMNS = { deviceId: 'integer', hash: 'text', until: 'time' } as const;

/** Those that were received, and are still taken for the same. */
const FIND_KNOWN = {
  columns: COLUMNS,
  sql: `SELECT r."deviceId", r."hash", r."until" FROM given
    JOIN "receivedItems" r ON r."deviceId" = given."deviceId" AND r."hash" = given."hash"`,
};

const START = 'INSERT INTO "receivedItems" ("deviceId", "hash", "until")';
const AGAIN = 'ON CONFLICT ("deviceId", "hash") DO UPDATE SET "until" = excluded."until"';
const REMEMBER: RowsStatement = {
  columns: COLUMNS,
  sqlite: `${START} VALUES (?, ?, ?) ${AGAIN}`,
  postgres: `${START} SELECT "deviceId", "hash", "until" FROM given ${AGAIN}`,
};

/**
 * Leaves out of each report what was received before and would be stored twice, and remembers what is new. The state rows
 * of the devices are locked, so nobody else does the same meanwhile. Reports of positions and readings with their own
 * times, which are most of them, need nothing of this: their rows tell.
 */
export async function onlyNew(
  tx: Kysely<Tables>,
  storeKind: StoreKind,
  reports: readonly NormalizedReport[],
): Promise<NewOfReport[]> {
  const rows = reports.flatMap(({ deviceId, received }) =>
    received.map(({ hash, until }) => [deviceId, hash, until] as const),
  );
  if (rows.length === 0) return reports.map((report) => ({ report, known: 0 }));
  const stored = await queryRows<{ deviceId: number; hash: string; until: number }>(tx, storeKind, FIND_KNOWN, rows);
  const knownUntil = new Map(stored.map(({ deviceId, hash, until }) => [`${deviceId} ${hash}`, until]));
  const fresh = new Map<string, readonly [number, string, number]>();
  const found = reports.map((report): NewOfReport => {
    if (report.received.length === 0) return { report, known: 0 };
    const { deviceId, now } = report;
    const old = new Set<string>();
    let known = 0;
    for (const { list, index, hash, until } of report.received) {
      const key = `${deviceId} ${hash}`;
      if (now < (knownUntil.get(key) ?? Number.NEGATIVE_INFINITY)) {
        old.add(`${list} ${index}`);
        if (list !== 'quarantined') known++;
        continue;
      }
      knownUntil.set(key, until);
      fresh.set(key, [deviceId, hash, until]);
    }
    return { report: old.size === 0 ? report : without(report, old), known };
  });
  await runRows(tx, storeKind, REMEMBER, [...fresh.values()]);
  return found;
}

function without(report: NormalizedReport, old: ReadonlySet<string>): NormalizedReport {
  const rest = <Item>(list: string, items: readonly Item[]) => items.filter((_, index) => !old.has(`${list} ${index}`));
  return {
    ...report,
    points: rest('points', report.points),
    readings: rest('readings', report.readings),
    gatewayReadings: rest('gatewayReadings', report.gatewayReadings),
    messages: rest('messages', report.messages),
    quarantined: rest('quarantined', report.quarantined),
  };
}
