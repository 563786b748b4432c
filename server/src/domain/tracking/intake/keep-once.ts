import type { Kysely } from 'kysely';
import { givenValues, insertAtHome, queryRows, type RowsStatement, runRows } from '../../../platform/storage/bulk.ts';
import type { Store, Tables } from '../../schema/tables.ts';
import type { NormalizedReport } from '../report/normalize.ts';

/** A report without what of it was received before. */
interface NewOfReport {
  readonly report: NormalizedReport;
  /** The number of items that were received before, and are not quarantined. */
  readonly known: number;
}

const COLUMNS = { deviceId: 'integer', hash: 'text', forgetAt: 'time' } as const;

/** Received items that still count as the same. */
export const FIND_KNOWN = {
  columns: COLUMNS,
  sql: `SELECT r."deviceId", r."hash", r."forgetAt" FROM given
    JOIN "receivedItems" r ON r."deviceId" = given."deviceId" AND r."hash" = given."hash"`,
  spread: { by: 'deviceId', where: 'r."deviceId"' },
};

const START = 'INSERT INTO "receivedItems" ("deviceId", "hash", "forgetAt")';
const AGAIN = 'ON CONFLICT ("deviceId", "hash") DO UPDATE SET "forgetAt" = excluded."forgetAt"';
export const REMEMBER: RowsStatement = {
  columns: COLUMNS,
  sqlite: `${START} VALUES (?, ?, ?) ${AGAIN}`,
  postgres: `${START} SELECT "deviceId", "hash", "forgetAt" FROM given ${AGAIN}`,
  spread: insertAtHome('receivedItems', COLUMNS, givenValues(COLUMNS), { end: AGAIN }),
};

/**
 * Leaves out of each report what was received before and would be stored twice, and remembers what is new. The state
 * rows of the devices are locked, so no other transaction does the same meanwhile. Reports of positions and readings
 * with their own times, which are most of them, need none of this: their rows identify them.
 */
export async function onlyNew(tx: Kysely<Tables>, reports: readonly NormalizedReport[]): Promise<NewOfReport[]> {
  const rows = reports.flatMap(({ deviceId, received }) =>
    received.map(({ hash, until }) => [deviceId, hash, until] as const),
  );
  if (rows.length === 0) return reports.map((report) => ({ report, known: 0 }));
  const stored = await queryRows<{ deviceId: number; hash: string; forgetAt: number }>(tx, FIND_KNOWN, rows);
  const knownUntil = new Map(stored.map(({ deviceId, hash, forgetAt }) => [`${deviceId} ${hash}`, forgetAt]));
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
  await runRows(tx, REMEMBER, [...fresh.values()]);
  return found;
}

function without(report: NormalizedReport, old: ReadonlySet<string>): NormalizedReport {
  const remaining = <Item>(list: string, items: readonly Item[]) =>
    items.filter((_, index) => !old.has(`${list} ${index}`));
  return {
    ...report,
    points: remaining('points', report.points),
    readings: remaining('readings', report.readings),
    gatewayReadings: remaining('gatewayReadings', report.gatewayReadings),
    messages: remaining('messages', report.messages),
    quarantined: remaining('quarantined', report.quarantined),
  };
}

const CHUNK = 1000;

/** Forgets which items were received once the same words would be taken for new ones anyway, in small steps. */
export async function forgetReceivedItems(store: Store, now: number): Promise<void> {
  for (;;) {
    const last = await store.query
      .selectFrom('receivedItems')
      .select('forgetAt')
      .where('forgetAt', '<=', now)
      .orderBy('forgetAt')
      .offset(CHUNK - 1)
      .limit(1)
      .executeTakeFirst();
    await store.query
      .deleteFrom('receivedItems')
      .where('forgetAt', '<=', last?.forgetAt ?? now)
      .execute();
    if (last === undefined) return;
    await new Promise((resolve) => setImmediate(resolve));
  }
}
