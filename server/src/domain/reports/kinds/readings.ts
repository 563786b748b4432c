import { daysIn } from '../../motion/days.ts';
import { emptyRow, type ReportedDevice, type ReportKind } from '../report-row.ts';

/** So many are read at once. */
const AT_ONCE = 10_000;

interface Sum {
  readonly day: string;
  readonly type: string;
  count: number;
  total: number;
  min: number;
  max: number;
}

/** Lowest, mean and highest value of each type of reading by day, of those that are numbers. */
export const readings: ReportKind = (workplace, { from, to, tz }) => {
  const page = workplace.prepare(
    'fleetReport.readings',
    `SELECT "timestamp", "id", "type", "value" FROM "gatewayReadings"
     WHERE "deviceId" = ? AND "timestamp" >= ? AND "timestamp" < ? AND ("timestamp" > ? OR "id" > ?)
     ORDER BY "timestamp", "id" LIMIT ${AT_ONCE}`,
  );
  return async (device: ReportedDevice) => {
    const dayAt = daysIn(tz);
    const sums = new Map<string, Sum>();
    for (let [at, id] = [from, 0], more = true; more; ) {
      const rows = (await page.lists(device.id, at, to, at, id)) as (readonly [number, number, string, string])[];
      for (const [timestamp, , type, text] of rows) {
        const value: unknown = JSON.parse(text);
        if (typeof value !== 'number') continue;
        const { day } = dayAt(timestamp);
        const sum = sums.get(`${day} ${type}`);
        if (sum === undefined)
          sums.set(`${day} ${type}`, { day, type, count: 1, total: value, min: value, max: value });
        else {
          sum.count += 1;
          sum.total += value;
          sum.min = Math.min(sum.min, value);
          sum.max = Math.max(sum.max, value);
        }
      }
      more = rows.length === AT_ONCE;
      if (more) [at, id] = rows.at(-1)!;
    }
    return [...sums.values()]
      .sort((a, b) => (a.day < b.day ? -1 : a.day > b.day ? 1 : a.type < b.type ? -1 : 1))
      .map(({ day, type, count, total, min, max }) => ({
        ...emptyRow(device),
        ...{ day, type, count, min, mean: total / count, max },
      }));
  };
};
