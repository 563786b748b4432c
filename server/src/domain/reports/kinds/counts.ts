import type { ByDatabase } from '../../../platform/storage/dialect.ts';
import { emptyRow, type ReportKind } from '../report-row.ts';

/** Counts by device and type. */

interface Counted {
  readonly type: string;
  readonly count: number;
  readonly open: number;
  readonly first: number;
  readonly last: number;
}

const TYPE_IN: ByDatabase<string> = {
  sqlite: `json_extract("params", '$.type')`,
  postgres: `(CAST("params" AS json)->>'type')`,
};

/** The caller's notifications, without retracted or suppressed ones. */
export const notifications: ReportKind = (workplace, { userId, from, to }) => {
  const statement = workplace.prepare<Counted>(
    'fleetReport.notifications',
    `SELECT ${workplace.dialect.pick(TYPE_IN)} AS "type", COUNT(*) AS "count",
       SUM(CASE WHEN "acknowledgedAt" IS NULL THEN 1 ELSE 0 END) AS "open",
       MIN("timestamp") AS "first", MAX("timestamp") AS "last"
     FROM "notifications" WHERE "deviceId" = ? AND "timestamp" >= ? AND "timestamp" < ? AND "userId" = ?
       AND "status" = 'valid' GROUP BY 1 ORDER BY 1`,
  );
  return async (device) =>
    (await statement.all(device.id, from, to, userId)).map(({ type, count, open, first, last }) => ({
      ...emptyRow(device),
      ...{ type, count: Number(count), open: Number(open), start: Number(first), end: Number(last) },
    }));
};

export const messages: ReportKind = (workplace, { from, to }) => {
  const statement = workplace.prepare<Omit<Counted, 'open'>>(
    'fleetReport.messages',
    `SELECT CASE WHEN "mobileTerminated" = 1 THEN 'toDevice' ELSE 'fromDevice' END AS "type", COUNT(*) AS "count",
       MIN("created") AS "first", MAX("created") AS "last"
     FROM "messages" WHERE "deviceId" = ? AND "created" >= ? AND "created" < ? GROUP BY 1 ORDER BY 1`,
  );
  return async (device) =>
    (await statement.all(device.id, from, to)).map(({ type, count, first, last }) => ({
      ...emptyRow(device),
      ...{ type, count: Number(count), start: Number(first), end: Number(last) },
    }));
};
